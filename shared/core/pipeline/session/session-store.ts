import { writeEach } from '../../../store/commit.ts';
import {
  ConditionFailed,
  CounterEnded,
  type Key,
  type Store,
  type Stored,
  type Transaction,
  type Write,
} from '../../../store/store.ts';
import { reserveNumbers } from './reserve-numbers.ts';

/** Receives the writes of a session's requests, and write conflicts, after which reads are outdated. */
export interface SessionWatch {
  /** The items of these writes are being written. */
  readonly written: (writes: readonly Write[]) => void;
  /** A write conflict occurred: anything that was read may be outdated. */
  readonly overtaken: () => void;
}

/**
 * Wraps a store for concurrent requests of one session: their reads in one turn of the event loop become one read, and
 * their numbers from a counter are reserved in one step, in the order of their requests.
 */
export function createSessionStore(store: Store, watch: SessionWatch): Store {
  const get = together((asked: readonly (readonly Key[])[]) => readTogether(store, asked));
  const next = together((asked: readonly Asked[]) => takeTogether(store, asked));
  return {
    get: (keys) => get(keys),
    query: (query) => store.query(query),
    ...(store.isNear && { isNear: true }),
    next: async (counter, count = 1, most) => {
      if (most !== undefined) return store.next(counter, count, most);
      const first = await next({ counter, count });
      if (Number.isNaN(first)) throw new CounterEnded(counter);
      return first;
    },
    close: () => store.close(),
    write: (transaction) => {
      watch.written(transaction.writes);
      return watched(watch, transaction, store.write(transaction));
    },
    writeAll: (transactions) => {
      for (const { writes } of transactions) watch.written(writes);
      const writing = writeEach(store, transactions);
      return transactions.map((each, at) => watched(watch, each, writing[at] ?? noWrite)); // one for each
    },
  };
}

const noWrite = Promise.resolve();

/** Reports the end of a write, before the caller continues. */
function watched(
  watch: SessionWatch,
  { writes }: Transaction,
  writing: Promise<void>,
): Promise<void> {
  const ended = () => watch.written(writes); // records read during the write may be from before it
  return writing.then(ended, (error: unknown) => {
    if (error instanceof ConditionFailed) watch.overtaken();
    ended();
    throw error;
  });
}

interface Waiting<Ask, Result> {
  readonly ask: Ask;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns a function whose calls in one turn share one call of `run`, which returns their results in their order. */
function together<Ask, Result>(
  run: (asked: readonly Ask[]) => Promise<readonly Result[]>,
): (ask: Ask) => Promise<Result> {
  let waiting: Waiting<Ask, Result>[] = [];

  async function resolveAll(): Promise<void> {
    const group = waiting;
    waiting = [];
    try {
      const results = await run(group.map(({ ask }) => ask));
      // one result for each call, by the contract of `run`
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      // the tick comes after all promises that can continue now: their calls belong to this turn as well
      if (waiting.length === 1) queueMicrotask(() => process.nextTick(resolveAll));
    });
}

async function readTogether(
  store: Store,
  asked: readonly (readonly Key[])[],
): Promise<readonly (readonly (Stored | undefined)[])[]> {
  const [only] = asked;
  if (only !== undefined && asked.length === 1) return [await store.get(only)];
  const items = await store.get(asked.flat());
  let at = 0;
  return asked.map(({ length }) => {
    at += length;
    return items.slice(at - length, at);
  });
}

interface Asked {
  readonly counter: Key;
  readonly count: number;
}

async function takeTogether(store: Store, asked: readonly Asked[]): Promise<readonly number[]> {
  const counters = new Map<string, { readonly counter: Key; total: number; next: number }>();
  for (const { counter, count } of asked) {
    const found = counters.get(keyText(counter)) ?? { counter, total: 0, next: 0 };
    found.total += count;
    counters.set(keyText(counter), found);
  }
  const all = [...counters.values()];
  const firsts = await Promise.all(
    all.map(({ counter, total }) => reserveNumbers(store, counter, total)),
  );
  for (const [at, each] of all.entries()) each.next = firsts[at] ?? 0; // one for each
  return asked.map(({ counter, count }) => {
    const found = counters.get(keyText(counter));
    if (found === undefined) throw new Error('a counter was not asked');
    found.next += count;
    return found.next - count;
  });
}

/** Returns one text for a key: no partition key holds U+0000. */
function keyText({ pk, sk }: Key): string {
  return `${pk}\u0000${sk}`;
}
