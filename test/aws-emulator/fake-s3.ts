import { createHash } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/*
 * The parts of S3 that the files of a deployment use, in memory: one bucket, addressed by path.
 */

/** A request, its body read. */
export interface S3Request {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A response. */
export interface S3Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** An object with its headers in S3. */
export interface S3Object {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly changedMs: number;
}

/** A rule of the bucket for pages of other origins, as in a template. */
export interface CorsRule {
  readonly AllowedMethods: readonly string[];
  readonly AllowedOrigins: readonly string[];
  readonly ExposedHeaders?: readonly string[];
}

/** Objects by key. */
export type S3Objects = Map<string, S3Object>;

const kept = ['content-type', 'content-disposition', 'cache-control'];
const pageSize = 2;

/** Returns the bucket and the key of a request, and the action that a policy must allow. */
export function readS3(request: S3Request): {
  readonly bucket: string;
  readonly key: string;
  readonly action: string;
} {
  const { pathname, searchParams } = new URL(request.url, 'http://s3');
  const [, bucket = '', ...rest] = decodeURIComponent(pathname).split('/');
  const key = rest.join('/');
  if (searchParams.has('delete')) {
    const [first = ''] = keysIn(request.body);
    return { bucket, key: first, action: 's3:DeleteObject' };
  }
  if (key === '') return { bucket, key, action: 's3:ListBucket' };
  return { bucket, key, action: request.method === 'PUT' ? 's3:PutObject' : 's3:GetObject' };
}

/** Executes a request. */
export function respondAsS3(objects: S3Objects, request: S3Request): S3Response {
  const { method, headers } = request;
  const { searchParams } = new URL(request.url, 'http://s3');
  const { key, action } = readS3(request);
  if (action === 's3:DeleteObject') {
    for (const each of keysIn(request.body)) objects.delete(each);
    return xml(200, '<DeleteResult/>');
  }
  if (action === 's3:ListBucket') return list(objects, searchParams);
  const source = headers['x-amz-copy-source'];
  if (typeof source === 'string') {
    const from = objects.get(decodeURIComponent(source).split('/').slice(1).join('/'));
    if (from === undefined) return noSuchKey();
    objects.set(key, from);
    return xml(200, '<CopyObjectResult><ETag>"x"</ETag></CopyObjectResult>');
  }
  if (method === 'PUT') {
    const said = kept.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    objects.set(key, {
      bytes: request.body,
      headers: Object.fromEntries(said),
      changedMs: Date.now(),
    });
    return { status: 200, headers: { etag: '"x"' }, body: '' };
  }
  const found = objects.get(key);
  if (found === undefined) return method === 'HEAD' ? { ...noSuchKey(), body: '' } : noSuchKey();
  const read = readObject(withAsked(found, searchParams), headers);
  return method === 'HEAD' ? { ...read, body: '' } : read;
}

/** Returns an object with the headers that its address names. */
function withAsked(found: S3Object, query: URLSearchParams): S3Object {
  const caching = query.get(cachingParameter);
  if (caching === null) return found;
  return { ...found, headers: { ...found.headers, 'cache-control': caching } };
}

/** Returns an object, a part of it, or that it is unchanged. */
function readObject(
  { bytes, headers, changedMs }: S3Object,
  asked: S3Request['headers'],
): S3Response {
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
  const known = String(asked['if-none-match'] ?? '').split(/,\s*/);
  const shared = {
    ...headers,
    'accept-ranges': 'bytes',
    etag,
    'last-modified': new Date(changedMs).toUTCString(),
  };
  if (known.includes(etag)) return { status: 304, headers: shared, body: '' };
  const isWhole = asked['if-range'] !== undefined && asked['if-range'] !== etag;
  const range = isWhole ? undefined : rangeOf(String(asked.range), bytes.byteLength);
  if (range === 'outside') return xml(416, '<Error><Code>InvalidRange</Code></Error>');
  const [start, end] = range ?? [0, bytes.byteLength];
  const part = { 'content-range': `bytes ${start}-${end - 1}/${bytes.byteLength}` };
  return {
    status: range === undefined ? 200 : 206,
    headers: { ...shared, ...(range && part), 'content-length': String(end - start) },
    body: bytes.subarray(start, end),
  };
}

/** Parses one range: its first byte, and the one after it. Several ranges, and invalid ones, are ignored. */
function rangeOf(header: string, size: number): readonly [number, number] | 'outside' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return to === '0' ? 'outside' : [Math.max(0, size - Number(to)), size];
  const last = to === '' ? size - 1 : Number(to);
  if (last < Number(from) && to !== '') return undefined;
  return Number(from) >= size ? 'outside' : [Number(from), Math.min(last, size - 1) + 1];
}

