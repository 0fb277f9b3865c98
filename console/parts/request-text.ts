import { toExactJson, writeExactJson } from '../../shared/values/json/exact-number.ts';
import { askedHeaders, urlOf } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';

const keyHeader = 'X-API-KEY';

/**
 * Returns a request as a command for a POSIX shell. Files are named as parts of the form.
 *
 * @param isOpen needs no key
 */
export function toCurl(request: ApiRequest, isOpen = false): string {
  const { method, body } = request;
  const parts = ['curl', '-s', ...(method === 'GET' ? [] : ['-X', method]), quote(urlOf(request))];
  if (!isOpen) parts.push('-H', `"${keyHeader}: $ACCOUNT_KEY"`);
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
 * @param isOpen needs no key
 */
export function toFetch(request: ApiRequest, isOpen = false): string {
  const { method, body } = request;
  const isJson = body !== undefined && !(body instanceof FormData);
  const headers = [
    ...(isOpen ? [] : [`'${keyHeader}': ACCOUNT_KEY`]),
    ...(isJson ? ["'Content-Type': 'application/json'"] : []),
    ...Object.entries(askedHeaders(request)).map(
      ([name, value]) => `'${name}': ${JSON.stringify(value)}`,
    ),
  ];
  const lines = [
    `const response = await fetch(${JSON.stringify(urlOf(request))}, {`,
    `  method: '${method}',`,
    `  headers: { ${headers.join(', ')} },`,
    ...(isJson ? [`  body: ${bodyCode(body)},`] : []),
    ...(body instanceof FormData ? ['  body: form, // a FormData with the fields and files'] : []),
    '});',
    ...(method === 'DELETE' ? [] : ['const result = await response.json();']), // 204 has no body
  ];
  return lines.join('\n');
}

/** Returns a request as Python, with the library requests. */
export function toPython(request: ApiRequest): string {
  const { method, body } = request;
  const words = { true: 'True', false: 'False', null: 'None' };
  const literal = (json: string) =>
    json.replace(/"(?:\\.|[^"\\])*"|true|false|null/g, (token) =>
      token in words ? words[token as keyof typeof words] : token,
    );
  return [
    'import requests',
    '',
    'response = requests.request(',
    `    '${method}',`,
    `    ${JSON.stringify(urlOf(request))},`,
    `    headers={'${keyHeader}': ACCOUNT_KEY},`,
    ...(body === undefined ? [] : [`    json=${literal(writeExactJson(body))},`]),
    ')',
    ...(method === 'DELETE' ? [] : ['result = response.json()']), // 204 has no body
  ].join('\n');
}

/** Returns the code of a JSON body: as text where numbers of JavaScript would change it. */
function bodyCode(body: unknown): string {
  const { text, isExact } = toExactJson(body, 2);
  return isExact ? JSON.stringify(writeExactJson(body)) : `JSON.stringify(${text})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
