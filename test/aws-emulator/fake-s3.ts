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
    objects.set(key, { bytes: request.body, headers: Object.fromEntries(said) });
    return { status: 200, headers: { etag: '"x"' }, body: '' };
  }
  const found = objects.get(key);
  if (found === undefined) return method === 'HEAD' ? { ...noSuchKey(), body: '' } : noSuchKey();
  const length = { 'content-length': String(found.bytes.byteLength) };
  return {
    status: 200,
    headers: { ...found.headers, ...length },
    body: method === 'HEAD' ? '' : found.bytes,
  };
}

function keysIn(body: Buffer): readonly string[] {
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
