import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  type Stack,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { DeadLetter } from '../../shared/jobs/dead-letters.ts';
import { openDeadLetters } from '../../shared/platforms/aws/operations/dead-letters.ts';
import { findDeployment } from '../../shared/platforms/aws/operations/stack.ts';
import { deadLetterEntity } from '../../shared/table/entities/jobs.ts';
import { recordMocked } from '../judges/recorded-requests.ts';
import { adoptedContext } from '../stack/adopted-context.ts';
import { synthesise } from '../support/stack.ts';

/* Dead letters of a deployment: rows of the table, records of Lambda in the bucket, messages of the queue. */

const dynamo = mockClient(DynamoDBClient);
const s3 = mockClient(S3Client);
const sqs = mockClient(SQSClient);
const lambda = mockClient(LambdaClient);
const cloud = mockClient(CloudFormationClient);

const mocks = [dynamo, s3, sqs, lambda, cloud];
afterEach(() => recordMocked(mocks));
afterAll(() => {
  for (const one of mocks) one.restore(); // other files of the same process use these classes
});

const uuid = (digit: string) => `${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}`;
const records = { Records: [{ eventID: '1', dynamodb: { SequenceNumber: '5' } }] };

const it = test.extend('given', { auto: true }, () => setUp());

describe('dead letters', () => {
  it('are listed from the table, the bucket and the queue, as often as requested', async () => {
    const first = await list();

    const at = '2026-11-18T11:06:40.000Z';
    const worker = { consumer: 'the-worker', at: '2026-11-24T10:20:30.123Z' };
    expect(first).toEqual([
      { id: 'ab', kind: 'change', consumer: 'picky', at, error: 'not now', item: 'THINGS a' },
      {
        ...worker,
        id: uuid('b'),
        kind: 'batch',
        error: 'RetryAttemptsExhausted',
        item: '1 changes of shardId-1 from 5',
      },
      {
        id: uuid('1'),
        kind: 'wake-up',
        consumer: 'background',
        at,
        error: 'the function failed three times',
        item: `jobs of ${at}`,
      },
      {
        id: uuid('2'),
        kind: 'invocation',
        consumer: 'groundwork-prod-script-runs',
        at: '2026-11-24T11:00:00.000Z',
        error: 'EventAgeExceeded',
        item: 'asynchronous invocation',
      },
      {
        id: uuid('3'),
        kind: 'invocation',
        consumer: '',
        at,
        error: 'its form is unknown',
        item: 'message of an unknown form',
      },
    ]);
    expect(await list()).toEqual(first);
  });

  const id = '2026-11-18T11:06:40.000Z';
  it.for<[string, string, string, object]>([
    ['a change', 'ab', 'the-worker', { deadLetter: { action: 'replay', id: 'ab', at: id } }],
    ['a batch of the stream', uuid('b'), 'the-worker', { ...records, isReplay: true }],
    [
      'a wake-up',
      uuid('1'),
      'the-worker',
      { Records: [{ messageId: uuid('1'), body: '1795000000', eventSource: 'aws:sqs' }] },
    ],
    ['an invocation', uuid('2'), 'groundwork-prod-script-runs', { instance: 5 }],
  ])(
    '%s is sent to its function again, whole, and then deleted',
    async ([_, one, name, event], { given }) => {
      const before = given.objects.size + given.messages.size;

      expect(await apply('replay', one)).toBeUndefined();

      expect(given.invoked).toEqual([[name, event]]);
      expect(before - given.objects.size - given.messages.size).toBe(one === 'ab' ? 0 : 1); // the function deletes a row itself
    },
  );

  it.for<[string, object, string]>([
    [
      'throws',
      { FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"not now"}') },
      'Error: not now',
    ],
    [
      'has not processed it',
      { Payload: Buffer.from('{"batchItemFailures":[{"itemIdentifier":"5"}]}') },
      'Error: the function has failed again: its log has the error',
    ],
  ])('one whose function %s is kept', async ([_, failed, error], { given }) => {
    given.response = failed;

    expect(await apply('replay', uuid('b'))).toBe(error);
    expect(await apply('replay', uuid('1'))).toBe(error);

    expect([given.objects.size, given.messages.size]).toEqual([1, 3]);
  });

  it('one without its content can only be dropped', async ({ given }) => {
    const { payload: _, ...metadata } = JSON.parse(batch);
    given.messages.set(uuid('3'), JSON.stringify(metadata)); // as an earlier version of the stack kept it

    const replayed = await apply('replay', uuid('3'));
    const dropped = await apply('drop', uuid('3'));

    expect([replayed, dropped]).toEqual(['Error: its content was not kept', undefined]);
    expect(given.messages.has(uuid('3'))).toBe(false);
    expect(given.invoked).toEqual([]);
  });

  it('dropped ones are deleted without being processed', async ({ given }) => {
    for (const one of [uuid('b'), uuid('1')]) expect(await apply('drop', one)).toBeUndefined();

    expect([given.objects.size, given.messages.size, given.invoked]).toEqual([0, 2, []]);
  });
});

