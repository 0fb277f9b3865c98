/*
 * Paths of requests, for the console, the command line and the typed client, which contains this file as it is: it
 * imports nothing. A URL parser removes `.` and `..` in all their spellings together with the segment before them, so
 * that the deletion of a trigger would become that of its instance.
 */

declare const checked: unique symbol;

/** A path of encoded segments, none of which a URL parser removes; only this file makes one. */
export type RequestPath = string & { readonly [checked]: true };

/** A path, or a name for a path, that would reach something else than it says. */
export class PathError extends Error {
  override readonly name = 'PathError';
}

/**
 * Returns a path of encoded names: `` at`instances/${name}/classes/` ``. A value after `?` is one of a query.
 *
 * @throws PathError for an empty name, `.`, `..`, and their encoded spellings
 */
export function at(
  texts: TemplateStringsArray,
  ...values: readonly (string | number)[]
): RequestPath {
  let path = texts[0] ?? '';
  for (const [index, value] of values.entries()) {
    if (!path.includes('?')) requireName(String(value), path);
    path += encodePart(String(value)) + (texts[index + 1] ?? '');
  }
  return checkPath(path);
}

/**
 * Returns a path that continues another one: `` below(list)`${id}/` ``.
 *
 * @throws PathError as `at`, and where no new segment begins
 */
export function below(base: RequestPath): typeof at {
  return (texts, ...values) => joinPaths(base, at(texts, ...values));
}

/**
 * Returns a path that continues another one.
 *
 * @throws PathError where no new segment begins
 */
export function joinPaths(base: RequestPath, rest: RequestPath): RequestPath {
  const isApart = !/[?#]/.test(base) && (base.endsWith('/') || /^[/?]/.test(rest));
  if (!isApart) throw new PathError(`${JSON.stringify(rest)} is not below ${JSON.stringify(base)}`);
  return checkPath(base + rest);
}

/** Returns a path with a query; undefined values are left out. */
export function withQuery(
  path: RequestPath,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): RequestPath {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]): [string, string] => [name, String(value)]);
  return joinPaths(path, checkPath(`?${new URLSearchParams(pairs)}`));
}

/**
 * Checks a path that others have written: a link of a response, or one that was typed.
 *
 * @param path from the root, or relative; its segments are encoded
 * @throws PathError for segments that a URL parser removes, and for what may be the address of another server
 */
export function checkPath(path: string): RequestPath {
  const [segments = ''] = path.split(/[?#]/, 1);
  const [first = '', ...others] = segments.split('/');
  const inner = others.slice(0, -1); // what follows the last slash may be empty
  const isRemoved = [first, ...others].some((segment) => isDots(segment));
  const isOther = first.includes(':') || unsafe.test(path) || inner.includes('');
  if (isRemoved || isOther) throw new PathError(`${JSON.stringify(path)} is not a path`);
  return path as RequestPath; // checked
}

/** Returns the address of a path; a path from the root is below the path of the server's address, if it has one. */
export function addressAt(server: string, path: RequestPath): URL {
  const root = `${server.replace(/\/+$/, '')}/`;
  return new URL(path.startsWith('/') ? `.${path}` : path, root); // the dot: what follows is never a scheme
}

/** Backslashes are slashes to a URL parser; control characters, and spaces at the ends, are removed. */
const unsafe = /[\\\p{Cc}]|^ | $/u;

/**
 * Tells whether a URL parser takes a segment for `.` or `..` (https://url.spec.whatwg.org/#single-dot-path-segment), or
 * a proxy takes a part of it for that: one that removes a path (`proxy_pass` with a path) decodes `%2F` before.
 */
function isDots(segment: string): boolean {
  return segment.split(/[/\\]|%2f|%5c/i).some((part) => /^(\.|%2e){1,2}$/i.test(part));
}

function requireName(name: string, before: string): void {
  if (name === '') throw new PathError(`a name is missing after ${JSON.stringify(before)}`);
  if (isDots(name)) throw new PathError(`${JSON.stringify(name)} is not a name for a path`);
}

function encodePart(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch (error) {
    throw new PathError(`${JSON.stringify(text)} is not valid text`, { cause: error }); // half of a character
  }
}
