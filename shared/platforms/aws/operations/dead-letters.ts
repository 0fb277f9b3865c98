import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import {
  type DeadLetter,
  type DeadLetters,
  listChanges,
  requestFor,
} from '../../../jobs/dead-letters.ts';
import { failuresPrefix } from '../jobs/failures-prefix.ts';
import { createClient } from '../store/client.ts';
import { openStore } from '../store/store.ts';
import { type FailureRecord, readFailure, readMessage } from './failures.ts';
import type { Deployment } from './stack.ts';

/** Time for which messages that were listed are hidden from other commands. */
const hiddenSeconds = 300;

/** Actions on one letter. */
interface Handling {
  readonly letter: DeadLetter;
  replay(): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Opens the dead letters of a deployment: changes in its table, records of Lambda in its bucket, and messages in its
 * queue.
 */
export async function openDeadLetters(deployment: Deployment): Promise<DeadLetters> {
  const { table } = deployment;
  const store = openStore({ table, client: createClient(), now: Date.now });
  const lambda = new LambdaClient({});
  const [bucket, queue] = [openBucket(deployment, lambda), openQueue(deployment, lambda)];
  const handlings = new Map<string, Handling>();
  const handle = (letter: DeadLetter, action: 'replay' | 'drop') => {
    const found = handlings.get(letter.id);
    if (found !== undefined) return found[action]();
    const event = { deadLetter: requestFor(action, letter) };
    return invoke(lambda, deployment.background, event);
  };
  return {
    list: async () => {
      const changes = await listChanges(store);
      const others = [...(await bucket.list()), ...(await queue.list())];
      for (const handling of others) handlings.set(handling.letter.id, handling);
      return [...changes, ...others.map(({ letter }) => letter)];
    },
    replay: (letter) => handle(letter, 'replay'),
    drop: (letter) => handle(letter, 'drop'),
    close: async () => {
      await queue.release();
      await store.close();
    },
  };
}

function openBucket({ bucket, background }: Deployment, lambda: LambdaClient) {
  const client = new S3Client({});
  const read = async (key: string): Promise<FailureRecord> => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return readFailure(key, (await Body?.transformToString()) ?? '');
  };
  const drop = async (key: string) => {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  };
  const open = async (key: string): Promise<Handling> => ({
    letter: (await read(key)).letter,
    replay: async () => {
      await replay(lambda, background, await read(key)); // not kept since the list: up to 6 MB
      await drop(key);
    },
    drop: () => drop(key),
  });
  return {
    list: async () => {
      const found: Handling[] = [];
      const all = { Bucket: bucket, Prefix: failuresPrefix };
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, all)) {
        for (const { Key } of Contents) {
          if (Key !== undefined) found.push(await open(Key));
        }
      }
      return found;
    },
  };
}

function openQueue({ deadLetters, background }: Deployment, lambda: LambdaClient) {
  const client = new SQSClient({});
  const held = new Map<string, string>(); // receipt handle by id
  const drop = async (id: string, ReceiptHandle: string) => {
    await client.send(new DeleteMessageCommand({ QueueUrl: deadLetters, ReceiptHandle }));
    held.delete(id);
  };
  const open = ({ MessageId = '', ReceiptHandle = '', ...message }: Message): Handling => {
    held.set(MessageId, ReceiptHandle);
    const record = readMessage(MessageId, message);
    return {
      letter: record.letter,
      replay: async () => {
        await replay(lambda, background, record);
        await drop(MessageId, ReceiptHandle);
      },
      drop: () => drop(MessageId, ReceiptHandle),
    };
  };
  return {
    list: async () => {
      const found: Handling[] = [];
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: deadLetters,
            MaxNumberOfMessages: 10,
            VisibilityTimeout: hiddenSeconds,
            WaitTimeSeconds: 1, // asks all servers of the queue
            MessageSystemAttributeNames: ['SentTimestamp'],
          }),
        );
        const fresh = Messages.filter(({ MessageId = '' }) => !held.has(MessageId));
        if (fresh.length === 0) return found;
        found.push(...fresh.map(open));
      }
    },
    /** Shows the messages that are left to other commands. */
    release: async () => {
      for (const ReceiptHandle of held.values()) {
        await client.send(
          new ChangeMessageVisibilityCommand({
            QueueUrl: deadLetters,
            ReceiptHandle,
            VisibilityTimeout: 0,
          }),
        );
      }
    },
  };
}

/** Sends what a function failed to process to the function again. */
async function replay(
  lambda: LambdaClient,
  background: string,
  { event, letter, functionName = background }: FailureRecord,
): Promise<void> {
  if (event === undefined) throw new Error('its content was not kept');
  // later changes have been counted since
  await invoke(
    lambda,
    functionName,
    letter.kind === 'batch' ? { ...event, isReplay: true } : event,
  );
}

/**
 * Invokes a function, and waits for its end.
 *
 * @throws Error with that of the function; also when it returns that it has not processed the event
 */
async function invoke(lambda: LambdaClient, name: string, event: object): Promise<void> {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: name, Payload: Buffer.from(JSON.stringify(event)) }),
  );
  const text = Payload === undefined ? '' : Buffer.from(Payload).toString();
  const result = (text === '' ? {} : JSON.parse(text)) as {
    readonly errorMessage?: string;
    readonly batchItemFailures?: readonly unknown[];
  } | null;
  if (FunctionError !== undefined) throw new Error(result?.errorMessage ?? FunctionError);
  if ((result?.batchItemFailures ?? []).length > 0) {
    throw new Error('the function has failed again: its log has the error');
  }
}
