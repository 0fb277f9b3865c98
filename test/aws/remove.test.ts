import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DescribeLogGroupsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateFunctionCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  ListBucketsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreatePlatformApplicationCommand,
  ListPlatformApplicationsCommand,
  SNSClient,
} from '@aws-sdk/client-sns';
import { describe, expect, test } from 'vitest';
import { motoServer, startMoto } from '../aws-emulator/moto.ts';
import { recordBefore } from '../judges/recording-proxy.ts';
import { bundleProgram } from '../support/bundled-program.ts';

/* The command that deletes a deployment, on moto, a local stand-in for AWS that is used where it is installed. */

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const hasMoto = spawnSync(motoServer, ['--help']).status === 0;
if (!hasMoto) process.stdout.write('skipped: removal of a deployment needs moto_server\n');

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('bundle', { scope: 'file' }, ({}, { onCleanup }) => {
    const root = mkdtempSync(join(tmpdir(), 'groundwork-remove-'));
    onCleanup(() => rmSync(root, { recursive: true }));
    return bundleProgram('remove', root);
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above
  .extend('endpoint', { scope: 'file' }, async ({}, { onCleanup }) => {
    if (!hasMoto) return '';
    const moto = await startMoto();
    const proxy = await recordBefore(moto.url);
    onCleanup(() => {
      proxy.close();
      moto.stop();
    });
    return proxy.url;
  })
  .extend('given', ({ bundle, endpoint }) => setUp(bundle, endpoint));

describe.runIf(hasMoto)('a deployment', () => {
  it.beforeEach(async ({ endpoint }) => {
    await fetch(`${endpoint}/moto-api/reset`, { method: 'POST' });
  });

  const others = (stage: string) => ({
    functions: [`groundwork-${stage}-scr-x`], // not the name of a script's function
    logs: [`/aws/lambda/groundwork-${stage}-scr-x`],
  });

  it('is deleted with all that it has created, and a second run finds nothing', async ({
    given,
  }) => {
    const deployed = await given.deploy('test', retained);

    const first = await given.remove('--stage', 'test', '--yes');
    const second = await given.remove('--stage', 'test', '--yes');

    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('The stage test is deleted.\n');
    expect(first.stdout).toContain(`  functions of scripts: groundwork-test-scr-${hash('2')}\n`);
    expect(await given.left(deployed)).toEqual({
      ...others('test'),
      applications: 0,
      tables: 0,
      buckets: 0,
      key: false,
    });
    expect(second).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Nothing is left of the stage test.\n',
    });
  }, 120_000);

  it('keeps its data if requested; a later run deletes them too', async ({ given }) => {
    const deployed = await given.deploy('test', retained);

    const first = await given.remove('--stage', 'test', '--yes', '--keep-data');
    const kept = await given.left(deployed);
    const second = await given.remove('--stage', 'test', '--yes');

    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(kept).toEqual({
      ...others('test'),
      applications: 0,
      tables: 1,
      buckets: 1,
      key: true,
    });
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(await given.left(deployed)).toMatchObject({
      tables: 0,
      buckets: 0,
      key: false,
    });
  }, 120_000);

  it('is not deleted when its data would be lost although they are to be kept', async ({
    given,
  }) => {
    const deployed = await given.deploy('test', { DeletionPolicy: 'Delete' });

    const result = await given.remove('--stage', 'test', '--yes', '--keep-data');

    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('deploy it with -c keepData=true first');
    expect((await given.left(deployed)).functions).toHaveLength(3);
  }, 120_000);

  it('is not deleted unless its name is typed; other stages are not touched', async ({ given }) => {
    const deployed = await given.deploy('test', retained);

    const results = [
      await given.remove('--stage', 'test'),
      await given.remove('--stage', 'tes', '--yes'),
    ];

    expect(results.map(({ code }) => code)).toEqual([1, 0]);
    expect(results[0]?.stderr).toContain('remove: nothing is deleted\n');
    expect(results[1]?.stdout).toBe('Nothing is left of the stage tes.\n');
    expect(await given.left(deployed)).toMatchObject({ applications: 1, tables: 1, buckets: 1 });
  }, 120_000);
});

it.for<[string, string[], string]>([
  ['no stage', [], '--stage takes the name of a stage'],
  ['an invalid stage', ['--stage', 'A'], '--stage takes the name of a stage'],
  ['another option', ['--stage', 'test', '--force'], '--force'],
])(
  'a command line with %s is rejected',
  { timeout: 60_000 },
  async ([_, args, reason], { given }) => {
    const result = await given.remove(...args);

    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(reason);
  },
);

type Options = ReturnType<typeof optionsOf>;

