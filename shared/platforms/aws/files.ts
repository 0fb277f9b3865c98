import type { S3Client } from '@aws-sdk/client-s3';
import {
  type ContentHead,
  type FileContent,
  type FileStore,
  type NamedContent,
  privateCaching,
  signedSeconds,
  type UploadForm,
  type UploadTerms,
} from '../../ports/file-store.ts';
import { withOrigin } from '../../values/caught.ts';
import { checkOwned, type FileKey, folderPrefix } from '../../values/file-keys.ts';
import { clientLimits, naming } from './sdk/client.ts';

/** The location of files. */
export interface FilesOptions {
  readonly bucket: string;
  /** Address of the CDN that serves what is under `public/`, without a slash at the end. */
  readonly address: string;
  /** Created with the first request when absent. */
  readonly client?: S3Client;
}

// most requests do not use files: the SDK, and what only uploads need, are loaded by the first one that does
const sdk = () => import('@aws-sdk/client-s3');
const forms = () => import('@aws-sdk/s3-presigned-post');
const presigner = () => import('@aws-sdk/s3-request-presigner');
const uploads = () => import('../../values/uploads.ts');

/** Some megabytes in transit inside a region take a second; three tries fit into the time of a function. */
const limits = { requestMs: 8000, maxAttempts: 3 };
const maxKeysPerCall = 1000;
/** Caches may keep a file this long, so a deleted one may remain visible. As on one machine. */
const caching = 'public, max-age=3600';

/**
 * Opens the files of a deployment: objects of a bucket. Every request to S3 here is idempotent, so the SDK retries
 * those that fail or whose response was lost. Sends no request by itself.
 */
export function openFiles({ bucket, address, client }: FilesOptions): FileStore {
  let opened: S3Client | undefined;
  const connect = async (): Promise<Bucket> => {
    const s3 = await sdk();
    opened ??= naming(client ?? new s3.S3Client(clientLimits(limits)));
    return { s3, client: opened, name: bucket };
  };
  return {
    address: () => address,
    signedAddresses: async (owner, keys) => {
      checkOwned(owner, ...keys);
      return signAll(await connect(), keys);
    },
    put: async (owner, key, file) => {
      checkOwned(owner, key);
      await put(await connect(), key, file);
    },
    get: async (owner, key) => {
      checkOwned(owner, key);
      return get(await connect(), key);
    },
    size: async (owner, key) => {
      checkOwned(owner, key);
      return size(await connect(), key);
    },
    copy: async (from, to) => {
      checkOwned(from.owner, from.key);
      checkOwned(to.owner, to.key);
      return copy(await connect(), from.key, to.key);
    },
    remove: async (owner, keys) => {
      checkOwned(owner, ...keys);
      await remove(await connect(), keys);
    },
    removeAll: async (folder) => {
      const prefix = folderPrefix(folder);
      await removeAll(await connect(), prefix);
    },
    openUpload: async (owner, key, terms) => {
      checkOwned(owner, key);
      return openUpload(await connect(), key, terms);
    },
  };
}

interface Bucket {
  readonly s3: Awaited<ReturnType<typeof sdk>>;
  readonly client: S3Client;
  readonly name: string;
}

/** Signs addresses of S3 itself: private files never pass the CDN. The signature covers method, key and headers. */
async function signAll(
  { s3, client, name }: Bucket,
  keys: readonly FileKey[],
): Promise<readonly string[]> {
  const { getSignedUrl } = await presigner();
  return Promise.all(
    keys.map((Key) => {
      const input = { Bucket: name, Key, ResponseCacheControl: privateCaching };
      return getSignedUrl(client, new s3.GetObjectCommand(input), { expiresIn: signedSeconds });
    }),
  );
}

async function put({ s3, client, name }: Bucket, key: FileKey, file: NamedContent): Promise<void> {
  await client.send(
    new s3.PutObjectCommand({
      Bucket: name,
      Key: key,
      Body: file.bytes,
      ...(await headersOf(file)),
    }),
  );
}

/** Returns headers that S3 keeps with a file and returns with it. */
async function headersOf({ contentType, filename }: ContentHead) {
  const { dispositionOf } = await uploads();
  return {
    ContentType: contentType,
    ContentDisposition: dispositionOf(contentType, filename),
    CacheControl: caching,
  };
}

async function get({ s3, client, name }: Bucket, key: FileKey): Promise<FileContent | undefined> {
  const found = await unlessMissing(
    client.send(new s3.GetObjectCommand({ Bucket: name, Key: key })),
  );
  if (found?.Body === undefined) return undefined;
  return { bytes: await found.Body.transformToByteArray(), contentType: found.ContentType ?? '' };
}

async function size({ s3, client, name }: Bucket, key: FileKey): Promise<number | undefined> {
  const found = await unlessMissing(
    client.send(new s3.HeadObjectCommand({ Bucket: name, Key: key })),
  );
  return found && (found.ContentLength ?? 0);
}

/** Copies a file with all headers that S3 keeps of the source: type, disposition with the name, caching. */
async function copy({ s3, client, name }: Bucket, from: FileKey, to: FileKey): Promise<boolean> {
  const CopySource = `${name}/${from}`; // keys need no escapes
  const copied = client.send(new s3.CopyObjectCommand({ Bucket: name, Key: to, CopySource }));
  return (await unlessMissing(copied)) !== undefined;
}

async function remove({ s3, client, name }: Bucket, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += maxKeysPerCall) {
    const Objects = keys.slice(at, at + maxKeysPerCall).map((Key) => ({ Key }));
    const { Errors: [failed] = [] } = await client.send(
      new s3.DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } }),
    );
    if (failed !== undefined) {
      const error = new Error(`S3 has not removed a file: ${failed.Code}`);
      throw withOrigin(error, { service: 'S3', action: 'DeleteObjects' });
    }
  }
}

async function removeAll(bucket: Bucket, prefix: string): Promise<void> {
  const { s3, client, name } = bucket;
  let token: string | undefined;
  do {
    const page = await client.send(
      new s3.ListObjectsV2Command({ Bucket: name, Prefix: prefix, ContinuationToken: token }),
    );
    const keys = (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
    await remove(bucket, keys);
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

async function openUpload(
  { client, name }: Bucket,
  key: FileKey,
  { contentType, filename, maxBytes, seconds }: UploadTerms,
): Promise<UploadForm> {
  const [{ createPresignedPost }, { dispositionOf }] = await Promise.all([forms(), uploads()]);
  return createPresignedPost(client, {
    Bucket: name,
    Key: key,
    Expires: seconds,
    Fields: {
      'Content-Type': contentType,
      'Content-Disposition': dispositionOf(contentType, filename),
      'Cache-Control': caching,
    },
    Conditions: [['content-length-range', 1, maxBytes]],
  });
}

const missing: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound']);

async function unlessMissing<Output>(result: Promise<Output>): Promise<Output | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && missing.has(error.name)) return undefined;
    throw error;
  }
}
