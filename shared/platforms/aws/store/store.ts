import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checkKeyLimits } from '../../../store/key-limits.ts';
import { CounterEnded, type Key, type Store } from '../../../store/store.ts';
import { isOrdered, lastNumber } from '../../../table/counters.ts';
import { naming } from '../sdk/client.ts';
import { takeInBlocks } from './blocks.ts';
import type { StoreContext } from './context.ts';
import { type TakeNumbers, takeFromTable } from './counters.ts';
import { queryItems } from './query.ts';
import { readItems } from './read.ts';
import { type Pacing, realPacing } from './retry.ts';
import { writeItems } from './write.ts';

export interface StoreOptions {
  /** Name of the table, which is as table.ts describes it. */
  readonly table: string;
  /** From `createClient`; the store closes it. */
  readonly client: DynamoDBClient;
  /** Epoch milliseconds; decides which items have expired. */
  readonly now: () => number;
  /** That of the process when absent. */
  readonly pacing?: Pacing;
}

/** Opens the store on an existing table. Sends no request by itself. */
export function openStore({ table, client, now, pacing = realPacing }: StoreOptions): Store {
  const context: StoreContext = { client: naming(client), table, now: () => now() / 1000, pacing };
  const takeNow: TakeNumbers = (key, count) => takeFromTable(context, key, count);
  const takeAhead = takeInBlocks(takeNow, now);
  const take = async (counter: Key, count: number, most: number | undefined) => {
    checkKeyLimits(counter);
    if (!Number.isInteger(count) || count < 1) throw new Error(`cannot take ${count} numbers`);
    if (most !== undefined) return takeFromTable(context, counter, count, most);
    const first = await (isOrdered(counter) ? takeNow : takeAhead)(counter, count);
    if (first + count - 1 > lastNumber(counter)) throw new CounterEnded(counter);
    return first;
  };
  const calls = openPendingRequests();
  return {
    get: (keys) => calls.run(() => readItems(context, keys)),
    query: (query) => calls.run(() => queryItems(context, query)),
    write: (transaction) => calls.run(() => writeItems(context, transaction)),
    next: (counter, count = 1, most) => calls.run(() => take(counter, count, most)),
    close: async () => {
      await calls.close();
      client.destroy();
    },
  };
}

interface PendingRequests {
  /** Sends a request; rejects when closed. */
  run<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Accepts no more requests, and waits for those that are pending. */
  close(): Promise<void>;
}

function openPendingRequests(): PendingRequests {
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
