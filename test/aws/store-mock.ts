import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import type { Item } from '../../shared/platforms/aws/store/item.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';

/** Epoch seconds of the store under test. */
export const nowSeconds = 4_000_000_000;

/** A store whose requests are not sent, and whose waits take no time. */
export function openMockStore() {
  const client = createClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const aws = mockClient(client);
  const slept: number[] = [];
  let elapsedMs = 0;
  const pacing = {
    elapsedMs: () => elapsedMs,
    random: () => 0.5,
    sleep: async (durationMs: number) => {
      slept.push(durationMs);
      elapsedMs += durationMs;
    },
  };
  const store = openStore({ table: 'T', client, now: () => nowSeconds * 1000, pacing });
  return {
    aws,
    store,
    /** Milliseconds that it waited between tries. */
    slept,
    /** Each request: its command and its input. */
    sent: (): readonly (readonly [string, object])[] =>
      aws.calls().map(({ args: [command] }) => [command.constructor.name, command.input]),
    /** Advances time. */
    pass: (durationMs: number) => {
      elapsedMs += durationMs;
    },
  };
}

/** An item of the table as DynamoDB returns it. */
export function tableItem(sk: string, more: Item = {}): Item {
  return {
    pk: { S: 'P' },
    sk: { S: sk },
    t: { S: 'thing' },
    w: { S: 'w1' },
    d: { S: '{"n":1}' },
    ...more,
  };
}

/** The same item as the store returns it. */
export function storedItem(sk: string, version = 'w1') {
  return { key: { pk: 'P', sk }, kind: 'thing', version, data: { n: 1 } };
}

/** The error of a failed condition; `item` is the current item. */
export function failedCondition(item?: Item): Error {
  return new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: { httpStatusCode: 400 },
    ...(item && { Item: item }),
  });
}

/** The error of a cancelled transaction; one reason for each write. */
export function cancelled(...reasons: readonly (string | { Code: string; Item: Item })[]): Error {
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: reasons.map((reason) =>
      typeof reason === 'string' ? { Code: reason } : reason,
    ),
  });
}

/** Any other error of DynamoDB or of the network. */
export function failure(name: string, more: object = {}): Error {
  return Object.assign(new Error(name), { name }, more);
}
