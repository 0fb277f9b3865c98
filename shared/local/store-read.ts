import { setImmediate } from 'node:timers/promises';
import { maxQueryLimit } from '../store/limits.ts';
import type { Key, Query, QueryPage, Store, Stored } from '../store/store.ts';
import type { CachedItem, ItemCache } from './store-cache.ts';
import { isExpired, readEnvelope, storedItem } from './store-envelope.ts';
import { itemKey, type KeyRange, keyRange } from './store-keys.ts';
import type { Tables } from './store-tables.ts';

/** Entries walked before others get their turn. */
const chunkSize = 500;

/** What reading needs: the tables, what was read before, and the time in epoch seconds. */
export interface ReadContext {
  readonly tables: Tables;
  readonly cache: ItemCache;
  readonly now: () => number;
}

/** The reading half of a store. */
export function createReader(context: ReadContext): Pick<Store, 'get' | 'query'> {
  return {
    get: async (keys) => keys.map((key) => readItem(context, key)),
    query: async (query) => {
      if (!(query.limit >= 1 && query.limit <= maxQueryLimit))
        throw new Error(`limit ${query.limit}`);
      const found: FoundItems = { items: [], positions: [], more: false };
      let rest: KeyRange | undefined = keyRange(query);
      for (;;) {
        rest = walk(context, { query, range: rest, found });
        if (rest === undefined) return found;
        await setImmediate();
      }
    },
  };
}

interface FoundItems extends QueryPage {
  readonly items: Stored[];
  readonly positions: string[];
  more: boolean;
}

interface Walk {
  readonly query: Query;
  readonly range: KeyRange;
  readonly found: FoundItems;
}

function readItem(context: ReadContext, key: Key): Stored | undefined {
  const text = itemKey(key);
  return visible(context, context.cache.get(text) ?? loadItem(context, text, key));
}

function visible(context: ReadContext, item: CachedItem | undefined): Stored | undefined {
  return item === undefined || isExpired(item.expiresAt, context.now) ? undefined : item.stored;
}

function loadItem(context: ReadContext, text: string, key: Key): CachedItem | undefined {
  const value = context.tables.items.get(text);
  return value === undefined ? undefined : parseItem(context, { text, key, value });
}

function parseItem(
  { cache }: ReadContext,
  { text, key, value }: { readonly text: string; readonly key: Key; readonly value: string },
): CachedItem {
  const envelope = readEnvelope(value);
  const item = { stored: storedItem(key, envelope), expiresAt: envelope.expiresAt };
  cache.set(text, item, value.length);
  return item;
}

/** Walks a range until the page is full or a chunk is done; returns what is left to walk. */
function walk(context: ReadContext, { query, range, found }: Walk): KeyRange | undefined {
  const { items, indexes } = context.tables;
  const read = query.index === undefined ? readTableEntry : readIndexEntry;
  let walked = 0;
  let last = range.start;
  for (const { key, value } of (query.index === undefined ? items : indexes).getRange(range)) {
    if (found.items.length === query.limit) {
      found.more = true;
      return undefined;
    }
    if (walked === chunkSize) return { ...range, start: last, exclusiveStart: true };
    walked += 1;
    last = key;
    const item = visible(context, read(context, { pk: query.pk, text: key, value }));
    if (item === undefined) continue;
    found.items.push(item);
    found.positions.push(key.slice(range.prefix.length));
  }
  return undefined;
}

interface Entry {
  readonly pk: string;
  readonly text: string;
  readonly value: string;
}

function readTableEntry(context: ReadContext, { pk, text, value }: Entry): CachedItem {
  const key = { pk, sk: text.slice(pk.length + 1) };
  return context.cache.get(text) ?? parseItem(context, { text, key, value });
}

function readIndexEntry(context: ReadContext, { pk, value }: Entry): CachedItem | undefined {
  const key = { pk, sk: value };
  const text = itemKey(key);
  return context.cache.get(text) ?? loadItem(context, text, key);
}
