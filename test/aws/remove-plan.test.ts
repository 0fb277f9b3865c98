import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  ListStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import { DeleteFunctionCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
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
import { ListPlatformApplicationsCommand, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planDeploymentRemoval } from '../../shared/platforms/aws/operations/remove.ts';
import { recordMocked } from '../judges/recorded-requests.ts';

/* The removal of a deployment: pages, order, and errors. test/aws/remove.test.ts runs the command itself. */

const cloud = mockClient(CloudFormationClient);
const lambda = mockClient(LambdaClient);
const sns = mockClient(SNSClient);
const logs = mockClient(CloudWatchLogsClient);
const dynamo = mockClient(DynamoDBClient);
const s3 = mockClient(S3Client);
const secrets = mockClient(SecretsManagerClient);
const kms = mockClient(KMSClient);

const mocks = [cloud, lambda, sns, logs, dynamo, s3, secrets, kms];
afterEach(() => recordMocked(mocks));
afterAll(() => {
  for (const one of mocks) one.restore(); // other files of the same process use these classes
});

const nameOf = (n: number) => `groundwork-test-scr-${String(n).padStart(24, '0')}`;
const gone = (name: string) => Object.assign(new Error('it is gone'), { name });

/** Deletions in order. */
let done: string[];
let functions: string[];
let said: string[];
let versions: number;
let isProtected: boolean;

beforeEach(() => {
  for (const one of mocks) one.reset();
  done = [];
  said = [];
  functions = Array.from({ length: 120 }, (_, n) => nameOf(n));
  versions = 2500;
  isProtected = true;
  let isThere = true;
  cloud.on(ListStacksCommand).callsFake(() => ({
    StackSummaries: [
      { StackName: 'Groundwork-test', StackId: 'the-stack', StackStatus: 'CREATE_COMPLETE' },
      { StackName: 'Groundwork-test2', StackId: 'other', StackStatus: 'CREATE_COMPLETE' },
    ],
  }));
  cloud.on(ListStackResourcesCommand, { StackName: 'the-stack' }).callsFake(({ NextToken }) => {
    const summary = (ResourceType: string, PhysicalResourceId: string) => ({
      LogicalResourceId: 'a',
      ResourceType,
      PhysicalResourceId,
    });
    return NextToken === undefined
      ? {
          NextToken: 'more',
          StackResourceSummaries: [
            summary('AWS::DynamoDB::GlobalTable', 'the-table'),
            summary('AWS::S3::Bucket', 'the-bucket'),
          ],
        }
      : {
          StackResourceSummaries: [
            summary('AWS::SecretsManager::Secret', 'the-secret'),
            summary('AWS::KMS::Key', 'the-key'),
          ],
        };
  });
  cloud.on(DescribeStacksCommand).callsFake(() => ({
    Stacks: [
      { StackId: 'the-stack', StackStatus: isThere ? 'CREATE_COMPLETE' : 'DELETE_COMPLETE' },
    ],
  }));
  cloud.on(DeleteStackCommand).callsFake(() => {
    done.push('stack');
    isThere = false;
    functions.push(nameOf(500)); // the background function has just created it
    return {};
  });
  lambda.on(ListFunctionsCommand).callsFake(({ Marker = '0' }) => {
    const at = Number(Marker);
    const page = functions.slice(at, at + 50).map((FunctionName) => ({ FunctionName }));
    const isLast = at + 50 >= functions.length;
    return { Functions: page, ...(!isLast && { NextMarker: String(at + 50) }) };
  });
  lambda.on(DeleteFunctionCommand).callsFake(({ FunctionName }) => {
    functions = functions.filter((name) => name !== FunctionName);
    done.push('function');
    return {};
  });
  sns.on(ListPlatformApplicationsCommand).resolves({});
  logs.on(DescribeLogGroupsCommand).resolves({});
  dynamo.on(DescribeTableCommand).callsFake(() => ({
    Table: { TableStatus: 'ACTIVE', DeletionProtectionEnabled: isProtected },
  }));
  dynamo.on(UpdateTableCommand).callsFake(() => {
    isProtected = false;
    return {};
  });
  dynamo.on(DeleteTableCommand).callsFake(() => {
    if (isProtected) throw new Error('the table is protected');
    done.push('table');
    return {};
  });
  s3.on(HeadBucketCommand).resolves({});
  s3.on(ListObjectVersionsCommand).callsFake(() => ({
    Versions: Array.from({ length: Math.min(1000, versions) }, (_, n) => ({
      Key: `${versions - n}`,
      VersionId: 'v',
    })),
  }));
  s3.on(DeleteObjectsCommand).callsFake(({ Delete: { Objects } }) => {
    versions -= Objects.length;
    return {};
  });
  s3.on(DeleteBucketCommand).callsFake(() => {
    if (versions > 0) throw new Error('the bucket is not empty');
    done.push('bucket');
    return {};
  });
  secrets.on(DescribeSecretCommand).resolves({});
  secrets.on(DeleteSecretCommand, { RecoveryWindowInDays: 7 }).callsFake(() => {
    done.push('secret');
    return {};
  });
  kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: 'k', KeyState: 'Enabled' } });
  kms.on(ScheduleKeyDeletionCommand, { PendingWindowInDays: 7 }).callsFake(() => {
    done.push('key');
    return {};
  });
});

