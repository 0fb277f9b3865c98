import { expect, test } from 'vitest';
import { tableIndexes } from '../../shared/platforms/aws/store/table.ts';
import { synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, textOf } from '../support/template.ts';

const template = synthesise();
const { id: tableId } = onlyOne(template, 'AWS::DynamoDB::GlobalTable');
const { id: bucketId } = onlyOne(template, 'AWS::S3::Bucket');
const queues = Object.entries(template.findResources('AWS::SQS::Queue'));
const [[queueId = '', queue] = [], [wakeUpsId = '', wakeUps] = []] = queues;
const worker = deployedFunctions(template).find(({ family }) => family === 'background');
const sources = Object.values(template.findResources('AWS::Lambda::EventSourceMapping')).map(
  ({ Properties }) => Properties,
);

const filtersOf = ({ FilterCriteria }: (typeof sources)[number]) =>
  FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
const byCall = [{ prefix: 'client' }, { prefix: 'cascade' }];

test('the function has time for jobs, and may read and write the table and its stream', () => {
  expect(worker?.properties).toMatchObject({ Runtime: 'nodejs24.x', Timeout: 300 });
  expect(worker?.statements).toEqual([
    {
      actions: [
        'BatchGetItem',
        'ConditionCheckItem',
        'DeleteItem',
        'GetItem',
        'PutItem',
        'Query',
        'UpdateItem',
      ].map((name) => `dynamodb:${name}`),
      resources: [tableId],
    },
    {
      actions: ['dynamodb:Query'],
      resources: tableIndexes.map(({ name }) => `${tableId}/index/${name}`).toSorted(),
    },
    { actions: ['secretsmanager:GetSecretValue'], resources: [expect.stringMatching(/Secret/)] },
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [expect.stringMatching(/^\w+Log\w+$/)],
    },
    {
      actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
      resources: [queueId, wakeUpsId],
    },
    {
      actions: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
      resources: [
        'backups',
        'dead-letters',
        'private',
        'public',
        'scripts',
        'thumbs',
        'traces',
        'uploads',
      ].map((area) => expect.stringMatching(new RegExp(`/${area}/\\*$`))),
    },
    { actions: ['s3:ListBucket'], resources: [expect.stringMatching(/^FilesBucket/)] },
    {
      actions: [
        'CreatePlatformApplication',
        'CreatePlatformEndpoint',
        'DeleteEndpoint',
        'DeletePlatformApplication',
        'SetEndpointAttributes',
        'SetPlatformApplicationAttributes',
      ].map((name) => `sns:${name}`),
      resources: ['*'],
    },
    {
      actions: ['sns:Publish'],
      resources: [expect.stringMatching(/:endpoint\/\*\/groundwork_prod_\*$/)],
    },
    {
      actions: ['lambda:InvokeFunction'],
      resources: ['background', 'script-runs'].map((name) =>
        expect.stringMatching(new RegExp(`:function:groundwork-prod-${name}$`)),
      ),
    },
    {
      actions: ['CreateFunction', 'DeleteFunction', 'GetFunction', 'UpdateFunctionCode']
        .concat('UpdateFunctionConfiguration')
        .map((name) => `lambda:${name}`),
      resources: [expect.stringMatching(/:function:groundwork-prod-scr-\*$/)],
    },
    { actions: ['dynamodb:ListStreams', 'lambda:ListFunctions'], resources: ['*'] },
    { actions: ['iam:PassRole'], resources: [expect.stringMatching(/^ScriptSandboxRole/)] },
    {
      actions: ['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
        (name) => `dynamodb:${name}`,
      ),
      resources: [`${tableId}.StreamArn`],
    },
    { actions: ['s3:PutObject'], resources: [`${bucketId}/aws/lambda/*`] },
    {
      actions: ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl']
        .concat('ReceiveMessage')
        .map((name) => `sqs:${name}`),
      resources: [wakeUpsId],
    },
  ]);
});

