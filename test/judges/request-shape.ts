import type { IncomingHttpHeaders } from 'node:http';

interface Parts {
  readonly service: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Returns the structure of a request: equal for requests that differ in values only. It contains the names of members,
 * the types of values, and texts that may be values of an enumeration.
 */
export function shapeOf({ service, method, url, headers, body }: Parts): string {
  const { pathname, searchParams } = new URL(url, 'http://aws');
  const path = service === 's3' ? pathname.split('/').slice(0, 3).length : general(pathname);
  const query = [...searchParams.keys()].sort();
  const names = Object.keys(headers)
    .filter((name) => name.startsWith('x-amz-'))
    .sort();
  const target = headers['x-amz-target'];
  const content = hasFreeBody(service, method, url) ? '' : structureOf(body.toString());
  return JSON.stringify([service, method, path, query, names, target, content]);
}

/** Checks whether the body of a request is a value without members: a file, or the event for a function. */
export function hasFreeBody(service: string, method: string, url: string): boolean {
  const { pathname } = new URL(url, 'http://aws');
  const [, , key] = pathname.split('/');
  return (
    (service === 's3' && method === 'PUT' && Boolean(key)) || pathname.endsWith('/invocations')
  );
}

function structureOf(text: string): unknown {
  if (text.startsWith('{')) return jsonStructure(JSON.parse(text), '');
  if (text.startsWith('<')) return [...new Set(text.match(/<\w+/g))].sort();
  return [...new URLSearchParams(text).keys()].map(general).sort();
}

function jsonStructure(value: unknown, name: string): unknown {
  if (typeof value === 'string') return isEnumLike(value, name) ? `=${value}` : 'string';
  if (typeof value !== 'object' || value === null) return typeof value;
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(jsonStructure(item, name)));
    return [...new Set(items)].sort();
  }
  const members = Object.entries(value).map(
    ([key, one]) => [general(key), jsonStructure(one, key)] as const,
  );
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Checks whether a text may be a value of an enumeration; the text of a DynamoDB attribute, `S`, is not. */
function isEnumLike(text: string, name: string): boolean {
  return name !== 'S' && /^[A-Z][A-Z_]{1,40}$/.test(text);
}

/** Replaces what differs between names of the same kind: numbers, and identifiers with a digit. */
function general(text: string): string {
  return text.replace(/[\w-]*\d[\w-]*/g, '#');
}