const plan = () =>
  planDeploymentRemoval({ stage: 'test', keepData: false, say: (line) => void said.push(line) });
const without = (what: string) => done.filter((one) => one !== what);

describe('a removal', () => {
  test('reads all pages, empties the bucket first, and deletes the data after the stack', async () => {
    const { lines, run } = await plan();
    const failures = await run();

    expect(lines).toHaveLength(120 + 5);
    expect(failures).toBe(0);
    expect(functions).toEqual([]);
    expect(done.indexOf('stack')).toBe(120);
    expect(done[121]).toBe('function'); // the one that was created meanwhile
    expect(without('function')).toEqual(['stack', 'table', 'bucket', 'secret', 'key']);
    expect(versions).toBe(0);
  });

  test('continues after errors, and counts them', async () => {
    secrets.on(DeleteSecretCommand).rejects(new Error('not now'));
    lambda
      .on(DeleteFunctionCommand, { FunctionName: nameOf(7) })
      .rejects(gone('ResourceNotFoundException'))
      .on(DeleteFunctionCommand, { FunctionName: nameOf(8) })
      .rejects(new Error('denied'));

    const failures = await (await plan()).run();

    expect(failures).toBe(3); // the function is tried twice
    expect(without('function')).toEqual(['stack', 'table', 'bucket', 'key']);
    expect(said).toContain('failed: secret: the-secret: not now');
    expect(said).toContain(`failed: functions of scripts: ${nameOf(8)}: denied`);
  });

  test('keeps the data while the stack cannot be deleted', async () => {
    cloud.on(DeleteStackCommand).rejects(new Error('it is protected'));

    const failures = await (await plan()).run();

    expect(failures).toBe(1);
    expect(without('function')).toEqual([]);
    expect(said.at(-1)).toBe('The data are not deleted, because the stack is still there.');
  });

  test('of a deployment that is gone finds nothing', async () => {
    cloud.on(ListStacksCommand).resolves({
      StackSummaries: [
        {
          StackName: 'Groundwork-test',
          StackId: 'the-stack',
          StackStatus: 'DELETE_COMPLETE',
          CreationTime: new Date(0),
        },
      ],
    });
    functions = [];
    dynamo.on(DescribeTableCommand).rejects(gone('ResourceNotFoundException'));
    s3.on(HeadBucketCommand).rejects(gone('NotFound'));
    secrets.on(DescribeSecretCommand).resolves({ DeletedDate: new Date(0) });
    kms.on(DescribeKeyCommand).resolves({
      KeyMetadata: { KeyId: 'k', KeyState: 'PendingDeletion' },
    });

    const { lines, run } = await plan();

    expect([lines, await run(), done]).toEqual([[], 0, []]);
  });
});
