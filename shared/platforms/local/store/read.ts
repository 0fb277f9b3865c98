import type { Transaction } from 'lmdb';
import { openTurns } from '../../../ports/limits/time-slices.ts';
import { maxQueryLimit } from '../../../store/limits.ts';
import type {
  Key,
  Query,
  QueryPage,
  Snapshot,
  Store,
  Stored,
  Turns,
} from '../../../store/store.ts';
import type { CachedItem, ItemCache } from './cache/item-cache.ts';
import { isExpired, parseItem } from './envelope.ts';
import { itemKey, type KeyRange, keyPrefix, keyRange } from './keys.ts';
import type { Layer } from './pending/layer.ts';
import { layTables } from './pending/layered-tables.ts';
import type { Range, StoredTables, StoreTable, Tables } from './tables.ts';

const lookEvery = 16; // entries; reading the clock costs as much as a short entry

/** Tables and cache for reading, and the time in epoch seconds. */
export interface ReadContext {
  readonly tables: Tables;
  readonly cache: ItemCache;
  readonly now: () => number;
}

/** Creates the reading half of a store. */
export function createReader(context: ReadContext): Pick<Store, 'get' | 'query'> {
  return {
    get: async (keys) => keys.map((key) => readItem(context, key)),
    query: async (query) => {
      if (!(query.limit >= 1 && query.limit <= maxQueryLimit))
        throw new Error(`limit ${query.limit}`);
      const found: FoundItems = { items: [], positions: [], more: false };
      let rest: KeyRange | undefined = keyRange(query);
      const turns = query.turns ?? openTurns();
      for (;;) {
        rest = scanRange(context, { query, range: rest, found, turns });
        if (rest === undefined) return found;
        await turns.pause();
      }
    },
  };
}

/** Returns the first sort keys of a partition, without reading its items. */
export function sortKeysOf({ items }: Tables, pk: string, limit: number): readonly string[] {
  const { prefix, start, end } = keyRange({ pk, limit });
  return [...items.getKeys({ start, end, limit })].map((key) => key.slice(prefix.length));
}

interface FoundItems extends QueryPage {
  readonly items: Stored[];
  readonly positions: string[];
  more: boolean;
}

interface RangeScan {
  readonly query: Query;
  readonly range: KeyRange;
  readonly found: FoundItems;
  readonly turns: Turns;
}

/** Reads an item; undefined when it is absent or has expired. */
function readItem(context: ReadContext, key: Key): Stored | undefined {
  return currentItem(context, context.cache.get(key) ?? loadItem(context, key, itemKey(key)));
}

/** Returns `readItem` for the sort keys of one partition. */
function partitionReader(context: ReadContext, pk: string): (sk: string) => Stored | undefined {
  const cached = context.cache.partition(pk);
  const prefix = keyPrefix(pk); // what the table and its indexes hold needs no check
  return (sk) => currentItem(context, cached(sk) ?? loadItem(context, { pk, sk }, prefix + sk));
}

function currentItem({ now }: ReadContext, item: CachedItem | undefined): Stored | undefined {
  return item === undefined || isExpired(item.expiresAt, now) ? undefined : item.stored;
}

/** Reads an item that is not in the cache; `text` is its key as `itemKey` writes it. */
function loadItem({ tables, cache }: ReadContext, key: Key, text: string): CachedItem | undefined {
  const value = tables.items.get(text);
  if (value === undefined) return undefined;
  const item = parseItem(key, value);
  if (cache.set(item)) item.stored.share();
  return item;
}

/**
 * Scans a range until the page is full or others have their turn; returns the rest of the range. Of the table, only
 * keys are scanned: most items are in the cache, and their text need not be read.
 */
function scanRange(
  context: ReadContext,
  { query, range, found, turns }: RangeScan,
): KeyRange | undefined {
  const { items, indexes } = context.tables;
  const read = partitionReader(context, query.pk);
  let walked = 0;
  let isFull = false;
  let last = range.start;
  const entries =
    query.index === undefined ? items.getKeys(scanOf(range)) : indexes.getRange(scanOf(range));
  for (const entry of entries) {
    const isKey = typeof entry === 'string';
    const key = isKey ? entry : entry.key;
    if (isFull) {
      found.more = true;
      return undefined;
    }
    if (isOver(walked, turns)) return { ...range, start: last, exclusiveStart: true };
    walked += 1;
    last = key;
    const position = key.slice(range.prefix.length);
    const item = read(isKey ? position : entry.value);
    if (item === undefined) continue;
    found.items.push(item);
    found.positions.push(position);
    isFull = isLast(query, found.items, item);
  }
  return undefined;
}

/** Returns the options of a scan. */
function scanOf({ start, exclusiveStart, end, inclusiveEnd, reverse }: KeyRange): Range {
  return { start, exclusiveStart, end, inclusiveEnd, reverse };
}

/** Checks whether a page ends with its newest item. */
function isLast({ limit, isEnough }: Query, items: readonly Stored[], item: Stored): boolean {
  return isEnough?.(item) === true || items.length === limit; // gets the last item of a full page too
}

/** Checks whether a scan pauses; never before it has read a few more entries. */
function isOver(walked: number, turns: Turns): boolean {
  return walked % lookEvery === lookEvery - 1 && turns.isDue();
}

/**
 * Opens a read transaction, in which the tables remain as they are now. Its items are not cached, and may have expired.
 *
 * @param layers over the tables; they do not change
 */
export function openSnapshot(stored: StoredTables, layers: readonly Layer[]): Snapshot {
  const transaction = stored.environment.useReadTransaction();
  const { items } = layTables(tablesIn(stored, transaction), () => layers);
  let isOpen = true;
  return {
    query: async (query): Promise<QueryPage> => {
      if (!isOpen) throw new Error('the snapshot is closed');
      const range = keyRange(query);
      const entries = [...items.getRange({ ...scanOf(range), limit: query.limit + 1 })];
      const page = entries.slice(0, query.limit);
      const positions = page.map(({ key }) => key.slice(range.prefix.length));
      const shown = page.map(
        ({ value }, at) => parseItem({ pk: query.pk, sk: positions[at] ?? '' }, value).stored,
      );
      return { items: shown, positions, more: entries.length > query.limit };
    },
    close: () => {
      if (isOpen) transaction.done();
      isOpen = false;
    },
  };
}

/** Returns tables as a read transaction has them. */
function tablesIn(stored: StoredTables, transaction: Transaction): Tables {
  const tableIn = (table: StoredTables['items']): StoreTable => ({
    get: (key) => table.get(key, { transaction }),
    getKeys: (range) => table.getKeys({ ...range, transaction }),
    getRange: (range) => table.getRange({ ...range, transaction }),
  });
  const { items, indexes, counters, changes } = stored;
  return {
    items: tableIn(items),
    indexes: tableIn(indexes),
    counters: tableIn(counters),
    changes: tableIn(changes),
  };
}
