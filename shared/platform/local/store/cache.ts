import { getHeapStatistics } from 'node:v8';
import type { Stored } from '../../../store/store.ts';

/** Of the heap that the process may use, what the cache takes at the most. */
const heapShare = 1 / 4;
/** Heap of an item for each character of its stored text: its data, and its response bodies (response-cache.ts). */
const bytesPerCharacter = 5;
/** Heap of an item besides: its key, its place in the cache. */
const bytesPerItem = 500;

/** An item as readers share it, and when it expires (epoch seconds, Infinity when never). */
export interface CachedItem {
  readonly stored: Stored;
  readonly expiresAt: number;
}

/**
 * Parsed items that were read lately, or written to be read by an index. What it holds is what is committed: an item leaves the cache before it is
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

/**
 * Makes an empty cache. It has two generations: when the young one is full, it becomes the old one.
 *
 * @param maxBytes of heap that it holds, about; a quarter of what the process may use when absent
 */
export function createItemCache(
  maxBytes = getHeapStatistics().heap_size_limit * heapShare,
): ItemCache {
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
