import type { Key, Stored } from '../../../store/store.ts';
import { itemKey, parseItemKey } from './keys.ts';

/** Heap of the cache without a setting, in enough memory: some 40,000 objects of 600 characters. */
export const defaultCacheBytes = 128 * 2 ** 20;
/** Heap per character of an item's stored text: its data, and its response bodies (response-cache.ts). */
const bytesPerCharacter = 5;
/** Further heap per item: its key, its place in the cache. */
const bytesPerItem = 500;
/** Heap of the place of a partition. */
const bytesPerPartition = 400;

/** An item as readers share it, and its expiry (epoch seconds, Infinity when never). */
export interface CachedItem {
  readonly stored: Stored;
  readonly expiresAt: number;
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
  /** Caches an item of `size` characters, unless it is about to change. */
  set(item: CachedItem, size: number): void;
  /** Removes an item, given by its key as one text, that is about to change, until `unlock`. */
  lock(itemKey: string): void;
  /** Reports that all changes in progress are committed or abandoned. */
  unlock(): void;
}

/** Items by partition key, then by sort key: this short key is faster to look up than both as one text. */
type Generation = Map<string, Map<string, CachedItem>>;

/**
 * Creates an empty cache. It has two generations: when the young one is full, it becomes the old one.
 *
 * @param maxBytes approximate heap of its items
 */
export function createItemCache(maxBytes: number): ItemCache {
  let young: Generation = new Map();
  let old: Generation = new Map();
  let youngBytes = 0;
  const locked = new Set<string>();

  function remember(item: CachedItem, size: number): void {
    const { pk, sk } = item.stored.key;
    const bytes = bytesPerItem + bytesPerCharacter * size;
    if (youngBytes + bytes > maxBytes / 2) {
      old = young;
      young = new Map();
      youngBytes = 0;
    }
    youngBytes += bytes;
    const partition = young.get(pk);
    if (partition !== undefined) {
      partition.set(sk, item);
      return;
    }
    youngBytes += bytesPerPartition;
    young.set(pk, new Map([[sk, item]]));
  }

  return {
    get: ({ pk, sk }) => young.get(pk)?.get(sk) ?? old.get(pk)?.get(sk),
    partition: (pk) => {
      const [newer, older] = [young.get(pk), old.get(pk)];
      return (sk) => newer?.get(sk) ?? older?.get(sk);
    },
    set: (item, size) => {
      const isLocked = locked.size > 0 && locked.has(itemKey(item.stored.key));
      if (!isLocked) remember(item, size);
    },
    lock: (text) => {
      locked.add(text);
      const { pk, sk } = parseItemKey(text);
      young.get(pk)?.delete(sk);
      old.get(pk)?.delete(sk);
    },
    unlock: () => locked.clear(),
  };
}
