import type { Bound, Key, Store, Stored, Write } from '../../shared/store/store.ts';

/** All items of some partitions, by partition and sort key. */
export type Dump = Readonly<Record<string, Omit<Stored, 'key'>>>;

/** A store that records all writes. */
export interface WatchedStore extends Store {
  /** Transactions that were applied, except attempts to log in, counts of requests and slots of runs. */
  readonly commits: number;
  /**
   * Reads all current items, except attempts to log in, which count every caller's mistakes, counts of requests, which
   * are written at intervals, and slots that runs have at the moment.
   *
   * @param isWanted chooses partitions by their key; all when absent
   */
  dump(isWanted?: (pk: string) => boolean): Promise<Dump>;
}

/** Wraps a store so that all of it can be compared before and after. */
export function watch(store: Store): WatchedStore {
  const partitions = new Set<string>();
  let commits = 0;

  return {
    get: (keys) => store.get(keys),
    query: (query) => store.query(query),
    next: (counter, count, most) => store.next(counter, count, most),
    close: () => store.close(),
    get commits() {
      return commits;
    },
    write: async (transaction) => {
      for (const { key } of transaction.writes) partitions.add(key.pk);
      await store.write(transaction);
      if (!transaction.writes.every(isBookkeeping)) commits += 1;
    },
    dump: async (isWanted = () => true) => {
      const found: Record<string, Omit<Stored, 'key'>> = {};
      for (const pk of [...partitions].filter(isWanted).sort()) {
        for (const { key, ...item } of await partition(store, pk)) {
          if (!isPassing(key)) found[`${key.pk} ${key.sk}`] = item;
        }
      }
      return found;
    },
  };
}

function isBookkeeping({ action, key }: Write): boolean {
  return action === 'check' || isPassing(key);
}

function isPassing({ pk }: Key): boolean {
  return /^ATTEMPTS(FROM)?#/.test(pk) || pk.endsWith('#USAGE') || pk.endsWith('#RUNS');
}

async function partition(store: Store, pk: string): Promise<readonly Stored[]> {
  const items: Stored[] = [];
  let lower: Bound | undefined;
  for (;;) {
    const page = await store.query({ pk, ...(lower && { lower }), limit: 1000 });
    items.push(...page.items);
    const last = page.positions.at(-1);
    if (!page.more || last === undefined) return items;
    lower = { key: last, inclusive: false };
  }
}
