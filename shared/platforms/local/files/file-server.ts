import type { ReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { corsHeaders, preflightResponse } from '../../../core/http/cors.ts';
import { foreignPolicy } from '../../../core/http/foreign-content.ts';
import { commonHeaders } from '../../../core/http/write-response.ts';
import { privateCaching } from '../../../ports/file-store.ts';
import { codeOf } from '../../../values/caught.ts';
import type { ErrorCode } from '../../../values/errors/error-codes.ts';
import { ApiError, forbidden, methodNotAllowed, notFound } from '../../../values/errors/errors.ts';
import { areaOf, type FileKey, ownerOfFile } from '../../../values/file-keys.ts';
import { keyOfUrl } from '../../../values/files/file-addresses.ts';
import { dispositionOf } from '../../../values/uploads.ts';
import type { Thumbs } from '../pictures/thumbs.ts';
import type { LocalFiles, OpenFile } from './files.ts';
import { filesPath } from './files-path.ts';
import { isSignedPath } from './signed-addresses.ts';
import { type FormBody, receiveUpload } from './upload-receiver.ts';

/** The head of a request. Its body is not read here: the receiver of the server has it. */
export type FileHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** A request for files. */
export interface FileRequest {
  readonly head: FileHead;
  readonly response: ServerResponse;
  /** Smaller pictures; none when absent. */
  readonly thumbs: Thumbs | undefined;
  readonly receiveForm: FormBody['receiveForm'];
  /** Sends a content after the head of its response, though the rest of the request has not arrived. */
  readonly sendEarly: (content: string) => Promise<void>;
}

/** Checks whether a request is for files, which are not part of the interface. */
export function isForFiles({ url = '' }: Pick<FileHead, 'url'>): boolean {
  return url.startsWith(filesPath);
}

/** Result of a request, for the log. */
export interface Served {
  readonly status: number;
  readonly code?: ErrorCode;
}

/**
 * Serves public files as a CDN does, private ones at signed addresses, and receives uploads with a presigned form.
 *
 * @throws any error of the disk or the connection
 */
export async function serveFiles(files: LocalFiles, request: FileRequest): Promise<Served> {
  const { head, response } = request;
  // a file overrides these headers
  for (const [name, value] of Object.entries(fileHeaders)) response.setHeader(name, value);
  const path = (head.url ?? '').replace(/[?#].*$/, '');
  switch (head.method) {
    case 'GET':
    case 'HEAD':
      return serveFile(files, path, request);
    case 'POST':
      if (path !== filesPath) return refuse(response, forbidden('upload_denied'));
      return upload(files, request);
    case 'OPTIONS':
      return end(response, 200, preflightOf(head).headers ?? {});
    default:
      return refuse(response, methodNotAllowed(head.method ?? ''));
  }
}

function preflightOf({ headers }: FileRequest['head']) {
  const asked = headers['access-control-request-headers'];
  return preflightResponse(Array.isArray(asked) ? asked.join() : asked);
}

const { vary: _, ...uncached } = commonHeaders; // files are the same for all clients
const fileHeaders = {
  ...uncached,
  ...corsHeaders,
  'access-control-expose-headers':
    'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, X-Request-Id, X-Error-Code',
};

async function upload(
  files: LocalFiles,
  { head, response, receiveForm, sendEarly }: FileRequest,
): Promise<Served> {
  const contentType = head.headers['content-type'];
  const error = await receiveUpload(files, { contentType, receiveForm });
  if (error === undefined) return end(response, 204, {});
  response.setHeader('connection', 'close'); // the rest of the request is not worth reading
  await sendEarly(writeErrorHead(response, error));
  return { status: error.status, code: error.code };
}

async function serveFile(
  files: LocalFiles,
  path: string,
  { head, response, thumbs }: FileRequest,
): Promise<Served> {
  const isSigned = isSignedPath(path);
  const key = isSigned ? await files.signed.read(head) : keyOfUrl(filesPath.slice(0, -1), path);
  if (isSigned && key === undefined) return refuse(response, forbidden('address_denied'));
  const size = sizeIn(head.url ?? '');
  const found = key && (await openOf({ files, thumbs }, key, size)); // public, or signed: for any client
  if (found instanceof ApiError) return refuse(response, found);
  if (key === undefined || found === undefined) return refuse(response, notFound());
  try {
    const name = key.slice(key.lastIndexOf('/') + 1);
    const tag = size === undefined ? `"${name}"` : `"${name}_${size}"`; // without the signature
    const caching = areaOf(key) === 'private' ? privateCaching : fileCaching;
    return await send({ ...found, tag, caching }, head, response);
  } finally {
    await found.handle.close();
  }
}

/** Returns the size of a smaller picture that an address names. */
function sizeIn(url: string): string | undefined {
  const [, query = ''] = url.split('?', 2);
  return new URLSearchParams(query).get('thumb') ?? undefined;
}

/** Opens a file, or a smaller picture of it; undefined when it does not exist. */
async function openOf(
  { files, thumbs }: { readonly files: LocalFiles } & Pick<FileRequest, 'thumbs'>,
  key: FileKey,
  size: string | undefined,
): Promise<OpenFile | ApiError | undefined> {
  const owner = ownerOfFile(key);
  if (size === undefined) return files.open(owner, key);
  try {
    return await thumbs?.open(owner, key, size);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

async function send(
  {
    handle,
    contentType,
    filename,
    size,
    changedMs,
    tag,
    caching,
  }: OpenFile & { readonly tag: string; readonly caching: string },
  { headers, method }: FileHead,
  response: ServerResponse,
): Promise<Served> {
  const shared = {
    'accept-ranges': 'bytes',
    'cache-control': caching,
    ...(contentType !== pdf && { 'content-security-policy': foreignPolicy() }),
    etag: tag, // a file never changes under its address
    'last-modified': new Date(changedMs).toUTCString(),
  };
  if (isUnchanged(headers, tag, changedMs)) return end(response, 304, shared);
  const isOther = headers['if-range'] !== undefined && headers['if-range'] !== tag;
  const isWhole = isOther || method === 'HEAD'; // a range is of a GET alone (RFC 9110, 14.2)
  const range = isWhole ? undefined : readRange(headers.range, size);
  if (range === 'outside') {
    return end(response, 416, { ...shared, 'content-range': `bytes */${size}` });
  }
  const { start, end: last } = range ?? { start: 0, end: size - 1 };
  const status = range === undefined ? 200 : 206;
  response.writeHead(status, {
    ...shared,
    'content-type': contentType,
    'content-length': String(last - start + 1),
    'content-disposition': dispositionOf(contentType, filename),
    ...(range && { 'content-range': `bytes ${start}-${last}/${size}` }),
  });
  if (method === 'HEAD' || size === 0) response.end();
  else await sendRange(handle.createReadStream({ start, end: last, autoClose: false }), response);
  return { status };
}

/** Is shown by a program of the browser, some of which show none that are isolated. Its scripts have no origin. */
const pdf = 'application/pdf';

/** Sends a part of a file; ignores a client that disconnects early. */
async function sendRange(content: ReadStream, response: ServerResponse): Promise<void> {
  try {
    await pipeline(content, response);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const goneCodes = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];

function isGone(error: unknown): boolean {
  return error instanceof Error && goneCodes.includes(codeOf(error) ?? '');
}

/** Caching time of a file: a deleted one may remain visible this long. As on AWS. */
const fileCaching = 'public, max-age=3600';

/** Checks whether a client has the file: by its tag, or without one by the time, in whole seconds (RFC 9110, 13.2.2). */
function isUnchanged(headers: FileHead['headers'], tag: string, changedMs: number): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers;
  if (tags !== undefined) return isKnown(tags, tag);
  return since !== undefined && Math.floor(changedMs / 1000) * 1000 <= Date.parse(since);
}

function isKnown(header: string | undefined, tag: string): boolean {
  const known = header?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return known.includes(tag) || known.includes('*');
}

interface Range {
  readonly start: number;
  /** The last byte, inclusive. */
  readonly end: number;
}

/** Parses one byte range; several ranges and invalid ones count as absent, which a server may do (RFC 9110). */
function readRange(header: string | undefined, size: number): Range | 'outside' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < start) return undefined;
  return start >= size || end < start ? 'outside' : { start, end };
}

function refuse(response: ServerResponse, error: ApiError): Served {
  response.end(writeErrorHead(response, error));
  return { status: error.status, code: error.code };
}

/** Writes the head of an error response, and returns its body. */
function writeErrorHead(response: ServerResponse, { status, body, headers }: ApiError): string {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
  });
  return text;
}

function end(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
): Served {
  const length = status === 200 || status === 416 ? { 'content-length': '0' } : {};
  response.writeHead(status, { ...headers, ...length });
  response.end();
  return { status };
}
