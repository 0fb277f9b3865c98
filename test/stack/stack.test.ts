import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { api } from '../../functions/api.ts';
import { grantsOf } from '../../lib/grants.ts';
import { describeIgnored } from '../../lib/settings.ts';
import {
  partitionKey,
  sortKey,
  tableIndexes,
  timeToLive,
} from '../../shared/platforms/aws/store/table.ts';
import type { TableUse } from '../../shared/ports/grants.ts';
import type { Statement } from '../aws-emulator/policies.ts';
import { inStackFolder, synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, openStackIn } from '../support/template.ts';

// the tests of one template are in one file: each process that loads the CDK and makes it takes 3 CPU seconds
import './adopted.ts';
import './alarms.ts';
import './background.ts';
import './names.ts';
import './options.ts';
import './reference.ts';
import './routes.ts';
import './scripts.ts';

const template = synthesise();
const { id: tableId, resource: table } = onlyOne(template, 'AWS::DynamoDB::GlobalTable');
const { id: secretId, resource: secret } = onlyOne(template, 'AWS::SecretsManager::Secret');
const { id: bucketId, resource: bucket } = onlyOne(template, 'AWS::S3::Bucket');
const { id: cdnId, resource: cdn } = onlyOne(template, 'AWS::CloudFront::Distribution');
const functions = deployedFunctions(template);
/** Kept by updates and deletions of the stack, but deleted by a first deployment that fails. */
const outliving = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };

/** Returns the reserved executions of functions that have any. */
function reservationsOf(of: typeof template): readonly unknown[] {
  return deployedFunctions(of)
    .map(({ family, properties }) => [family, properties.ReservedConcurrentExecutions])
    .filter(([, count]) => count !== undefined);
}

describe('the table', () => {
  test('has the keys and indexes of its description', () => {
    const keySchema = (range: string) => [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];

    expect(table.Properties.KeySchema).toEqual(keySchema(sortKey));
    expect(table.Properties.GlobalSecondaryIndexes).toEqual(
      tableIndexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index.sortKey),
        Projection: { ProjectionType: index.projection },
      })),
    );
    expect(tableIndexes).toHaveLength(19); // the quota is 20
  });

  test('is on demand, streams changes, deletes expired items, and outlives the stack', () => {
    const { BillingMode, StreamSpecification, TimeToLiveSpecification, Replicas } =
      table.Properties;

    expect(BillingMode).toBe('PAY_PER_REQUEST');
    expect(StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(TimeToLiveSpecification).toEqual({ AttributeName: timeToLive, Enabled: true });
    expect(Replicas).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: false, // a first deployment that fails could not delete it
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ]);
    expect(table).toMatchObject({ ...outliving });
  });
});

describe('the master secret', () => {
  test('has unchanged properties: any change would create a new secret and invalidate every key', () => {
    expect(secret.Properties.GenerateSecretString).toEqual({
      ExcludeCharacters: 'ghijklmnopqrstuvwxyz',
      ExcludePunctuation: true,
      ExcludeUppercase: true,
      PasswordLength: 64,
      RequireEachIncludedType: false,
    });
    expect([secretId, Object.keys(secret.Properties)]).toEqual([
      'MasterSecretEAC4CADE',
      ['Description', 'GenerateSecretString'],
    ]);
  });

  test('outlives the stack', () => {
    expect(secret).toMatchObject({ ...outliving });
  });
});

test('push credentials need no key of KMS', () => {
  expect(template.findResources('AWS::KMS::Key')).toEqual({});
  expect(JSON.stringify(functions)).not.toMatch(/kms:|GROUNDWORK_VAULT/);
});

test('table and bucket keep their identity: with others the data would be lost', () => {
  expect([tableId, bucketId]).toEqual(['DataTableFDBAD0F2', 'FilesBucket7C17EE2E']);
});

