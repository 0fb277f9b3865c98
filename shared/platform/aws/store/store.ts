import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { checkKey } from '../../../store/key-limits.ts';
import type { Key, Store } from '../../../store/store.ts';
import { takeInBlocks } from './blocks.ts';
import type { StoreContext } from './context.ts';
import { takeFromTable } from './counters.ts';
import { writeKey } from './item.ts';
import { queryItems } from './query.ts';
import { readItems } from './read.ts';
import { type Pacing, realPacing } from './retry.ts';
import { writeItems } from './write.ts';

/** What a store needs to know. */
export interface StoreOptions {
  /** Name of the table, which is as table.ts describes it. */
  readonly table: string;
  /** From `createClient`; the store closes it. */
  readonly client: DynamoDBClient;
  /** Epoch milliseconds; decides what has expired. */
  readonly now: () => number;
  /** That of the process when absent. */
  readonly pacing?: Pacing;
}

/** The store on DynamoDB. */
export interface TableStore extends Store {
  /** Opens a connection, so that the first call need not; never fails. */
  connect(): Promise<void>;
}

/** Opens the store on a table that exists. Makes no call by itself. */
export function openStore({ table, client, now, pacing = realPacing }: StoreOptions): TableStore {
  const context: StoreContext = { client, table, now: () => now() / 1000, pacing };
  const take = takeInBlocks((key, count) => takeFromTable(context, key, count), now);
  const calls = openCalls();
  return {
    get: (keys) => calls.run(() => readItems(context, keys)),
    query: (query) => calls.run(() => queryItems(context, query)),
    write: (transaction) => calls.run(() => writeItems(context, transaction)),
    next: (counter, count = 1) =>
      calls.run(async () => {
        checkKey(counter);
        if (!Number.isInteger(count) || count < 1) throw new Error(`cannot take ${count} numbers`);
        return take(counter, count);
      }),
    connect: () => connect(context),
    close: async () => {
      await calls.close();
      client.destroy();
    },
  };
}

/** Any key of an item that is never there. */
const nowhere: Key = { pk: 'NOTHING', sk: 'NOTHING' };

async function connect({ client, table }: StoreContext): Promise<void> {
  try {
    await client.send(new GetItemCommand({ TableName: table, Key: writeKey(nowhere) }));
  } catch {
    // What is wrong is told by the first call that needs an answer.
  }
}

interface Calls {
  /** Makes a call; refuses when closed. */
  run<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Takes no more calls, and waits for those that are under way. */
  close(): Promise<void>;
}

function openCalls(): Calls {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    run: async (call) => {
      if (isClosed) throw new Error('the store is closed');
      const running = call();
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}
