import type { Stored } from '../../../store/store.ts';

/** Heap of the cache without a setting, in enough memory: some 40,000 objects of 600 characters. */
export const defaultCacheBytes = 128 * 2 ** 20;
/** Heap per character of an item's stored text: its data, and its response bodies (response-cache.ts). */
const bytesPerCharacter = 5;
/** Further heap per item: its key, its place in the cache. */
const bytesPerItem = 500;

/** An item as readers share it, and its expiry (epoch seconds, Infinity when never). */
export interface CachedItem {
  readonly stored: Stored;
  readonly expiresAt: number;
}

/**
 * Parsed items that were read recently, or written to be read by an index. The cache holds committed items only: an
 * item leaves it before it is changed, and does not come back before the change is committed.
 */
export interface ItemCache {
  get(key: string): CachedItem | undefined;
  /** Caches an item of `size` characters, unless it is about to change. */
  set(key: string, item: CachedItem, size: number): void;
  /** Removes an item that is about to change, until `unlock`. */
  lock(key: string): void;
  /** Reports that all changes in progress are committed or abandoned. */
  unlock(): void;
}

/**
 * Creates an empty cache. It has two generations: when the young one is full, it becomes the old one.
 *
 * @param maxBytes approximate heap of its items
 */
export function createItemCache(maxBytes: number): ItemCache {
  let young = new Map<string, CachedItem>();
  let old = new Map<string, CachedItem>();
  let youngBytes = 0;
  const locked = new Set<string>();

  function remember(key: string, item: CachedItem, size: number): void {
    const bytes = bytesPerItem + bytesPerCharacter * size;
    if (youngBytes + bytes > maxBytes / 2) {
      old = young;
      young = new Map();
      youngBytes = 0;
    }
    youngBytes += bytes;
    young.set(key, item);
  }

  return {
    get: (key) => young.get(key) ?? old.get(key),
    set: (key, item, size) => {
      if (!locked.has(key)) remember(key, item, size);
    },
    lock: (key) => {
      locked.add(key);
      young.delete(key);
      old.delete(key);
    },
    unlock: () => locked.clear(),
  };
}
