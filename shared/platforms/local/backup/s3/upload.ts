import { createHash } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import {
  BucketError,
  type BucketResponse,
  errorCodeOf,
  expectSuccess,
  textOf,
} from './responses.ts';

const mebibyte = 1_048_576;
const parts = { minBytes: 8 * mebibyte, maxBytes: 64 * mebibyte, max: 9900 }; // S3 takes 10,000

/** Longest object that an upload can make. */
export const maxObjectBytes = parts.maxBytes * parts.max;

/**
 * Returns the size of all parts except the last one: the same, as some services want it.
 *
 * @param expectedBytes of the whole object
 */
export function partBytesFor(expectedBytes: number): number {
  const needed = Math.ceil(expectedBytes / parts.max / mebibyte) * mebibyte;
  return Math.max(parts.minBytes, needed);
}

/**
 * Uploads a stream as a new object, one part at a time, which is all that is in memory. Only puts: a service may deny
 * everything else to the credentials. What fails is aborted.
 *
 * @returns number of bytes
 * @throws BucketError when the object is not known to be complete
 */
export async function uploadObject(
  bucket: Bucket,
  key: string,
  content: ReadableStream<Uint8Array>,
  partBytes: number,
): Promise<number> {
  const query = { uploadId: await beginUpload(bucket, key) };
  const tags: string[] = [];
  let length = 0;
  try {
    for await (const body of partsOf(content, partBytes)) {
      if (tags.length === parts.max) throw new BucketError('the backup is larger than expected');
      tags.push(await uploadPart(bucket, { key, body, query, number: tags.length + 1 }));
      length += body.length;
    }
    await complete(bucket, { key, query, tags });
  } catch (error) {
    // so that its parts cost nothing; a rule of the bucket removes them if this fails
    if (!(error instanceof Unconfirmed)) await bucket.sendLast({ method: 'DELETE', key, query });
    throw error;
  }
  return length;
}

/** The reason why it is unknown whether the object is complete. */
class Unconfirmed extends BucketError {}

async function beginUpload(bucket: Bucket, key: string): Promise<string> {
  const request = { method: 'POST', key, query: { uploads: '' } } as const;
  const response = expectSuccess(await bucket.send(request), request);
  const id = /<UploadId>([\w.~+/=-]{1,2048})<\/UploadId>/.exec(textOf(response))?.[1];
  if (id === undefined) throw new BucketError('the bucket has begun no upload');
  return id;
}

/** Divides a stream into parts of one size; the last one may be smaller. */
async function* partsOf(
  content: ReadableStream<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  const part = Buffer.allocUnsafe(partBytes); // one for all: a request has its own copy
  let filled = 0;
  for await (const chunk of content) {
    for (let taken = 0; taken < chunk.length; ) {
      const some = chunk.subarray(taken, taken + partBytes - filled);
      part.set(some, filled);
      filled += some.length;
      taken += some.length;
      if (filled < partBytes) continue;
      yield part;
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

interface Part {
  readonly key: string;
  readonly body: Uint8Array;
  readonly query: { readonly uploadId: string };
  readonly number: number;
}

/** Uploads one part. Returns its tag. */
async function uploadPart(bucket: Bucket, { key, body, query, number }: Part): Promise<string> {
  const request = {
    method: 'PUT',
    key,
    query: { ...query, partNumber: String(number) },
    body,
  } as const;
  const response = expectSuccess(await bucket.send(request), request);
  const tag = /^"?([\w.~+/=-]{1,512})"?$/.exec(response.headers.get('etag') ?? '')?.[1];
  if (tag === undefined) throw new BucketError('the bucket has confirmed no part');
  if (isOther(tag, body, response)) {
    throw new BucketError('the bucket has stored something else than was sent');
  }
  return tag;
}

/** Checks for a tag that is the MD5 digest of something else. Of what the service encrypts, it is another value. */
function isOther(tag: string, body: Uint8Array, { headers }: BucketResponse): boolean {
  const isDigest = /^[\da-f]{32}$/.test(tag);
  const isEncrypted = [...headers.keys()].some((name) => /server-side-encryption/.test(name));
  return isDigest && !isEncrypted && tag !== createHash('md5').update(body).digest('hex');
}

interface Completion {
  readonly key: string;
  readonly query: { readonly uploadId: string };
  readonly tags: readonly string[];
}

/** Makes the object of its parts, unless one of this name exists. */
async function complete(bucket: Bucket, { key, query, tags }: Completion): Promise<void> {
  const listed = tags.map(
    (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>"${tag}"</ETag></Part>`,
  );
  const text = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join('')}</CompleteMultipartUpload>`;
  const plain = { method: 'POST', key, query, body: Buffer.from(text) } as const;
  const request = { ...plain, headers: { 'if-none-match': '*' } };
  const first = await send(bucket, request);
  // a service that does not know the condition overwrites nothing either: the name is random
  const response = first.status === 501 ? await send(bucket, plain) : first;
  if (response.isRepeated && response.status === 412) return; // made by the first try: the name is random
  if (response.isRepeated && errorCodeOf(response) === 'NoSuchUpload') throw unconfirmed();
  expectSuccess(response, request);
  if (!/<CompleteMultipartUpload\w+[\s>]/.test(textOf(response))) throw unconfirmed();
}

async function send(
  bucket: Bucket,
  request: Parameters<Bucket['send']>[0],
): Promise<BucketResponse> {
  try {
    return await bucket.send(request);
  } catch (cause) {
    throw cause instanceof BucketError ? unconfirmed(cause) : cause;
  }
}

function unconfirmed(cause?: BucketError): Unconfirmed {
  const message = 'the bucket has not confirmed the backup, which may be complete all the same';
  return new Unconfirmed(message, { cause });
}
