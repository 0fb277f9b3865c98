import { setImmediate } from 'node:timers/promises';
import type { Store } from '../../shared/store/store.ts';

/** A store that counts the round trips of its callers. */
export interface CountingStore extends Store {
  /** Sequential round trips since `reset`: concurrent calls are one. */
  readonly rounds: number;
  /** Calls since `reset`. */
  readonly calls: number;
  /** Items that queries returned since `reset`, whether they were used or not. */
  readonly queried: number;
  reset(): void;
}

/**
 * Wraps a store so that sequential round trips can be counted. A call takes one turn of the event loop at least,
 * so that calls made without waiting for each other overlap, and only those.
 */
export function countRoundTrips(store: Store): CountingStore {
  let rounds = 0;
  let calls = 0;
  let queried = 0;
  let underWay = 0;

  async function counted<Result>(call: () => Promise<Result>): Promise<Result> {
    if (underWay === 0) rounds += 1;
    calls += 1;
    underWay += 1;
    try {
      await setImmediate();
      return await call();
    } finally {
      underWay -= 1;
    }
  }

  return {
    get: (keys) => counted(() => store.get(keys)),
    query: async (query) => {
      const page = await counted(() => store.query(query));
      queried += page.items.length;
      return page;
    },
    write: (transaction) => counted(() => store.write(transaction)),
    next: (counter, count, most) => counted(() => store.next(counter, count, most)),
    close: () => store.close(),
    get rounds() {
      return rounds;
    },
    get calls() {
      return calls;
    },
    get queried() {
      return queried;
    },
    reset: () => {
      queried = 0;
      rounds = 0;
      calls = 0;
    },
  };
}
