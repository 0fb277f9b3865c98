import { spawnSync } from 'node:child_process';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { CloudFrontClient, ListDistributionsCommand } from '@aws-sdk/client-cloudfront';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient, ListKeysCommand } from '@aws-sdk/client-kms';
import {
  GetAccountSettingsCommand,
  LambdaClient,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { ListPlatformApplicationsCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runPreflight } from '../../lib/preflight/preflight.ts';
import { readDeploymentSettings } from '../../lib/settings.ts';
import { recordMocked } from '../judges/recorded-requests.ts';
import { oneOf } from '../support/sample.ts';

const sts = mockClient(STSClient);
const stacks = mockClient(CloudFormationClient);
const lambda = mockClient(LambdaClient);
const mail = mockClient(SESv2Client);
const tables = mockClient(DynamoDBClient);
const buckets = mockClient(S3Client);
const secrets = mockClient(SecretsManagerClient);
const keys = mockClient(KMSClient);
const logs = mockClient(CloudWatchLogsClient);
const push = mockClient(SNSClient);
const cdn = mockClient(CloudFrontClient);
const mocks = [sts, cdn, stacks, lambda, mail, tables, buckets, secrets, keys, logs, push];
const script = `groundwork-prod-scr-${'0'.repeat(24)}`;
afterEach(() => recordMocked(mocks));
afterAll(() => {
  for (const mock of mocks) mock.restore();
  vi.unstubAllEnvs();
});

/** An account that is ready, without an earlier deployment. */
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  for (const mock of mocks) mock.reset();
  sts
    .on(GetCallerIdentityCommand)
    .resolves({ Account: '111122223333', Arn: 'arn:aws:iam::1:user/ada' });
  stacks.on(DescribeStacksCommand).rejects(named('ValidationError'));
  hasBootstrap('21');
  stacks.on(ListStackResourcesCommand).resolves({});
  hasDistributions(1);
  hasQuota(1000, 1000);
  mail.on(GetAccountCommand).resolves({ ProductionAccessEnabled: true });
  mail.on(GetEmailIdentityCommand).rejects(named('NotFoundException'));
  hasFunctions();
  tables.on(ListTablesCommand).resolves({ TableNames: ['Groundwork-test-Data', 'other'] });
  buckets.on(ListBucketsCommand).resolves({ Buckets: [{ Name: 'other' }] });
  secrets.on(ListSecretsCommand).resolves({});
  keys.on(ListKeysCommand).resolves({});
  logs.on(DescribeLogGroupsCommand).resolves({});
  push.on(ListPlatformApplicationsCommand).resolves({});
});

function named(name: string): Error {
  return Object.assign(new Error('no'), { name });
}

function hasBootstrap(OutputValue: string): void {
  const Outputs = [{ OutputKey: 'BootstrapVersion', OutputValue }];
  hasStack('CDKToolkit', { StackStatus: 'UPDATE_COMPLETE', Outputs });
}

function hasStack(StackName: string, stack: object): void {
  const described = {
    StackName,
    CreationTime: new Date(0),
    StackStatus: 'CREATE_COMPLETE' as const,
  };
  stacks
    .on(DescribeStacksCommand, { StackName })
    .resolves({ Stacks: [{ ...described, ...stack }] });
}

function hasQuota(ConcurrentExecutions: number, UnreservedConcurrentExecutions: number): void {
  const AccountLimit = { ConcurrentExecutions, UnreservedConcurrentExecutions };
  lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit });
}

function hasDistributions(Quantity: number): void {
  const DistributionList = { Quantity, Marker: '', MaxItems: 1, IsTruncated: Quantity > 1 };
  cdn.on(ListDistributionsCommand).resolves({ DistributionList });
}

function hasFunctions(...names: readonly string[]): void {
  lambda
    .on(ListFunctionsCommand)
    .resolves({ Functions: names.map((FunctionName) => ({ FunctionName })) });
}

async function check(context: Readonly<Record<string, unknown>> = {}) {
  const settings = readDeploymentSettings({ tryGetContext: (name: string) => context[name] });
  return runPreflight(settings);
}

async function problems(context: Readonly<Record<string, unknown>> = { cdn: 'false' }) {
  const findings = await check(context);
  return findings
    .filter(({ level }) => level !== 'ok')
    .map(({ level, about, text }) => `${level} ${about}: ${text}`);
}

test('an account that is ready has no problem', async () => {
  expect(await problems({})).toEqual([]);
});

