import type { Bucket } from './bucket.ts';
import { BucketError, type BucketResponse, expectSuccess } from './responses.ts';

const rangeBytes = 8_388_608; // in memory at a time, and downloaded again after a failure
const sliceBytes = 65_536;

/** An object that can be read. */
export interface StoredObject {
  readonly bytes: number;
  readonly content: ReadableStream<Uint8Array>;
}

/**
 * Opens an object, which is read range by range: a service that sends more than it has said, or another object from
 * some range on, is an error.
 *
 * @throws BucketError when there is none
 */
export async function openObject(bucket: Bucket, key: string): Promise<StoredObject> {
  const first = await readRange(bucket, key, { start: 0 });
  const { bytes, tag } = first;
  const slices = async function* () {
    yield* slicesOf(first.content);
    for (let start = first.content.length; start < bytes; ) {
      const { content } = await readRange(bucket, key, { start, bytes, tag });
      yield* slicesOf(content);
      start += content.length;
    }
  };
  return { bytes, content: ReadableStream.from(slices()) };
}

function* slicesOf(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += sliceBytes) {
    yield content.subarray(at, at + sliceBytes);
  }
}

interface Range {
  readonly start: number;
  /** Of the whole object, and its tag, as the first response had them. */
  readonly bytes?: number;
  readonly tag?: string;
}

async function readRange(bucket: Bucket, key: string, { start, bytes, tag }: Range) {
  const headers = { range: `bytes=${start}-${start + rangeBytes - 1}` };
  const request = {
    method: 'GET',
    key,
    headers: tag === undefined ? headers : { ...headers, 'if-match': tag },
    maxBytes: rangeBytes,
  } as const;
  const response = expectSuccess(await bucket.send(request), request);
  const found = describeRange(response);
  const isExpected =
    found.start === start &&
    (bytes === undefined || (bytes === found.bytes && tag === found.tag)) &&
    response.bytes.length === Math.min(rangeBytes, found.bytes - start);
  if (!isExpected) throw new BucketError('the bucket sends other bytes than were requested');
  return { ...found, content: response.bytes };
}

function describeRange({ status, headers }: BucketResponse) {
  const range = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(headers.get('content-range') ?? '');
  const tag = headers.get('etag');
  if (status !== 206 || range === null || tag === null) {
    throw new BucketError('the bucket sends no ranges of objects');
  }
  return { start: Number(range[1]), bytes: Number(range[2]), tag };
}