describe('files', () => {
  test('are private, encrypted, restorable, and outlive the stack', () => {
    expect(bucket.Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      BucketEncryption: expect.anything(),
      VersioningConfiguration: { Status: 'Enabled' },
    });
    expect(bucket).toMatchObject({ ...outliving });
  });

  test('unused uploads are deleted, and so are old versions and dead letters', () => {
    expect(bucket.Properties.LifecycleConfiguration.Rules).toEqual([
      {
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        ExpiredObjectDeleteMarker: true,
        NoncurrentVersionExpiration: { NoncurrentDays: 35 },
        Status: 'Enabled',
      },
      {
        ExpirationInDays: 1,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
        Prefix: 'uploads/',
        Status: 'Enabled',
      },
      {
        ExpirationInDays: 1,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
        Prefix: 'traces/',
        Status: 'Enabled',
      },
      ...['dead-letters/', 'aws/lambda/'].map((Prefix) => ({
        ExpirationInDays: 30,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
        Prefix,
        Status: 'Enabled',
      })),
    ]);
  });

  test('can be posted by pages of any origin, and read through the CDN or with a signature', () => {
    const policy = onlyOne(template, 'AWS::S3::BucketPolicy').resource.Properties.PolicyDocument;
    const allowed = policy.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow');

    expect(bucket.Properties.CorsConfiguration.CorsRules).toEqual([
      {
        AllowedHeaders: ['*'],
        AllowedMethods: ['POST', 'GET', 'HEAD'],
        AllowedOrigins: ['*'],
        ExposedHeaders: ['Accept-Ranges', 'Content-Range', 'ETag'],
      },
    ]);
    expect(allowed).toEqual(
      ['s3:GetObject', 's3:ListBucket'].map((Action) =>
        expect.objectContaining({
          Action,
          Principal: { Service: 'cloudfront.amazonaws.com' },
          Condition: { StringEquals: { 'AWS:SourceArn': expect.anything() } },
        }),
      ),
    );
    expect(JSON.stringify(allowed)).toContain(cdnId);
    // so that no request of it lists the bucket
    expect(cdn.Properties.DistributionConfig).toMatchObject({
      Origins: [{ OriginPath: '/public' }],
      DefaultCacheBehavior: {
        CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6', // CachingOptimized: no query is forwarded
      },
    });
  });

  test('are served by the CDN if public, with TLS, read-only and without sniffing', () => {
    const { DefaultCacheBehavior, Origins } = cdn.Properties.DistributionConfig;
    const { ResponseHeadersPolicyConfig: headers } = onlyOne(
      template,
      'AWS::CloudFront::ResponseHeadersPolicy',
    ).resource.Properties;

    expect(Origins).toEqual([
      expect.objectContaining({ OriginPath: '/public', OriginAccessControlId: expect.anything() }),
    ]);
    expect(DefaultCacheBehavior).toMatchObject({
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS'],
      ViewerProtocolPolicy: 'https-only',
    });
    expect(headers.SecurityHeadersConfig).toEqual({ ContentTypeOptions: { Override: true } });
    expect(headers.CorsConfig.AccessControlAllowOrigins).toEqual({ Items: ['*'] });
  });
});

const { id: apiId } = onlyOne(template, 'AWS::ApiGatewayV2::Api');
const behindCalls = ['background', 'script-runs']; // tested in background.test.ts and scripts.test.ts
const keepingRuns = ['script-endpoints', 'batch']; // runs that take longer than a request
const calledFunctions = functions.filter(({ family }) => !behindCalls.includes(family));
const ofFamilies = calledFunctions.filter(({ family }) => family !== 'console');

/** Actions on the table, in addition to reads of single items. */
const actionsOf: Readonly<Record<TableUse, readonly string[]>> = {
  list: ['Query'],
  filter: [], // on its indexes
  write: ['DeleteItem', 'PutItem'],
  check: ['ConditionCheckItem'],
  count: ['UpdateItem'],
  meter: ['ConditionCheckItem'],
};

