import { tableIndexes } from '../../shared/platforms/aws/store/table.ts';
import { writeJson } from '../../shared/store/exact-json.ts';
import { maxQueryLimit } from '../../shared/store/limits.ts';
import type {
  IndexKeys,
  Query,
  QueryPage,
  Store,
  Stored,
  Write,
} from '../../shared/store/store.ts';

/** A store whose indexes are late. */
export interface LateStore extends Store {
  /** Lets the indexes contain all writes. */
  catchUp(): void;
}

/** An item as one of its versions was in the indexes. */
interface Entry {
  readonly stored: Stored;
  readonly indexes: IndexKeys;
}

/** The old and the new state of a write; undefined where there is none. */
interface Change {
  readonly sk: string;
  readonly before: Entry | undefined;
}

/** An item and its position in the requested index. */
interface Found {
  readonly stored: Stored;
  readonly position: string;
}

/**
 * Wraps a store so that its indexes lack the last writes of each partition, as those on AWS may for some
 * milliseconds: slots return items as they were then, the other indexes return them as they are now, if they still
 * exist. Writes that bypass the wrapper are visible at once.
 *
 * @param lag writes that a partition's indexes lack
 */
export function makeLate(store: Store, lag: number): LateStore {
  const known = new Map<string, Entry>();
  const pending = new Map<string, Change[][]>();

  function note(pk: string, writes: readonly Write[], version: string): void {
    const changes = writes.map((write) => {
      const name = `${pk}\n${write.key.sk}`;
      const before = known.get(name);
      const now = entryOf(write, version);
      if (now === undefined) known.delete(name);
      else known.set(name, now);
      return { sk: write.key.sk, before };
    });
    pending.set(pk, [...(pending.get(pk) ?? []), changes].slice(-lag));
  }

  return {
    get: (keys) => store.get(keys),
    next: (counter, count, most) => store.next(counter, count, most),
    close: () => store.close(),
    catchUp: () => pending.clear(),
    write: async (transaction) => {
      await store.write(transaction);
      const changes = transaction.writes.filter(({ action }) => action !== 'check');
      for (const pk of new Set(changes.map(({ key }) => key.pk))) {
        const writes = changes.filter(({ key }) => key.pk === pk);
        note(pk, writes, transaction.id);
      }
    },
    query: async (query) => {
      const { pk, index } = query;
      const changes = pending.get(pk)?.flat() ?? [];
      if (index === undefined || changes.length === 0) return store.query(query);
      const page = await undo(store, { ...query, index }, changes);
      const isWhole = tableIndexes.some(
        ({ name, projection }) => name === index && projection === 'ALL',
      );
      return isWhole ? page : refresh(store, page);
    },
  };
}

function entryOf(write: Write, version: string): Entry | undefined {
  if (write.action !== 'put') return undefined;
  const { key, kind, indexes = {} } = write;
  return { stored: { key, kind, version, data: JSON.parse(writeJson(write.data)) }, indexes };
}

/** Returns the result of a query without some changes, the oldest first. */
async function undo(
  store: Store,
  query: Query & { readonly index: keyof IndexKeys },
  changes: readonly Change[],
): Promise<QueryPage> {
  const before = new Map(changes.toReversed().map((change) => [change.sk, change.before]));
  const limit = Math.min(query.limit + before.size, maxQueryLimit);
  const now = await store.query({ ...query, limit });
  const order = (a: string, b: string) => compare(a, b) * (query.descending ? -1 : 1);
  const end = now.more ? now.positions.at(-1) : undefined;
  const found = pairs(now).filter(({ stored }) => !before.has(stored.key.sk));
  for (const entry of before.values()) {
    const position = entry?.indexes[query.index];
    if (entry === undefined || position === undefined || !isInside(position, query)) continue;
    if (end === undefined || order(position, end) <= 0)
      found.push({ stored: entry.stored, position });
  }
  const page = found.sort((a, b) => order(a.position, b.position)).slice(0, query.limit);
  return toPage(page, now.more || found.length > query.limit);
}

function isInside(position: string, { lower, upper }: Query): boolean {
  const low = lower === undefined ? 1 : compare(position, lower.key);
  const high = upper === undefined ? -1 : compare(position, upper.key);
  const isAbove = low > 0 || (low === 0 && lower?.inclusive === true);
  return isAbove && (high < 0 || (high === 0 && upper?.inclusive === true));
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Returns the current versions of the items, without deleted ones. */
async function refresh(store: Store, page: QueryPage): Promise<QueryPage> {
  const items = await store.get(page.items.map(({ key }) => key));
  const there = pairs(page).flatMap(({ position }, at) => {
    const stored = items[at];
    return stored === undefined ? [] : [{ stored, position }];
  });
  return toPage(there, page.more);
}

function pairs({ items, positions }: QueryPage): Found[] {
  return items.map((stored, at) => ({ stored, position: positions[at] ?? '' }));
}

function toPage(found: readonly Found[], more: boolean): QueryPage {
  return {
    items: found.map(({ stored }) => stored),
    positions: found.map(({ position }) => position),
    more,
  };
}