it('a deployment is found by its stage, from the resources of the stack', async () => {
  const { Resources } = synthesise().toJSON() as {
    readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
  };
  const StackResourceSummaries = Object.entries(Resources).map(([name, { Type }]) => ({
    LogicalResourceId: name,
    ResourceType: Type,
    PhysicalResourceId: `id of ${name}`,
  })) as unknown as StackResourceSummary[]; // the other members are not read
  cloud
    .on(ListStackResourcesCommand, { StackName: 'Groundwork-prod' })
    .resolves({ StackResourceSummaries })
    .on(ListStackResourcesCommand, { StackName: 'Groundwork-test' })
    .rejects(new Error('Stack with id Groundwork-test does not exist'));

  expect(await findDeployment('prod')).toEqual({
    table: expect.stringMatching(/^id of DataTable/),
    bucket: expect.stringMatching(/^id of FilesBucket/),
    secret: expect.stringMatching(/^id of MasterSecret/),
    deadLetters: expect.stringMatching(/^id of BackgroundDeadLetters/),
    background: expect.stringMatching(/^id of BackgroundWorkerFunction/),
  });
  await expect(findDeployment('test')).rejects.toThrow('there is no stack Groundwork-test');
}, 120_000);

it('adopted parts of a deployment are found by the outputs of its stack', async () => {
  const { Resources, Outputs } = synthesise(adoptedContext).toJSON() as {
    readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
    readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
  };
  const StackResourceSummaries = Object.entries(Resources).map(([name, { Type }]) => ({
    LogicalResourceId: name,
    ResourceType: Type,
    PhysicalResourceId: `id of ${name}`,
  })) as unknown as StackResourceSummary[]; // the other members are not read
  const described = Object.entries(Outputs).map(([OutputKey, { Value }]) => ({
    OutputKey,
    OutputValue: String(Value),
  }));
  cloud.on(ListStackResourcesCommand).resolves({ StackResourceSummaries });
  cloud.on(DescribeStacksCommand).resolves({ Stacks: [{ Outputs: described } as Stack] });

  expect(await findDeployment('prod')).toMatchObject({
    table: 'restored',
    bucket: adoptedContext.bucket,
    secret: adoptedContext.secretArn,
  });
}, 120_000);

/** What is stored of dead letters, and what their functions are sent. */
function setUp() {
  for (const one of mocks) one.reset();
  const given = {
    objects: new Map([[batchKey, batch]]),
    messages: new Map([
      [uuid('1'), '1795000000'],
      [uuid('2'), failedRun],
      [uuid('3'), 'something else'],
    ]),
    response: { Payload: Buffer.from('{"batchItemFailures":[]}') } as object,
    invoked: [] as unknown[],
  };
  stubTable();
  stubFiles(given.objects);
  stubQueue(given.messages);
  lambda.on(InvokeCommand).callsFake(({ FunctionName, Payload }) => {
    given.invoked.push([FunctionName, JSON.parse(Buffer.from(Payload).toString())]);
    return given.response;
  });
  return given;
}

