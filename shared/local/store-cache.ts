import type { Stored } from '../store/store.ts';

/** Characters of stored text that one generation of the cache stands for; about 50 MB of heap for both together. */
const maxGenerationSize = 8_000_000;

/** An item as readers share it, and when it expires (epoch seconds, Infinity when never). */
export interface CachedItem {
  readonly stored: Stored;
  readonly expiresAt: number;
}

/**
 * Parsed items that were read lately. What it holds is what is committed: an item leaves the cache before it is
 * changed, and does not come back before the change is committed.
 */
export interface ItemCache {
  get(key: string): CachedItem | undefined;
  /** Remembers an item of `size` characters, unless it is about to change. */
  set(key: string, item: CachedItem, size: number): void;
  /** Forgets an item that is about to change, until `unlock`. */
  lock(key: string): void;
  /** Says that all changes under way are committed or given up. */
  unlock(): void;
}

/** Makes an empty cache. It has two generations: when the young one is full, it becomes the old one. */
export function createItemCache(): ItemCache {
  let young = new Map<string, CachedItem>();
  let old = new Map<string, CachedItem>();
  let youngSize = 0;
  const locked = new Set<string>();

  function remember(key: string, item: CachedItem, size: number): void {
    if (youngSize + size > maxGenerationSize) {
      old = young;
      young = new Map();
      youngSize = 0;
    }
    youngSize += size;
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
