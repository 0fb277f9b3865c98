import { gunzipSync } from 'node:zlib';
import { acceptsCoding } from '../core/http/compression.ts';
import type { Dispatch, Request, Response } from '../core/http/message.ts';
import { methodNotAllowed, notFound } from '../values/errors/errors.ts';
import type { PackedFile, PackedFiles } from './packed-file.ts';

/** Name of the console's function on AWS, and of its requests in the log. */
export const consoleName = 'console';

/** Path of the console, without the slash at its end. It is no part of the interface. */
const consolePath = `/${consoleName}`;

/** Path of the page with all operations, likewise. */
const referencePath = '/docs/api';

/** All paths that the console's function serves, with the paths below them. */
export const filePaths: readonly string[] = [consolePath, referencePath];

/** Checks whether the console's function serves a path. */
export function isForConsole(path: string): boolean {
  return filePaths.some((own) => isWithin(own, path));
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Functions that read files; each is called by the first request that needs one. */
export interface FileReaders {
  readonly console: () => PackedFiles;
  /** Reads `index.html`, the page with all operations. */
  readonly reference: () => PackedFiles;
}

/**
 * Creates the function that serves the files of the console and the page with all operations, compressed as the client
 * accepts. The same on every platform.
 */
export function createConsole(read: FileReaders): Dispatch {
  const serveConsole = serveFolder(consolePath, read.console);
  const serveReference = serveFolder(referencePath, read.reference);
  return (request) =>
    (isWithin(referencePath, request.path) ? serveReference : serveConsole)(request);
}

/** A file in the forms in which it is sent. */
interface ServedFile extends Pick<PackedFile, 'type' | 'tag'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly forms: Readonly<Record<Coding, Buffer | undefined>>;
  readonly identity: () => Buffer;
}

type Coding = 'br' | 'gzip';

function serveFolder(folder: string, read: () => PackedFiles): Dispatch {
  let files: ReadonlyMap<string, ServedFile> | undefined;
  return async ({ method, path, query, headers, served }) => {
    if (served !== undefined) Object.assign(served, { family: consoleName, route: folder });
    if (method !== 'GET' && method !== 'HEAD') return refuseMethod(method);
    if (path === folder) return redirect(folder, query);
    files ??= new Map(Object.entries(read()).map(([name, file]) => [name, unpack(file)]));
    const file = files.get(path.slice(folder.length + 1) || 'index.html');
    if (file === undefined) throw notFound();
    return respond(file, headers);
  };
}

function refuseMethod(method: string): Response {
  const { status, body, headers } = methodNotAllowed(method);
  return { status, body, headers: { ...headers, allow: 'GET, HEAD' } };
}

/** Adds the slash, without which the page's relative addresses would be wrong. A proxy may have removed a prefix. */
function redirect(folder: string, query: URLSearchParams): Response {
  const search = query.size === 0 ? '' : `?${query}`;
  const location = `${folder.slice(folder.lastIndexOf('/') + 1)}/${search}`;
  return { status: 308, headers: { location, 'cache-control': 'no-cache' } };
}

function unpack({ type, tag, isFixed, headers, ...packed }: PackedFile): ServedFile {
  const bytesOf = (text: string | undefined) =>
    text === undefined ? undefined : Buffer.from(text, 'base64');
  const caching = isFixed ? 'public, max-age=31536000, immutable' : 'no-cache';
  const forms = { br: bytesOf(packed.br), gzip: bytesOf(packed.gzip) };
  let plain = bytesOf(packed.identity);
  return {
    type,
    tag,
    headers: { 'cache-control': caching, vary: 'Accept-Encoding', ...headers },
    forms,
    identity: () => {
      plain ??= gunzipSync(forms.gzip ?? '');
      return plain;
    },
  };
}

function respond({ type, tag, forms, identity, ...file }: ServedFile, asked: Request['headers']) {
  const coding = (['br', 'gzip'] as const).find(
    (each) => forms[each] !== undefined && acceptsCoding(asked['accept-encoding'], each),
  );
  const etag = `"${tag}${coding === undefined ? '' : `.${coding}`}"`;
  const headers = { ...file.headers, etag };
  if (isKnown(asked['if-none-match'], etag)) return { status: 304, headers };
  const bytes = (coding && forms[coding]) ?? identity();
  const content = { type, bytes, isOwn: true } as const;
  return {
    status: 200,
    headers: { ...headers, ...(coding && { 'content-encoding': coding }) },
    content,
  };
}

/** Compares weakly: a proxy that compresses responses marks their tags as weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = header?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return known.some((each) => each === '*' || each === etag);
}
