import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { MotoPlace } from './account.ts';
import type { StackTemplate } from './assembly.ts';
import type { CreatedStack } from './created-stack.ts';
import { untilStarted } from './front.ts';
import type { Functions } from './functions.ts';

// biome-ignore lint/suspicious/noExplicitAny: records and patterns of every shape
type Any = any;

/** What invokes the background function: readers of the stream and of the queue, and the rule of each minute. */
export interface EventSources {
  /** Stops all. @throws the first error of any of them */
  stop(): Promise<void>;
}

export interface EventSourceOptions {
  readonly place: MotoPlace;
  readonly template: StackTemplate;
  readonly created: CreatedStack;
  readonly functions: Functions;
}

const pauseMs = 100;
const tickMs = 5000; // of the rule's minute
const windowMs = 900_000;

/** Starts the event sources and the rule of a template, with its filters and batch sizes. */
export function startEventSources(options: EventSourceOptions): EventSources {
  const { template, created, functions } = options;
  const physical = (reference: Any): string =>
    created.resources.get(reference.Ref ?? reference['Fn::GetAtt'][0]) ?? '';
  const types = (type: string) =>
    Object.values(template.Resources).filter(({ Type }) => Type === type);
  let isStopped = false;
  const errors: unknown[] = [];
  const repeat = async (waitMs: number, step: () => Promise<void>) => {
    while (!isStopped) {
      await step().catch((error) => errors.push(error));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  };
  const loops = types('AWS::Lambda::EventSourceMapping').map(({ Properties }) => {
    const invoke = (event: object) =>
      invokeWell(functions, physical(Properties.FunctionName), event);
    const source = physical(Properties.EventSourceArn);
    const read = Properties.StartingPosition === undefined ? queueReader : streamReader;
    return repeat(pauseMs, read(options, source, Properties, invoke));
  });
  const ticks = types('AWS::Events::Rule').flatMap(({ Properties }) =>
    Properties.Targets.map(({ Arn }: Any) =>
      repeat(tickMs, () => invokeWell(functions, physical(Arn), {})),
    ),
  );
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all([...loops, ...ticks]);
      const [first] = errors;
      if (first !== undefined) throw first;
    },
  };
}

/** @throws Error when the function failed, or did not take all records */
async function invokeWell(functions: Functions, name: string, event: object): Promise<void> {
  const { answer: response, error } = await untilStarted(() => functions.invoke(name, event));
  const failed = (response as Any)?.batchItemFailures?.length ?? 0;
  if (error !== undefined || failed > 0) {
    throw new Error(`${name} failed: ${JSON.stringify(error ?? response)}`);
  }
}

type Invoke = (event: object) => Promise<void>;

function queueReader({ place }: EventSourceOptions, QueueUrl: string, _: Any, invoke: Invoke) {
  const sqs = new SQSClient(place);
  return async () => {
    const received = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    const { Messages = [] } = received;
    if (Messages.length === 0) return;
    const eventSource = 'aws:sqs';
    await invoke({ Records: Messages.map(({ Body }) => ({ eventSource, body: Body })) });
    for (const { ReceiptHandle } of Messages)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  };
}

/** Reads the one shard that moto's streams have, in order. */
function streamReader({ place }: EventSourceOptions, table: string, source: Any, invoke: Invoke) {
  const patterns = source.FilterCriteria.Filters.map(({ Pattern }: Any) => JSON.parse(Pattern));
  const ask = (operation: string, input: object) => askStreams(place, operation, input);
  let last: string | undefined; // number of the last record that was read
  return async () => {
    const { Streams } = await ask('ListStreams', { TableName: table });
    const [{ StreamArn }] = Streams;
    const { StreamDescription } = await ask('DescribeStream', { StreamArn });
    const [{ ShardId }] = StreamDescription.Shards;
    // an iterator of before would stay at the table that a failed transaction has replaced
    const from = last === undefined ? source.StartingPosition : 'AFTER_SEQUENCE_NUMBER';
    const position = { ShardIteratorType: from, ...(last && { SequenceNumber: last }) };
    const { ShardIterator } = await ask('GetShardIterator', { StreamArn, ShardId, ...position });
    const { Records } = await ask('GetRecords', { ShardIterator, Limit: source.BatchSize });
    const wanted = Records.filter((record: Any) =>
      patterns.some((pattern: Any) => fits(pattern, record)),
    ).map((record: Any) => ({ ...record, eventSourceARN: StreamArn }));
    if (wanted.length > 0) await invoke({ Records: wanted, ...windowOf(source, ShardId) });
    last = Records.at(-1)?.dynamodb.SequenceNumber ?? last;
  };
}

/** Returns what an event source with a tumbling window adds to its events. */
function windowOf({ TumblingWindowInSeconds: seconds }: Any, ShardId: string): object {
  if (seconds === undefined) return {};
  const startMs = Math.floor(Date.now() / windowMs) * windowMs;
  const [start, end] = [startMs, startMs + seconds * 1000].map((ms) => new Date(ms).toISOString());
  const shardId = ShardId;
  return { window: { start, end }, state: {}, shardId, isFinalInvokeForWindow: false };
}

/** Checks whether a record has what a filter of an event source demands: one of the values at each place. */
function fits(pattern: Any, value: Any): boolean {
  if (!Array.isArray(pattern)) {
    return Object.entries(pattern).every(([name, part]) => fits(part, value?.[name]));
  }
  return pattern.some((wanted) =>
    typeof wanted === 'object' ? value?.startsWith(wanted.prefix) : value === wanted,
  );
}

/** Sends a request to DynamoDB Streams, for which the project has no client. */
async function askStreams({ endpoint, region }: MotoPlace, operation: string, input: object) {
  const scope = `key/20260101/${region}/dynamodb/aws4_request`;
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(input),
  });
  const body: Any = await response.json();
  if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(body)}`);
  return body;
}
