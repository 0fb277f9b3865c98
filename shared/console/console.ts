import { acceptsCoding } from '../core/http/compression.ts';
import type { Dispatch, Request, Response } from '../core/http/message.ts';
import { methodNotAllowed, notFound } from '../values/errors/errors.ts';
import type { PackedFile, PackedFiles } from './packed-file.ts';

/** Name of the console's function on AWS, and of its requests in the log. */
export const consoleName = 'console';

/** Path of the console, without the slash at its end. It is no part of the interface. */
export const consolePath = `/${consoleName}`;

/** Checks whether a path is the console's. */
export function isForConsole(path: string): boolean {
  return path === consolePath || path.startsWith(`${consolePath}/`);
}

/** A file in the forms in which it is sent. */
interface ServedFile extends Pick<PackedFile, 'type'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly forms: Readonly<Record<Form, Buffer | undefined>>;
}

type Form = 'br' | 'gzip' | 'identity';

/**
 * Creates the function that serves the files of the console, compressed as the client accepts. The same on every
 * platform.
 *
 * @param read called by the first request that needs a file
 */
export function createConsole(read: () => PackedFiles): Dispatch {
  let files: ReadonlyMap<string, ServedFile> | undefined;
  return async ({ method, path, query, headers, served }) => {
    if (served !== undefined) Object.assign(served, { family: consoleName, route: consolePath });
    if (method !== 'GET' && method !== 'HEAD') return refuseMethod(method);
    if (path === consolePath) return redirect(query);
    files ??= new Map(Object.entries(read()).map(([name, file]) => [name, unpack(file)]));
    const file = files.get(path.slice(consolePath.length + 1) || 'index.html');
    if (file === undefined) throw notFound();
    return respond(file, headers);
  };
}

function refuseMethod(method: string): Response {
  const { status, body, headers } = methodNotAllowed(method);
  return { status, body, headers: { ...headers, allow: 'GET, HEAD' } };
}

/** Adds the slash, without which the page's relative addresses would be wrong. A proxy may have removed a prefix. */
function redirect(query: URLSearchParams): Response {
  const search = query.size === 0 ? '' : `?${query}`;
  const location = `${consoleName}/${search}`;
  return { status: 308, headers: { location, 'cache-control': 'no-cache' } };
}

function unpack({ type, tag, isFixed, ...forms }: PackedFile): ServedFile {
  const bytesOf = (text: string | undefined) =>
    text === undefined ? undefined : Buffer.from(text, 'base64');
  const etag = `W/"${tag}"`; // weak: of all forms
  const caching = isFixed ? 'public, max-age=31536000, immutable' : 'no-cache';
  return {
    type,
    etag,
    headers: { 'cache-control': caching, etag, vary: 'Accept-Encoding' },
    forms: {
      identity: bytesOf(forms.identity),
      gzip: bytesOf(forms.gzip),
      br: bytesOf(forms.br),
    },
  };
}

function respond({ type, etag, headers, forms }: ServedFile, asked: Request['headers']): Response {
  if (isKnown(asked['if-none-match'], etag)) return { status: 304, headers };
  const form = bestForm(forms, asked['accept-encoding']);
  const bytes = forms[form] ?? new Uint8Array();
  const coding = form === 'identity' ? undefined : { 'content-encoding': form };
  return { status: 200, headers: { ...headers, ...coding }, content: { type, bytes } };
}

function bestForm(forms: ServedFile['forms'], acceptEncoding: string | undefined): Form {
  const compressed = (['br', 'gzip'] as const).find(
    (form) => forms[form] !== undefined && acceptsCoding(acceptEncoding, form),
  );
  return compressed ?? 'identity';
}

function isKnown(header: string | undefined, etag: string): boolean {
  const known = header?.split(',').map((each) => each.trim()) ?? [];
  return known.some((each) => each === '*' || each === etag || `W/${each}` === etag);
}