test('one reader has what needs the order of a shard, one all other changes and new jobs', () => {
  const [changes, events] = sources;

  expect(filtersOf(changes)).toEqual([
    {
      eventName: ['INSERT'],
      dynamodb: { NewImage: { t: { S: ['object', 'file', 'channel-event'] }, c: { S: byCall } } },
    },
    {
      eventName: ['MODIFY'],
      dynamodb: { NewImage: { t: { S: ['object'] }, c: { S: byCall } } },
    },
    { eventName: ['REMOVE'], dynamodb: { OldImage: { t: { S: ['object', 'file'] } } } },
  ]);
  expect(filtersOf(events)).toEqual([
    {
      eventName: ['INSERT'],
      dynamodb: { NewImage: { t: { S: ['trigger-event', 'script', 'work'] }, c: { S: byCall } } },
    },
    {
      eventName: ['MODIFY'],
      dynamodb: { NewImage: { t: { S: ['script'] }, c: { S: byCall } } },
    },
    { eventName: ['REMOVE'], dynamodb: { OldImage: { t: { S: ['script', 'class'] } } } },
  ]);
});

test('a shard is named to the reader that counts, which has one batch of it at a time', () => {
  const [changes, events] = sources;

  expect(changes).toMatchObject({ TumblingWindowInSeconds: 900 });
  expect(changes).not.toHaveProperty('ParallelizationFactor');
  expect(events).toMatchObject({ ParallelizationFactor: 2 });
  expect(events).not.toHaveProperty('TumblingWindowInSeconds');
});

test('records that cannot be kept are retried for almost as long as the stream has them, then stored in the bucket', () => {
  for (const source of sources.slice(0, 2)) {
    expect(source).toMatchObject({
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRecordAgeInSeconds: 23 * 3600,
      StartingPosition: 'TRIM_HORIZON',
    });
    expect(source).not.toHaveProperty('MaximumRetryAttempts'); // without end
    expect(textOf(source.EventSourceArn)).toBe(`${tableId}.StreamArn`);
    expect(textOf(source.DestinationConfig.OnFailure.Destination)).toBe(bucketId);
    expect(source.MetricsConfig).toEqual({ Metrics: ['EventCount'] }); // for the alarm
  }
  expect(queue?.Properties).toMatchObject({
    MessageRetentionPeriod: 14 * 86_400,
    SqsManagedSseEnabled: true,
  });
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  expect(alarms.filter(({ Properties }) => Properties.Namespace === 'AWS/SQS')).toHaveLength(2); // dead letters, wake-ups
  const stored = alarms.filter(({ Properties }) =>
    JSON.stringify(Properties).includes('OnFailureDestinationDeliveredEventCount'),
  );
  expect(stored).toHaveLength(1);
});

test('each minute it runs due jobs', () => {
  const { resource: rule } = onlyOne(template, 'AWS::Events::Rule');

  expect(rule.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
  expect(rule.Properties.Targets).toHaveLength(1);
});

test('it sends itself messages for the seconds between, and these may be repeated', () => {
  expect(worker?.variables.GROUNDWORK_WAKE_UPS).toBe(wakeUpsId);
  expect(sources).toHaveLength(3);
  const [, , source] = sources;
  expect(textOf(source.EventSourceArn)).toBe(wakeUpsId);
  expect(source).toMatchObject({ ScalingConfig: { MaximumConcurrency: 5 } });
  expect(source).not.toHaveProperty('FilterCriteria');
  expect(wakeUps?.Properties).toMatchObject({
    VisibilityTimeout: 300, // that of the function at least
    SqsManagedSseEnabled: true,
    MessageRetentionPeriod: 600,
  });
});

test('no throttle of the account makes dead letters of wake-ups and ticks', () => {
  // each throttled attempt counts as a receipt: a message expires, and the tick of the next minute replaces it
  expect(wakeUps?.Properties).not.toHaveProperty('RedrivePolicy');
  const configs = Object.values(template.findResources('AWS::Lambda::EventInvokeConfig'));
  const config = configs.find(({ Properties }) => Properties.MaximumEventAgeInSeconds === 3600);
  expect(config?.Properties).toMatchObject({
    FunctionName: { Ref: expect.stringMatching(/^BackgroundWorker/) },
    MaximumRetryAttempts: 0,
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queueId, 'Arn'] } } },
  });
});