/** What the families may do, by hand: a grant more is a decision. A family that is not here has what it declares. */
const grantsByHand: Readonly<Record<string, string>> = {
  root: 'meter',
  account: 'list, write, count, mail',
  instances: 'list, write, count, meter, mail',
  'api-keys': 'list, write, check, count, meter',
  classes: 'list, write, meter',
  objects:
    'list, filter, write, check, count, meter, files of public, files of private, files of uploads, files of traces',
  users:
    'list, write, check, count, meter, files of public, files of private, files of uploads, files of traces',
  'user-accounts':
    'list, write, check, count, meter, files of public, files of private, files of uploads, files of traces',
  'data-endpoints':
    'list, filter, write, count, meter, files of public, files of private, files of uploads, files of traces',
  templates: 'list, write, count, meter',
  channels: 'list, write, count, meter',
  'channel-polls': 'list, write, meter',
  push: 'list, write, count, meter, push: configure',
  scripts: 'list, write, count, meter, files of scripts, files of traces',
  'script-endpoints': 'list, write, count, meter, files of traces, scripts: run, scripts: start',
  schedules: 'list, write, check, count, meter, files of traces',
  triggers: 'list, write, count, meter, files of traces',
  transfer: 'list, write, check, count, meter, files of public, files of private, files of uploads',
  backups: 'list, write, count, check, meter',
  'dead-letters': 'list, write, meter',
  limits: 'list, meter',
  'request-log': 'meter',
  schema: '',
  usage: 'list',
  'user-settings': 'write, meter, vault: seal',
  'user-redirects':
    'list, write, check, count, meter, files of public, files of private, files of uploads, files of traces, vault: open',
  batch:
    'meter, list, write, count, check, filter, files of public, files of private, files of uploads, files of traces, files of scripts, push: configure, vault: open, vault: seal, scripts: run, scripts: start, mail',
};

test.each(Object.entries(grantsByHand))(
  'the grants of %s are those that somebody wrote here',
  (family, text) => {
    const { table, files, push, vault, scripts, mail } = grantsOf(family);
    const all = [
      ...table,
      ...files.map((area) => `files of ${area}`),
      ...push.map((use) => `push: ${use}`),
      ...vault.map((use) => `vault: ${use}`),
      ...scripts.map((use) => `scripts: ${use}`),
      ...(mail ? ['mail'] : []),
    ];
    expect(all.join(', ')).toBe(text);
  },
);

/** Log groups of families that serve requests in instances, in the order of the map. */
const logsInInstances = api
  .filter(({ routes }) => routes.some(({ instance }) => instance !== 'none'))
  .map(({ name }) => {
    const { properties } = functions.find(({ family }) => family === name) ?? {};
    return String(properties?.LoggingConfig.LogGroup.Ref);
  });

describe.each(ofFamilies)(
  'the function of $family',
  ({ family, properties, variables, statements }) => {
    test('has the settings that were measured and tested', () => {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        MemorySize: family === 'channel-polls' ? 192 : 1024, // it is paid while it waits
        Timeout: keepingRuns.includes(family) ? 330 : 29,
        LoggingConfig: { LogFormat: 'JSON', LogGroup: expect.anything() },
      });
      expect(variables).toEqual({
        GROUNDWORK_TABLE: tableId,
        GROUNDWORK_SECRET: secretId,
        GROUNDWORK_FILES: bucketId,
        GROUNDWORK_FILES_URL: `https://${cdnId}.DomainName`,
        GROUNDWORK_PUSH: 'groundwork_prod',
        ...(keepingRuns.includes(family) && { GROUNDWORK_KEEPS_RUNS: 'true' }),
        GROUNDWORK_API_URL: `https://${apiId}.execute-api.AWS::Region.AWS::URLSuffix`,
        GROUNDWORK_SCRIPTS: 'groundwork-prod',
        GROUNDWORK_SCRIPT_ROLE: expect.stringMatching(/^ScriptSandboxRole/),
        GROUNDWORK_METRICS: 'Groundwork/prod',
        GROUNDWORK_FAMILY: family,
        ...(family === 'request-log' && { GROUNDWORK_LOG_GROUPS: logsInInstances.join(' ') }),
      });
    });

    test('has only the permissions it needs', () => {
      const { table, files, push, scripts } = grantsOf(family);
      const used = table.flatMap((use) => actionsOf[use]);
      const names = [...new Set(['BatchGetItem', 'GetItem', ...used])];
      const hasIndexes = table.includes('filter');
      const writesOnlyCounts = table.includes('meter') && !table.includes('write');

      const own = statements.filter(
        (each) => each !== forwardingOf(statements) && !readsLogs(each),
      );
      expect(own).toEqual([
        {
          actions: names.map((name) => `dynamodb:${name}`).toSorted(),
          resources: [tableId],
        },
        ...(hasIndexes
          ? [
              {
                actions: ['dynamodb:Query'],
                resources: tableIndexes.map(({ name }) => `${tableId}/index/${name}`).toSorted(),
              },
            ]
          : []),
        ...(writesOnlyCounts
          ? [
              {
                actions: ['dynamodb:PutItem'],
                resources: [tableId],
                partitions: ['INSTANCE#*#USAGE', 'INSTANCE#*#SESSIONS'],
              },
            ]
          : []),
        { actions: ['secretsmanager:GetSecretValue'], resources: [secretId] },
        {
          actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          resources: [expect.stringMatching(/^\w+Log\w+$/)],
        },
        ...(files.length > 0
          ? [
              {
                actions: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
                resources: files.map((area) => `${bucketId}/${area}/*`).toSorted(),
              },
              { actions: ['s3:ListBucket'], resources: [bucketId] },
            ]
          : []),
        ...(push.includes('configure')
          ? [
              {
                actions: ['sns:CreatePlatformApplication', 'sns:SetPlatformApplicationAttributes'],
                resources: ['*'],
              },
            ]
          : []),
        ...(scripts.includes('run')
          ? [
              {
                actions: ['lambda:InvokeFunction'],
                resources: [
                  expect.stringMatching(/:function:groundwork-prod-scr-\*$/),
                  expect.stringMatching(/:function:groundwork-prod-script-runs$/),
                ],
              },
            ]
          : []),
      ]);
    });
  },
);