test('without credentials nothing else is asked', async () => {
  sts.on(GetCallerIdentityCommand).rejects(named('ExpiredToken'));

  expect(await check()).toEqual([
    {
      level: 'error',
      about: 'credentials',
      text: expect.stringMatching('ExpiredToken.*AWS_REGION'),
    },
  ]);
  expect(stacks.calls()).toEqual([]);
});

describe('an error or a warning names', () => {
  const old = 'Groundwork-prod-DataTable-1';
  const runs = 'groundwork-prod-script-runs';
  test.each<[string, () => unknown, object, string]>([
    [
      'a missing bootstrap',
      () =>
        stacks
          .on(DescribeStacksCommand, { StackName: 'CDKToolkit' })
          .rejects(named('ValidationError')),
      {},
      'error bootstrap: .*npx cdk bootstrap',
    ],
    ['an old bootstrap', () => hasBootstrap('3'), {}, 'error bootstrap: .*version 3 is too old'],
    [
      'a stack that was never completed',
      () => hasStack('Groundwork-prod', { StackStatus: 'ROLLBACK_COMPLETE' }),
      {},
      'error stack: .*npx cdk destroy',
    ],
    [
      'a stack that is changing',
      () => hasStack('Groundwork-prod', { StackStatus: 'UPDATE_IN_PROGRESS' }),
      {},
      'error stack: .*Wait',
    ],
    [
      'the quota of a new account',
      () => hasQuota(10, 10),
      { concurrency: '10' },
      'warning Lambda: only 10 functions',
    ],
    [
      'the setting for another quota than the usual one',
      () => hasQuota(500, 500),
      {},
      'warning Lambda: .*-c concurrency=500$',
    ],
    [
      'the setting that does not fit the quota',
      () => hasQuota(3000, 3000),
      { concurrency: '2000' },
      'warning Lambda: .*quota of 2000: .*-c concurrency=3000$',
    ],
    [
      'an account that may be refused a CDN',
      () => hasDistributions(0),
      { cdn: 'true' },
      'error CloudFront: .*-c cdn=false',
    ],
    [
      'a reservation that does not fit',
      () => hasQuota(140, 140),
      { pollConcurrency: 50 },
      'error Lambda: .*reserve 50 of 140, and 40',
    ],
    [
      'a reservation that leaves too little',
      () => hasQuota(1000, 150),
      { pollConcurrency: 51 },
      'error Lambda: .*and 50 can',
    ],
    [
      'a sender that is not verified',
      () => undefined,
      { mailFrom: 'Us <us@example.com>' },
      'error mails: neither us@example.com nor example.com',
    ],
    [
      'the sandbox of SES',
      () => {
        mail
          .on(GetEmailIdentityCommand, { EmailIdentity: 'example.com' })
          .resolves({ VerifiedForSendingStatus: true });
        mail.on(GetAccountCommand).resolves({ ProductionAccessEnabled: false });
      },
      { mailFrom: 'us@example.com' },
      'warning mails: .*sandbox',
    ],
    [
      'an old table',
      () => tables.on(ListTablesCommand).resolves({ TableNames: [old] }),
      {},
      `warning old tables: ${old}`,
    ],
    [
      'an old bucket',
      () =>
        buckets.on(ListBucketsCommand).resolves({ Buckets: [{ Name: 'groundwork-prod-files-1' }] }),
      {},
      'warning old buckets: groundwork-prod-files-1',
    ],
    [
      'an old secret',
      () =>
        secrets.on(ListSecretsCommand).resolves({
          SecretList: [
            {
              ARN: 'arn:1',
              Tags: [{ Key: 'aws:cloudformation:stack-name', Value: 'Groundwork-prod' }],
            },
            { ARN: 'arn:2' },
          ],
        }),
      {},
      'warning old secrets: arn:1: ',
    ],
    [
      'an old key',
      () => {
        keys.on(ListKeysCommand).resolves({ Keys: [{ KeyId: 'k' }] });
        keys.on(DescribeKeyCommand).resolves({
          KeyMetadata: { KeyId: 'k', Enabled: true, Description: 'Groundwork prod: encrypts' },
        });
      },
      {},
      'warning old keys: k: ',
    ],
    [
      'old logs',
      () =>
        logs
          .on(DescribeLogGroupsCommand)
          .resolves({ logGroups: [{ logGroupName: 'Groundwork-prod-Log' }] }),
      {},
      'warning old logs: Groundwork-prod-Log',
    ],
    [
      'old functions of scripts',
      () => hasFunctions(script, `groundwork-test-scr-${'0'.repeat(24)}`),
      {},
      `warning old functions of scripts: ${script}: `,
    ],
    [
      'functions that are not in the stack',
      () => hasFunctions(runs, 'groundwork-prod-classes', 'groundwork-prod-x-classes'),
      {},
      `error old functions: groundwork-prod-classes, ${runs}: `,
    ],
    [
      'an old push application',
      () =>
        push.on(ListPlatformApplicationsCommand).resolves({
          PlatformApplications: [
            { PlatformApplicationArn: 'arn:aws:sns:eu-west-1:1:app/GCM/groundwork_prod_3' },
          ],
        }),
      {},
      'warning old push applications: ',
    ],
    [
      'a check without permission',
      () => tables.on(ListTablesCommand).rejects(named('AccessDeniedException')),
      {},
      'warning old tables: could not be checked .AccessDenied',
    ],
  ])('%s', async (_name, prepare, context, expected) => {
    prepare();

    expect(await problems({ cdn: 'false', ...context })).toEqual([
      expect.stringMatching(`^${expected}`),
    ]);
  });
});