/** The command, on moto. */
function setUp(bundle: string, endpoint: string) {
  const options = optionsOf(endpoint);
  return {
    remove: (...args: readonly string[]) => remove(bundle, endpoint, args),
    deploy: (stage: string, policy: object) => deploy(options, stage, policy),
    left: (deployed: Deployed) => left(options, deployed),
  };
}

function optionsOf(endpoint: string) {
  return {
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  };
}

async function remove(bundle: string, endpoint: string, args: readonly string[]) {
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const running = run(process.execPath, [bundle, ...args], { cwd: project, env });
  running.child.stdin?.end('something else\n');
  try {
    return { code: 0, ...(await running) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
const hash = (digit: string) => digit.repeat(24);

function template(policy: object) {
  return JSON.stringify({
    Resources: {
      DataTable: {
        Type: 'AWS::DynamoDB::Table', // moto does not know the type of the stack, AWS::DynamoDB::GlobalTable
        ...policy,
        Properties: {
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          DeletionProtectionEnabled: true,
        },
      },
      FilesBucket: { Type: 'AWS::S3::Bucket', ...policy },
      PushKey: {
        Type: 'AWS::KMS::Key',
        ...policy,
        Properties: { KeyPolicy: '{"Version":"2012-10-17","Statement":[]}' }, // moto reads only texts
      },
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Principal: { Service: 'lambda.amazonaws.com' },
                Action: 'sts:AssumeRole',
              },
            ],
          },
        },
      },
      Wake: { Type: 'AWS::SQS::Queue' },
    },
  });
}

interface Deployed {
  readonly bucket: string;
  readonly key: string;
}

async function deploy(options: Options, stage: string, policy: object): Promise<Deployed> {
  const cloud = new CloudFormationClient(options);
  const StackName = `Groundwork-${stage}`;
  await cloud.send(
    new CreateStackCommand({
      StackName,
      TemplateBody: template(policy),
      Capabilities: ['CAPABILITY_IAM'],
    }),
  );
  const { StackResources = [] } = await cloud.send(
    new DescribeStackResourcesCommand({ StackName }),
  );
  const id = (type: string) =>
    StackResources.find(({ ResourceType }) => ResourceType === type)?.PhysicalResourceId ?? '';
  const [bucket, role] = [id('AWS::S3::Bucket'), id('AWS::IAM::Role')];
  const s3 = new S3Client({ ...options, forcePathStyle: true });
  await s3.send(
    new PutBucketVersioningCommand({
      Bucket: bucket,
      VersioningConfiguration: { Status: 'Enabled' },
    }),
  );
  for (const Key of ['public/a', 'public/a', 'traces/b']) {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }));
  }
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'traces/b' }));
  const lambda = new LambdaClient(options);
  const names = [hash('1'), hash('2'), 'x'].map((end) => `groundwork-${stage}-scr-${end}`);
  for (const FunctionName of names) {
    await lambda.send(
      new CreateFunctionCommand({
        FunctionName,
        Runtime: 'nodejs20.x',
        Handler: 'index.handler',
        Role: `arn:aws:iam::123456789012:role/${role}`,
        Code: { ZipFile: new Uint8Array([0x50, 0x4b, 5, 6, ...Array(18).fill(0)]) },
      }),
    );
    const logs = new CloudWatchLogsClient(options);
    await logs.send(new CreateLogGroupCommand({ logGroupName: `/aws/lambda/${FunctionName}` }));
  }
  await new SNSClient(options).send(
    new CreatePlatformApplicationCommand({
      Name: `groundwork_${stage}_5_gcm`,
      Platform: 'GCM',
      Attributes: {},
    }),
  );
  return { bucket, key: id('AWS::KMS::Key') };
}

/** Returns the names of everything that exists. */
async function left(options: Options, { key }: Deployed) {
  const { Functions = [] } = await new LambdaClient(options).send(new ListFunctionsCommand());
  const { PlatformApplications = [] } = await new SNSClient(options).send(
    new ListPlatformApplicationsCommand(),
  );
  const { logGroups = [] } = await new CloudWatchLogsClient(options).send(
    new DescribeLogGroupsCommand(),
  );
  const { TableNames = [] } = await new DynamoDBClient(options).send(new ListTablesCommand());
  const { Buckets = [] } = await new S3Client(options).send(new ListBucketsCommand());
  const { KeyMetadata } = await new KMSClient(options).send(new DescribeKeyCommand({ KeyId: key }));
  return {
    functions: Functions.map(({ FunctionName }) => FunctionName),
    applications: PlatformApplications.length,
    logs: logGroups.map(({ logGroupName }) => logGroupName),
    tables: TableNames.length,
    buckets: Buckets.length,
    key: KeyMetadata?.KeyState === 'Enabled',
  };
}
