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
import { afterAll, afterEach, describe, expect, test } from 'vitest';
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

const it = test.extend('given', () => setUp());

describe('a removal', () => {
  it('reads all pages, empties the bucket first, and deletes the data after the stack', async ({
    given,
  }) => {
    const { lines, run } = await plan(given);
    const failures = await run();

    expect(lines).toHaveLength(120 + 5);
    expect(failures).toBe(0);
    expect(given.functions).toEqual([]);
    expect(given.done.indexOf('stack')).toBe(120);
    expect(given.done[121]).toBe('function'); // the one that was created meanwhile
    expect(without(given, 'function')).toEqual(['stack', 'table', 'bucket', 'secret', 'key']);
    expect(given.versions).toBe(0);
  });

  it('continues after errors, and counts them', async ({ given }) => {
    secrets.on(DeleteSecretCommand).rejects(new Error('not now'));
    lambda
      .on(DeleteFunctionCommand, { FunctionName: nameOf(7) })
      .rejects(gone('ResourceNotFoundException'))
      .on(DeleteFunctionCommand, { FunctionName: nameOf(8) })
      .rejects(new Error('denied'));

    const failures = await (await plan(given)).run();

    expect(failures).toBe(3); // the function is tried twice
    expect(without(given, 'function')).toEqual(['stack', 'table', 'bucket', 'key']);
    expect(given.said).toContain('failed: secret: the-secret: not now');
    expect(given.said).toContain(`failed: functions of scripts: ${nameOf(8)}: denied`);
  });

  it('keeps the data while the stack cannot be deleted', async ({ given }) => {
    cloud.on(DeleteStackCommand).rejects(new Error('it is protected'));

    const failures = await (await plan(given)).run();

    expect(failures).toBe(1);
    expect(without(given, 'function')).toEqual([]);
    expect(given.said.at(-1)).toBe('The data are not deleted, because the stack is still there.');
  });

  it('of a deployment that is gone finds nothing', async ({ given }) => {
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
    given.functions = [];
    dynamo.on(DescribeTableCommand).rejects(gone('ResourceNotFoundException'));
    s3.on(HeadBucketCommand).rejects(gone('NotFound'));
    secrets.on(DescribeSecretCommand).resolves({ DeletedDate: new Date(0) });
    kms.on(DescribeKeyCommand).resolves({
      KeyMetadata: { KeyId: 'k', KeyState: 'PendingDeletion' },
    });

    const { lines, run } = await plan(given);

    expect([lines, await run(), given.done]).toEqual([[], 0, []]);
  });
});

type Given = ReturnType<typeof setUp>;

/** A deployment, and what is deleted of it. */
function setUp() {
  for (const one of mocks) one.reset();
  const given = {
    done: [] as string[], // deletions in order
    said: [] as string[],
    functions: Array.from({ length: 120 }, (_, n) => nameOf(n)),
    versions: 2500,
    isProtected: true,
  };
  stubStack(given);
  stubFunctions(given);
  stubTable(given);
  stubFiles(given);
  stubKeys(given);
  sns.on(ListPlatformApplicationsCommand).resolves({});
  logs.on(DescribeLogGroupsCommand).resolves({});
  return given;
}

function stubStack(given: Given): void {
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
    given.done.push('stack');
    isThere = false;
    given.functions.push(nameOf(500)); // the background function has just created it
    return {};
  });
}

function stubFunctions(given: Given): void {
  lambda.on(ListFunctionsCommand).callsFake(({ Marker = '0' }) => {
    const at = Number(Marker);
    const page = given.functions.slice(at, at + 50).map((FunctionName) => ({ FunctionName }));
    const isLast = at + 50 >= given.functions.length;
    return { Functions: page, ...(!isLast && { NextMarker: String(at + 50) }) };
  });
  lambda.on(DeleteFunctionCommand).callsFake(({ FunctionName }) => {
    given.functions = given.functions.filter((name) => name !== FunctionName);
    given.done.push('function');
    return {};
  });
}

function stubTable(given: Given): void {
  dynamo.on(DescribeTableCommand).callsFake(() => ({
    Table: { TableStatus: 'ACTIVE', DeletionProtectionEnabled: given.isProtected },
  }));
  dynamo.on(UpdateTableCommand).callsFake(() => {
    given.isProtected = false;
    return {};
  });
  dynamo.on(DeleteTableCommand).callsFake(() => {
    if (given.isProtected) throw new Error('the table is protected');
    given.done.push('table');
    return {};
  });
}

function stubFiles(given: Given): void {
  s3.on(HeadBucketCommand).resolves({});
  s3.on(ListObjectVersionsCommand).callsFake(() => ({
    Versions: Array.from({ length: Math.min(1000, given.versions) }, (_, n) => ({
      Key: `${given.versions - n}`,
      VersionId: 'v',
    })),
  }));
  s3.on(DeleteObjectsCommand).callsFake(({ Delete: { Objects } }) => {
    given.versions -= Objects.length;
    return {};
  });
  s3.on(DeleteBucketCommand).callsFake(() => {
    if (given.versions > 0) throw new Error('the bucket is not empty');
    given.done.push('bucket');
    return {};
  });
}

function stubKeys(given: Given): void {
  secrets.on(DescribeSecretCommand).resolves({});
  secrets.on(DeleteSecretCommand, { RecoveryWindowInDays: 7 }).callsFake(() => {
    given.done.push('secret');
    return {};
  });
  kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: 'k', KeyState: 'Enabled' } });
  kms.on(ScheduleKeyDeletionCommand, { PendingWindowInDays: 7 }).callsFake(() => {
    given.done.push('key');
    return {};
  });
}

const plan = ({ said }: Given) =>
  planDeploymentRemoval({ stage: 'test', keepData: false, say: (line) => void said.push(line) });
const without = ({ done }: Given, what: string) => done.filter((one) => one !== what);