test('what belongs to the stack is not left over', async () => {
  const ids = [
    ['Groundwork-prod-DataTable-1', 'AWS::DynamoDB::GlobalTable'],
    ['groundwork-prod-script-runs', 'AWS::Lambda::Function'],
    ['E1', 'AWS::CloudFront::Distribution'],
  ];
  hasStack('Groundwork-prod', {});
  stacks.on(ListStackResourcesCommand).resolves({
    StackResourceSummaries: ids.map(([PhysicalResourceId, ResourceType]) => ({
      PhysicalResourceId,
      ResourceType,
      LogicalResourceId: 'x',
      LastUpdatedTimestamp: new Date(0),
      ResourceStatus: 'CREATE_COMPLETE',
    })),
  });
  tables.on(ListTablesCommand).resolves({ TableNames: ['Groundwork-prod-DataTable-1'] });
  hasFunctions('groundwork-prod-script-runs', script);

  expect(await problems({})).toEqual([]);
});

describe('a stack with a key of push credentials', () => {
  beforeEach(() => {
    hasStack('Groundwork-prod', {});
    stacks.on(ListStackResourcesCommand).resolves({
      StackResourceSummaries: [
        {
          PhysicalResourceId: 'the-key',
          ResourceType: 'AWS::KMS::Key',
          LogicalResourceId: 'x',
          LastUpdatedTimestamp: new Date(0),
          ResourceStatus: 'CREATE_COMPLETE',
        },
      ],
    });
  });
  const keyArn = (id: string) => `arn:aws:kms:eu-west-1:111122223333:key/${id}`;

  test.each([
    ['by a deployment without it', {}],
    ['by one with another key', { keyArn: keyArn('another') }],
  ])('does not lose it in silence, %s', async (_, context) => {
    expect(await problems({ cdn: 'false', ...context })).toEqual([
      expect.stringMatching(
        /^error push credentials: .*the-key.*-c kmsKey=true.*-c keyArn=.*upload all credentials/,
      ),
    ]);
  });

  test.each([[{ kmsKey: 'true' }], [{ keyArn: keyArn('the-key') }]])(
    'keeps it by %o',
    async (kept) => {
      expect(await problems({ cdn: 'false', ...kept })).toEqual([]);
    },
  );

  test.each([
    [{}, true],
    [{ kmsKey: 'true' }, true],
    [{ keyArn: keyArn('another') }, true],
    [{ keyArn: keyArn('adopted') }, false],
  ])('of another stack is not lost in silence by %o', async (context, isLost) => {
    hasStack('Groundwork-prod', {
      Outputs: [{ OutputKey: 'PushKeyArn', OutputValue: keyArn('adopted') }],
    });
    stacks.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: [] });

    const found = await problems({ cdn: 'false', ...context });
    expect(found.filter((each) => each.includes('the key adopted'))).toHaveLength(isLost ? 1 : 0);
  });
});

const commandLines: [string[], number, string][] = [
  [['--help'], 0, 'Usage: npm run preflight'],
  [['-c', 'stage'], 2, '-c takes NAME=VALUE'],
  [['-c', 'keepData=maybe'], 2, '-c keepData takes true or false'],
  [['-c', 'stage=test'], 1, 'error    credentials: none that work'],
];

test.each(oneOf(commandLines, 3))('the command with %o ends with %i', (args, status, text) => {
  const env = { PATH: process.env.PATH, AWS_EC2_METADATA_DISABLED: 'true', HOME: '/nonexistent' };

  const done = spawnSync(process.execPath, ['--import', 'tsx', 'bin/preflight.ts', ...args], {
    env,
    encoding: 'utf8',
  });

  expect(done.stdout + done.stderr).toContain(text);
  expect(done.status).toBe(status);
});