/** Returns the caller who has signed an address; undefined: none, or it is not valid for this request at this time. */
export async function signerOf(request: S3Request, nowMs: number): Promise<string | undefined> {
  const { searchParams } = new URL(request.url, 'http://s3');
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const date = searchParams.get('X-Amz-Date')?.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
  const signingDate = new Date(date ?? '');
  const expiresIn = Number(searchParams.get('X-Amz-Expires'));
  const ageMs = nowMs - signingDate.getTime();
  if (!(ageMs >= 0 && ageMs < expiresIn * 1000)) return undefined;
  const [caller = '', , region = ''] = searchParams.get('X-Amz-Credential')?.split('/') ?? [];
  if (region === '') return undefined;
  const { bucket: Bucket, key: Key } = readS3(request);
  const client = new S3Client({
    region,
    endpoint: `http://${request.headers.host}`,
    credentials: {
      accessKeyId: caller,
      secretAccessKey: 'secret',
      sessionToken: searchParams.get('X-Amz-Security-Token') ?? '',
    },
  });
  const input = {
    Bucket,
    Key,
    ResponseCacheControl: searchParams.get(cachingParameter) ?? undefined,
  };
  const command =
    request.method === 'HEAD' ? new HeadObjectCommand(input) : new GetObjectCommand(input);
  // it refuses what no address has
  const valid = await getSignedUrl(client, command, { signingDate, expiresIn }).catch(
    () => undefined,
  );
  if (valid === undefined) return undefined;
  const expected = new URL(valid).searchParams; // all of them are signed
  return sorted(expected) === sorted(searchParams) ? caller : undefined;
}

const cachingParameter = 'response-cache-control';

function sorted(parameters: URLSearchParams): string {
  return [...parameters]
    .map((each) => each.join('='))
    .sort()
    .join('&');
}

/** Returns the response to a caller who may not do what was asked. */
export function accessDenied(): S3Response {
  return xml(403, '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
}

/** Returns the keys that a request names in its body. */
export function keysIn(body: Buffer): readonly string[] {
  return [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
}

/** Pages are small, so that there are several. */
function list(objects: S3Objects, query: URLSearchParams): S3Response {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, pageSize);
  const next =
    keys.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  return xml(200, `<ListBucketResult>${contents}${next}</ListBucketResult>`);
}

function noSuchKey(): S3Response {
  return xml(404, '<Error><Code>NoSuchKey</Code><Message>none</Message></Error>');
}

function xml(status: number, body: string): S3Response {
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

/** Returns the headers with which a browser lets a page read the response, if a rule allows its method. */
export function corsHeaders(
  rules: readonly CorsRule[],
  { method, headers: { origin } }: Pick<S3Request, 'method' | 'headers'>,
): Readonly<Record<string, string>> {
  const rule = rules.find(
    ({ AllowedMethods, AllowedOrigins }) =>
      AllowedMethods.includes(method) && AllowedOrigins.includes('*'),
  );
  if (origin === undefined || rule === undefined) return {};
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': (rule.ExposedHeaders ?? []).join(', '),
  };
}