test('only the function of the request log reads logs: of families that serve requests in instances', () => {
  const reading = functions.flatMap(({ family, statements }) =>
    statements.filter(readsLogs).map((statement) => ({ family, ...statement })),
  );

  expect(reading).toEqual([
    {
      family: 'request-log',
      actions: ['logs:FilterLogEvents'],
      resources: logsInInstances.toSorted(),
    },
  ]);
  expect(logsInInstances.join()).toMatch(/InstancesLog\w+,.*BatchLog\w+$/);
  expect(logsInInstances.join()).not.toMatch(/AccountLog|UsageLog|ScriptRunsLog|BackgroundLog/);
});

function readsLogs({ actions }: Statement): boolean {
  return actions.includes('logs:FilterLogEvents');
}

test('the function of the console knows the origins of files, and may only log', () => {
  const console = functions.find(({ family }) => family === 'console');

  expect(console?.variables).toEqual({
    GROUNDWORK_FILE_ORIGINS: `https://${cdnId}.DomainName https://${bucketId}.RegionalDomainName`,
    GROUNDWORK_METRICS: 'Groundwork/prod',
    GROUNDWORK_FAMILY: 'console',
  });
  expect(console?.statements).toEqual([
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [expect.stringMatching(/^ConsoleLog/)],
    },
  ]);
});

/** Returns the statement by which the function of `$default` forwards requests. */
function forwardingOf(statements: readonly Statement[]): Statement | undefined {
  return statements.find(({ resources }) =>
    resources.some((arn) => /:function:groundwork-prod-instances$/.test(arn)),
  );
}

test('only the function of unmatched paths may invoke the others that serve requests, and all of them', () => {
  const invoking = calledFunctions.flatMap(({ family, statements }) => {
    const found = forwardingOf(statements);
    return found ? [{ family, ...found }] : [];
  });

  const others = calledFunctions.filter(({ family }) => family !== 'root');
  const place = 'arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId';
  const arns = others.map(({ properties }) => `${place}:function:${properties.FunctionName}`);
  expect(invoking).toEqual([
    { family: 'root', actions: ['lambda:InvokeFunction'], resources: arns.toSorted() },
  ]);
});

test('every family that serves requests in instances may write its counts there', () => {
  const counting = api.filter(({ routes }) => routes.some(({ instance }) => instance !== 'none'));

  expect(counting.filter(({ name }) => !grantsOf(name).table.includes('meter'))).toEqual([]);
});

