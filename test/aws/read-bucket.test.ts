import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { readBucket } from '../../shared/platforms/aws/operations/read-bucket.ts';

test('all pages of a bucket are listed', async () => {
  const client = new S3Client({ region: 'eu-west-1' });
  const s3 = mockClient(client);
  s3.on(ListObjectsV2Command, { Bucket: 'files' })
    .resolvesOnce({
      Contents: [{ Key: 'a' }, {}],
      NextContinuationToken: 'more',
      IsTruncated: true,
    })
    .resolves({ Contents: [{ Key: 'b' }] });

  expect([...(await readBucket('files', client))]).toEqual(['a', 'b']);
  expect(s3.commandCalls(ListObjectsV2Command)).toHaveLength(2);
});
