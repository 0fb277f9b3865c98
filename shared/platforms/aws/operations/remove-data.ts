import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  HeadBucketCommand,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  DeleteSecretCommand,
  DescribeSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type LeftoverPart, patient, unlessGone } from './part.ts';
import type { StackResource } from './stack.ts';

/* The data, which a stack retains by default. Secret and key can be restored for seven days, and cost nothing then. */

const recoveryDays = 7;

type Resources = readonly StackResource[];

/** Returns a function that finds the resources of some types that exist. */
function finder(
  resources: Resources,
  types: readonly string[],
  exists: (name: string) => Promise<boolean>,
): LeftoverPart['find'] {
  return async () => {
    const named = resources.filter((one) => types.includes(one.type));
    const names = [...new Set(named.map(({ physicalId }) => physicalId))];
    const found = await Promise.all(names.map(exists));
    return names.filter((_, at) => found[at]);
  };
}

const tableTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'];

/** Tables, which are protected against deletion. */
export function tables(resources: Resources): LeftoverPart {
  const client = new DynamoDBClient(patient);
  const describe = async (TableName: string) =>
    (await unlessGone(client.send(new DescribeTableCommand({ TableName }))))?.Table;
  return {
    what: 'table',
    find: finder(resources, tableTypes, async (name) => {
      const status = (await describe(name))?.TableStatus;
      return status !== undefined && status !== 'DELETING';
    }),
    remove: async (TableName) => {
      if ((await describe(TableName))?.DeletionProtectionEnabled) {
        await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
        await waitUntilTableExists({ client, maxWaitTime: 300, minDelay: 1 }, { TableName });
      }
      await unlessGone(client.send(new DeleteTableCommand({ TableName })));
    },
  };
}

/** Buckets, with all versions of their files. */
export function buckets(
  resources: Resources,
): LeftoverPart & { readonly empty: LeftoverPart['remove'] } {
  const client = new S3Client(patient);
  const empty = (bucket: string) => emptyBucket(client, bucket);
  return {
    what: 'bucket',
    find: finder(resources, ['AWS::S3::Bucket'], async (Bucket) => {
      const found = await unlessGone(client.send(new HeadBucketCommand({ Bucket })));
      return found !== undefined;
    }),
    empty,
    remove: async (Bucket) => {
      await empty(Bucket);
      await unlessGone(client.send(new DeleteBucketCommand({ Bucket })));
    },
  };
}

async function emptyBucket(client: S3Client, Bucket: string): Promise<void> {
  for (;;) {
    // the first page again and again: those before are deleted
    const page = await client.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(
      ({ Key, VersionId }) => ({ Key: Key ?? '', VersionId }),
    );
    if (Objects.length === 0) return;
    const { Errors: [failed] = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    );
    if (failed !== undefined) throw new Error(`S3 has not deleted a file: ${failed.Code}`);
  }
}

/** Master secrets. */
export function secrets(resources: Resources): LeftoverPart {
  const client = new SecretsManagerClient(patient);
  return {
    what: 'secret',
    find: finder(resources, ['AWS::SecretsManager::Secret'], async (SecretId) => {
      const found = await unlessGone(client.send(new DescribeSecretCommand({ SecretId })));
      return found !== undefined && found.DeletedDate === undefined;
    }),
    remove: async (SecretId) => {
      await client.send(new DeleteSecretCommand({ SecretId, RecoveryWindowInDays: recoveryDays }));
    },
  };
}

/** Keys that encrypt credentials of push services. */
export function encryptionKeys(resources: Resources): LeftoverPart {
  const client = new KMSClient(patient);
  return {
    what: 'key',
    find: finder(resources, ['AWS::KMS::Key'], async (KeyId) => {
      const found = await unlessGone(client.send(new DescribeKeyCommand({ KeyId })));
      const state = found?.KeyMetadata?.KeyState;
      return state !== undefined && state !== 'PendingDeletion';
    }),
    remove: async (KeyId) => {
      await client.send(
        new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: recoveryDays }),
      );
    },
  };
}