function stubTable(): void {
  const key = deadLetterEntity.key(1_795_000_000_000, 'ab');
  const data = {
    id: 'ab',
    consumer: 'picky',
    error: 'not now',
    key: { pk: 'THINGS', sk: 'a' },
  };
  dynamo.on(QueryCommand).resolves({
    Items: [
      {
        pk: { S: key.pk },
        sk: { S: key.sk },
        t: { S: 'dead-letter' },
        w: { S: 'w' },
        d: { S: JSON.stringify(data) },
      },
    ],
  });
}

function stubFiles(objects: Map<string, string>): void {
  s3.on(ListObjectsV2Command, { Prefix: 'aws/lambda/' }).callsFake(() => ({
    Contents: [...objects.keys()].map((Key) => ({ Key })),
  }));
  s3.on(GetObjectCommand).callsFake(({ Key }) => ({
    Body: { transformToString: async () => objects.get(Key) },
  }));
  s3.on(DeleteObjectCommand).callsFake(({ Key }) => {
    objects.delete(Key);
    return {};
  });
}

function stubQueue(messages: Map<string, string>): void {
  const hidden = new Set<string>();
  sqs.on(ReceiveMessageCommand).callsFake(() => {
    const visible = [...messages].filter(([id]) => !hidden.has(id)).slice(0, 2);
    for (const [id] of visible) hidden.add(id);
    const Attributes = { SentTimestamp: '1795000000000' };
    return {
      Messages: visible.map(([id, Body]) => ({
        MessageId: id,
        ReceiptHandle: `receipt ${id}`,
        Body,
        Attributes,
      })),
    };
  });
  sqs.on(DeleteMessageCommand).callsFake(({ ReceiptHandle }) => {
    messages.delete(ReceiptHandle.slice('receipt '.length));
    return {};
  });
  sqs.on(ChangeMessageVisibilityCommand).callsFake(({ ReceiptHandle, VisibilityTimeout }) => {
    if (VisibilityTimeout === 0) hidden.delete(ReceiptHandle.slice('receipt '.length));
    return {};
  });
}

const deployment = {
  table: 'the-table',
  bucket: 'the-bucket',
  secret: 'the-secret',
  deadLetters: 'https://sqs/dead',
  background: 'the-worker',
};
const arn = (name: string) => `arn:aws:lambda:eu-west-1:123456789012:function:${name}:$LATEST`;
const batchKey = `aws/lambda/${uuid('a')}/shardId-1/2026-11-24T10.20.30-${uuid('b')}`;
const batch = JSON.stringify({
  requestContext: {
    requestId: 'r',
    functionArn: arn('the-worker'),
    condition: 'RetryAttemptsExhausted',
  },
  responseContext: { statusCode: 200, executedVersion: '$LATEST' },
  version: '1.0',
  timestamp: '2026-11-24T10:20:30.123Z',
  DDBStreamBatchInfo: {
    shardId: 'shardId-1',
    startSequenceNumber: '5',
    endSequenceNumber: '5',
    batchSize: 1,
    streamArn: 'arn',
  },
  payload: JSON.stringify(records),
});
const failedRun = JSON.stringify({
  version: '1.0',
  timestamp: '2026-11-24T11:00:00.000Z',
  requestContext: {
    functionArn: arn('groundwork-prod-script-runs'),
    condition: 'EventAgeExceeded',
  },
  requestPayload: { instance: 5 },
  responsePayload: null,
});

/** Lists the letters, and applies an action to one of them; returns its error, if any. */
async function apply(action: 'replay' | 'drop', id: string): Promise<string | undefined> {
  const letters = await openDeadLetters(deployment);
  const letter = (await letters.list()).find((one) => one.id === id);
  if (letter === undefined) throw new Error(`no letter ${id}`);
  const error = await letters[action](letter).then(
    () => undefined,
    (cause: unknown) => String(cause),
  );
  await letters.close();
  return error;
}

async function list(): Promise<readonly DeadLetter[]> {
  const letters = await openDeadLetters(deployment);
  const all = await letters.list();
  await letters.close();
  return all;
}
