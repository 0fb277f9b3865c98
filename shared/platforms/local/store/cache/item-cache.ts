import type { Key } from '../../../../store/store.ts';
import type { TextItem } from '../../../../store/text-item.ts';
import { itemKey, parseItemKey } from '../keys.ts';
import { type Filters, hashOfKey, hashText, openFilters, type Presence } from './filters.ts';

/** Heap of the cache without a setting, in enough memory: some 40,000 objects of 600 characters. */
export const defaultCacheBytes = 128 * 2 ** 20;
/** Heap per character of an item's stored text: its data, and its response bodies (response-cache.ts). */
const bytesPerCharacter = 5;
/** Further heap per item: its key, its position in the cache. */
const bytesPerItem = 500;
/** Heap of an object of 700 characters: a full cache remembers about as many keys as it has items. */
const usualBytes = 4000;
/** Heap of the position of a partition. */
const bytesPerPartition = 400;

/**
 * An item as readers share it. An object literal would be allocated in V8's old space while most items stay cached, and
 * keep the texts of later ones, which do not, until the next full collection.
 */
export class CachedItem {
  readonly stored: TextItem;
  /** Epoch seconds, Infinity when never. */
  readonly expiresAt: number;
  /** Characters of its stored text. */
  readonly size: number;
  /** Its number in the cache, which sets it. */
  position = 0;

  constructor(stored: TextItem, expiresAt: number, size: number) {
    this.stored = stored;
    this.expiresAt = expiresAt;
    this.size = size;
  }
}

/**
 * Parsed items that were read recently. The cache holds committed items only: an item leaves it before it is changed,
 * and does not come back before the change is committed. Written items are not cached until they are read: most
 * of a long import would only be copied by the garbage collector.
 */
export interface ItemCache {
  get(key: Key): CachedItem | undefined;
  /** Returns `get` for the sort keys of one partition, for use in the same turn of the event loop. */
  partition(pk: string): (sk: string) => CachedItem | undefined;
  /**
   * Caches an item that it does not have, unless that is about to change, or the cache is full and the item was not
   * read shortly before: one long scan does not replace what others use all the time. Returns whether it did.
   */
  set(item: CachedItem): boolean;
  /** Removes an item, given by its key as one text, that is about to change, until `unlock`. */
  lock(itemKey: string): void;
  /** Reports that all changes in progress are committed or abandoned. */
  unlock(): void;
}

type Partition = Map<string, CachedItem>;

/**
 * Creates an empty cache. When it is full, the oldest items leave it.
 *
 * @param maxBytes approximate heap of its items
 */
export function createItemCache(maxBytes: number): ItemCache {
  // by partition key, then by sort key: this short key is faster to look up than both as one text
  const partitions = new Map<string, Partition>();
  const queue = openQueue();
  const locked = new Set<string>();
  let bytes = 0;
  let filters: Filters | undefined; // since the cache is full

  function add(item: CachedItem): void {
    const { pk, sk } = item.stored.key;
    const partition = partitions.get(pk);
    if (partition === undefined) partitions.set(pk, new Map([[sk, item]]));
    else partition.set(sk, item);
    bytes += bytesOf(item) + (partition === undefined ? bytesPerPartition : 0);
    filters?.present.add(hashOfKey(item.stored.key));
    queue.push(item);
    while (bytes > maxBytes) {
      filters ??= openFilters(maxBytes / usualBytes, queue.keys());
      remove(queue.oldest());
    }
  }

  function remove(item: CachedItem | undefined): void {
    if (item === undefined) return;
    const { pk, sk } = item.stored.key;
    const partition = partitions.get(pk);
    // entry by entry: a map dropped as a whole would keep its items until the next full collection
    partition?.delete(sk);
    if (partition?.size === 0) {
      partitions.delete(pk);
      bytes -= bytesPerPartition;
    }
    bytes -= bytesOf(item);
    filters?.present.remove(hashOfKey(item.stored.key));
    queue.remove(item);
  }

  return {
    get: ({ pk, sk }) => partitions.get(pk)?.get(sk),
    partition: (pk) => finderIn(partitions.get(pk), pk, filters?.present),
    set: (item) => {
      const { key } = item.stored;
      if (filters?.wasRead(key) === false || (locked.size > 0 && locked.has(itemKey(key))))
        return false;
      add(item);
      return true;
    },
    lock: (text) => {
      locked.add(text);
      const { pk, sk } = parseItemKey(text);
      remove(partitions.get(pk)?.get(sk));
    },
    unlock: () => locked.clear(),
  };
}

/** Returns the look-up of a partition; `present` of a full cache saves it for most keys that are absent. */
function finderIn(
  partition: Partition | undefined,
  pk: string,
  present: Presence | undefined,
): (sk: string) => CachedItem | undefined {
  if (partition === undefined) return () => undefined;
  if (present === undefined) return (sk) => partition.get(sk);
  const start = hashText(pk);
  return (sk) => (present.mayHave(hashText(sk, start)) ? partition.get(sk) : undefined);
}

function bytesOf({ size }: CachedItem): number {
  return bytesPerItem + bytesPerCharacter * size;
}

/** Items in the order in which they came. */
interface Queue {
  push(item: CachedItem): void;
  remove(item: CachedItem): void;
  /** Returns the item that was pushed first of those that are left. */
  oldest(): CachedItem | undefined;
  keys(): Iterable<Key>;
}

const sparePositions = 1000; // of removed items, before the queue is compacted

function openQueue(): Queue {
  let items: (CachedItem | undefined)[] = []; // by position; undefined: it was removed
  let left = 0;
  let oldest = 0; // no item has a lower position

  /** Numbers the items anew, without positions of removed ones. */
  function compact(): void {
    const kept = items.filter((item) => item !== undefined);
    for (const [position, item] of kept.entries()) item.position = position;
    items = kept;
    oldest = 0;
  }

  return {
    push: (item) => {
      if (items.length >= 2 * left + sparePositions) compact();
      item.position = items.length;
      items.push(item);
      left += 1;
    },
    remove: ({ position }) => {
      items[position] = undefined;
      left -= 1;
    },
    oldest: () => {
      while (oldest < items.length && items[oldest] === undefined) oldest += 1;
      return items[oldest];
    },
    keys: () => items.flatMap((item) => item?.stored.key ?? []),
  };
}