test('no role has a policy managed by AWS', () => {
  const roles = Object.values(template.findResources('AWS::IAM::Role'));

  expect(roles).toHaveLength(functions.length + 1); // plus the role of all scripts
  expect(roles.filter(({ Properties }) => Properties.ManagedPolicyArns !== undefined)).toEqual([]);
});

test('every log is kept for a month', () => {
  const logs = Object.values(template.findResources('AWS::Logs::LogGroup'));

  expect(logs).toHaveLength(functions.length);
  expect(new Set(logs.map(({ Properties }) => Properties.RetentionInDays))).toEqual(new Set([30]));
});

test('outputs contain the address and the first steps', () => {
  expect(Object.keys(template.toJSON().Outputs)).toEqual([
    'Url',
    'TableName',
    'FilesBucket',
    'SetUpCode',
  ]);
});

test('settings reach the functions, the gateway and the logs', () => {
  const set = synthesise({
    stage: 'test-1',
    registration: 'open',
    maxClasses: '7',
    instanceRate: 100,
    pollConcurrency: '200',
    waitingRuns: 8,
    pollSeconds: 20,
    scriptMemory: 512,
    maxObjectBytes: 1_000_000,
    maxFileBytes: '2000000',
    maxTraceBytes: 3_000_000,
    maxBackupBytes: 4_000_000,
    passwordCost: 12,
    passwordMin: 8,
    keepData: 'false',
    rateLimit: '10',
    burstLimit: '20',
    logRetentionDays: '7',
  });

  expect(deployedFunctions(set)[0]?.variables).toMatchObject({
    GROUNDWORK_REGISTRATION: 'open',
    GROUNDWORK_MAX_CLASSES: '7',
    GROUNDWORK_INSTANCE_RATE: '100',
    GROUNDWORK_POLL_SECONDS: '20',
    GROUNDWORK_POLL_SLOTS: '200',
    GROUNDWORK_SCRIPT_MEMORY: '512',
    GROUNDWORK_WAITING_RUNS: '8',
    GROUNDWORK_MAX_OBJECT_BYTES: '1000000',
    GROUNDWORK_MAX_FILE_BYTES: '2000000',
    GROUNDWORK_MAX_TRACE_BYTES: '3000000',
    GROUNDWORK_MAX_BACKUP_BYTES: '4000000',
    GROUNDWORK_PASSWORD_COST: '12',
    GROUNDWORK_PASSWORD_MIN: '8',
  });
  expect(reservationsOf(set)).toEqual([['channel-polls', 200]]);
  expect(onlyOne(set, 'AWS::ApiGatewayV2::Stage').resource.Properties.DefaultRouteSettings).toEqual(
    {
      ThrottlingRateLimit: 10,
      ThrottlingBurstLimit: 20,
    },
  );
  expect(onlyOne(set, 'AWS::DynamoDB::GlobalTable').resource.DeletionPolicy).toBe('Delete');
  expect(
    Object.values(set.findResources('AWS::Logs::LogGroup'))[0]?.Properties.RetentionInDays,
  ).toBe(7);
});

describe('concurrency', () => {
  test('is reserved for nothing by default: an account may have ten executions in all', () => {
    expect(reservationsOf(template)).toEqual([]);
  });

  test('is shared by the quota of the account, of which half stays unreserved', () => {
    const set = synthesise({ concurrency: '1000', endpointConcurrency: 250 });

    expect(reservationsOf(set)).toEqual([
      ['channel-polls', 100],
      ['script-endpoints', 250],
      ['background', 50],
      ['script-runs', 150],
    ]);
    expect(deployedFunctions(set)[0]?.variables.GROUNDWORK_POLL_SLOTS).toBe('100');
  });

  test('of a low quota is reserved only as asked', () => {
    const set = synthesise({ concurrency: 199, runConcurrency: 9, backgroundConcurrency: '3' });

    expect(reservationsOf(set)).toEqual([
      ['background', 3],
      ['script-runs', 9],
    ]);
  });
});

