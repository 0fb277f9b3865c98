import { paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';

/** Lists the keys of all objects of a bucket, a thousand in a request. */
export async function readBucket(
  bucket: string,
  client = new S3Client({}),
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    for (const { Key } of Contents) if (Key !== undefined) keys.add(Key);
  }
  return keys;
}
