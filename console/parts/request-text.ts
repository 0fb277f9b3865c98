import { toExactJson, writeExactJson } from '../../shared/values/json/exact-number.ts';
import { askedHeaders, urlOf } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';

const keyHeader = 'X-API-KEY';

/**
 * Returns a request as a command for a POSIX shell. Files are named as parts of the form.
 *
 * @param key null: it needs none; absent: a variable of the program
 */
export function toCurl(request: ApiRequest, key: string | null = '$ACCOUNT_KEY'): string {
  const { method, body } = request;
  const parts = ['curl', '-s', ...(method === 'GET' ? [] : ['-X', method]), quote(urlOf(request))];
  if (key !== null) parts.push('-H', `"${keyHeader}: ${key}"`);
  for (const [name, value] of Object.entries(askedHeaders(request))) {
    parts.push('-H', quote(`${name}: ${value}`));
  }
  if (body instanceof FormData) {
    for (const [name, value] of body) {
      parts.push('-F', quote(`${name}=${value instanceof File ? `@${value.name}` : value}`));
    }
  } else if (body !== undefined) {
    parts.push('-H', quote('Content-Type: application/json'), '-d', quote(writeExactJson(body)));
  }
  return parts.join(' ');
}

/**
 * Returns a request as JavaScript for browsers and Node.
 *
 * @param key as in `toCurl`
 */
export function toFetch(request: ApiRequest, key?: string | null): string {
  const { method, body } = request;
  const isJson = body !== undefined && !(body instanceof FormData);
  const lines = [
    `const response = await fetch(${JSON.stringify(urlOf(request))}, {`,
    `  method: '${method}',`,
    `  headers: { ${headerCode(request, key)} },`,
    ...(isJson ? [`  body: ${bodyCode(body)},`] : []),
    ...(body instanceof FormData ? ['  body: form, // a FormData with the fields and files'] : []),
    '});',
    ...(method === 'DELETE' ? [] : ['console.log(await response.json());']), // 204 has no body
  ];
  return lines.join('\n');
}

/**
 * Returns a request without files as a program in Python.
 *
 * @param key as in `toCurl`
 */
export function toPython(request: ApiRequest, key?: string | null): string {
  const { method, body } = request;
  return [
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(urlOf(request))},`,
    `    method="${method}",`,
    `    headers={${headerCode(request, key)}},`,
    ...(body === undefined ? [] : [`    data=${JSON.stringify(writeExactJson(body))}.encode(),`]),
    ')',
    'with urlopen(request) as response:',
    '    print(response.read().decode())',
  ].join('\n');
}

/** Returns headers as members of an object of JavaScript, and of Python. */
function headerCode(request: ApiRequest, key: string | null | undefined): string {
  const { body } = request;
  const isJson = body !== undefined && !(body instanceof FormData);
  const headers = {
    ...(isJson && { 'Content-Type': 'application/json' }),
    ...askedHeaders(request),
  };
  const parts = Object.entries(headers).map(
    ([name, value]) => `'${name}': ${JSON.stringify(value)}`,
  );
  const keyCode = key === undefined ? 'ACCOUNT_KEY' : JSON.stringify(key);
  return [...(key === null ? [] : [`'${keyHeader}': ${keyCode}`]), ...parts].join(', ');
}

/** Returns the code of a JSON body: as text where numbers of JavaScript would change it. */
function bodyCode(body: unknown): string {
  const { text, isExact } = toExactJson(body, 2);
  return isExact ? JSON.stringify(writeExactJson(body)) : `JSON.stringify(${text})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