test('functions that send mails may do so as the sender of the deployment, and no others', () => {
  const set = deployedFunctions(synthesise({ mailFrom: 'Groundwork <no-reply@example.com>' }));

  const mailing = set.flatMap(({ family, statements }) =>
    statements
      .filter(({ actions }) => actions.includes('ses:SendEmail'))
      .map(({ actions, resources }) => ({ family, actions, resources })),
  );

  const resources = ['example.com', 'no-reply@example.com'].map((name): unknown =>
    expect.stringMatching(new RegExp(`:identity/${name}$`)),
  );
  const families = api.map(({ name }) => name).filter((name) => grantsOf(name).mail);
  expect(mailing.toSorted((a, b) => a.family.localeCompare(b.family))).toEqual(
    [...families, 'background'].sort().map((family) => ({
      family,
      actions: ['ses:SendEmail'],
      resources: expect.arrayContaining(resources),
    })),
  );
  expect(set[0]?.variables.GROUNDWORK_MAIL_FROM).toBe('Groundwork <no-reply@example.com>');
});

test.each([
  [{ mailFrom: 'nobody' }, 'GROUNDWORK_MAIL_FROM takes an address'],
  [{ stage: 'No Such' }, '-c stage takes up to 20 of a-z'],
  [{ stage: 'prod-scr' }, '-c stage takes no -scr in it'],
  [{ stage: 'prod-scr-2' }, '-c stage takes no -scr in it'],
  [{ keepData: 'maybe' }, '-c keepData takes true or false'],
  [{ rateLimit: '0' }, '-c rateLimit takes at least 1'],
  [{ logRetentionDays: '31' }, '-c logRetentionDays takes a number of days that CloudWatch'],
  [{ alarmEmail: 'nobody' }, '-c alarmEmail takes an address'],
  [{ alarmTopic: 'operators' }, '-c alarmTopic takes the ARN of a topic'],
  [{ concurrency: '0' }, '-c concurrency takes at least 1'],
  [{ registration: 'yes' }, 'GROUNDWORK_REGISTRATION takes one of closed, open'],
  [{ instanceRate: 10 }, 'GROUNDWORK_INSTANCE_RATE takes at least 60'],
  [{ waitingRuns: 401 }, 'GROUNDWORK_WAITING_RUNS takes at most 400'],
  [{ concurrency: 1000, endpointConcurrency: 601 }, '-c concurrency=1000 leaves fewer than 100'],
  [{ concurrency: 10, pollConcurrency: 1 }, '-c concurrency=10 leaves fewer than 100'],
  [{ cdn: 'no' }, '-c cdn takes true or false'],
  [{ domain: 'api.example.com' }, '-c domain and -c certificateArn need each other'],
  [{ domain: 'https://api.example.com' }, '-c domain takes a host name'],
  [{ certificateArn: 'arn:x' }, '-c certificateArn takes the ARN of a certificate'],
  [{ webAclArn: 'arn:aws:wafv2:eu-west-1:1:x' }, '-c webAclArn takes the ARN of a web ACL'],
  [{ passwordCost: '99' }, 'GROUNDWORK_PASSWORD_COST takes at most 20'],
])('%o is rejected', (context, message) => {
  expect(() => synthesise(context)).toThrow(message);
});

test('cdk-nag reports only findings that are acknowledged with a reason', () => {
  inStackFolder((folder) => {
    const { app } = openStackIn(folder);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));

    expect(() => app.synth()).not.toThrow();
  });
});

test('settings that do not exist are named, also those of the other platform', () => {
  const context = {
    maxClases: 7,
    '@aws-cdk/core:checkSecretUsage': true,
    stage: 'x',
    colour: 'red',
  };
  const variables = { GROUNDWORK_MAX_CLASSES: '7', GROUNDWORK_CACHE_MB: '8', GROUNDWORK_URL: 'u' };

  expect(describeIgnored(context, variables, ['GROUNDWORK_URL'])).toEqual([
    '-c maxClases is not a setting; did you mean maxClasses?',
    '-c colour is not a setting',
    'GROUNDWORK_MAX_CLASSES has no effect: use -c maxClasses=…',
    'GROUNDWORK_CACHE_MB has no effect: a deployment has no such setting',
  ]);
});
