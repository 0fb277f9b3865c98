import type { Bucket } from './bucket.ts';
import { BucketError, expectSuccess, textOf } from './responses.ts';

const maxPageBytes = 4_194_304; // 1,000 keys of 1,024 bytes, escaped, with their facts
const maxPages = 100;

/** An object, as a list describes it. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds. */
  readonly storedMs: number;
}

/**
 * Lists the objects whose keys begin with a text.
 *
 * @throws BucketError for more than 100 pages, or a page that cannot be read
 */
export async function listBucket(bucket: Bucket, prefix: string): Promise<readonly ListedObject[]> {
  const all: ListedObject[] = [];
  let token: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const query = { 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) };
    const request = { method: 'GET', query, maxBytes: maxPageBytes } as const;
    const text = textOf(expectSuccess(await bucket.send(request), request));
    if (!/<ListBucketResult[\s>]/.test(text)) throw new BucketError('the bucket sends no list');
    all.push(...objectsIn(text));
    if (!/<IsTruncated>true<\/IsTruncated>/.test(text)) return all;
    token = elementText(text, 'NextContinuationToken');
    if (token === undefined) throw new BucketError('the bucket sends a list without its next page');
  }
  throw new BucketError('the bucket has more than 100,000 objects there');
}

function* objectsIn(text: string): Generator<ListedObject> {
  for (const piece of text.split('<Contents>').slice(1)) {
    const [key, size, stored] = ['Key', 'Size', 'LastModified'].map((tag) =>
      elementText(piece, tag),
    );
    const [bytes, storedMs] = [Number(size), Date.parse(stored ?? '')];
    if (key === undefined || !Number.isSafeInteger(bytes) || Number.isNaN(storedMs)) {
      throw new BucketError('the bucket sends a list that cannot be read');
    }
    yield { key, bytes, storedMs };
  }
}

/** Returns the text of the first element with a name. Names of backups need no escapes, and others are left alone. */
function elementText(text: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]{1,4096})</${tag}>`).exec(text)?.[1]?.replaceAll('&amp;', '&');
}
