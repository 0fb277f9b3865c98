import type { Key } from '../../../../store/store.ts';

/** Knowledge of a full cache about keys, by their hashes. */
export interface Filters {
  readonly present: Presence;
  /** Notes that a key was read; returns whether it was among the last ones before, about as many as there are items. */
  readonly wasRead: (key: Key) => boolean;
}

/** Keys of the items. */
export interface Presence {
  add(hash: number): void;
  remove(hash: number): void;
  /** Returns false for most keys that are not there: in less time than it takes to look one up in a large map. */
  mayHave(hash: number): boolean;
}

/**
 * Creates the filters of a full cache.
 *
 * @param count of keys that it usually has
 * @param keys that it has
 */
export function openFilters(count: number, keys: Iterable<Key>): Filters {
  const present = openPresence(count);
  for (const key of keys) present.add(hashOfKey(key));
  return { present, wasRead: openReadKeys(count) };
}

const most = 255; // such a count stays: it may have been more

function openPresence(count: number): Presence {
  const counts = new Uint8Array(4 * powerOfTwo(count)); // of keys, each at the position that its lower bits name
  const last = counts.length - 1;
  return {
    add: (hash) => {
      const keys = counts[hash & last] ?? 0;
      if (keys < most) counts[hash & last] = keys + 1;
    },
    remove: (hash) => {
      const keys = counts[hash & last] ?? 0;
      if (keys < most) counts[hash & last] = keys - 1;
    },
    mayHave: (hash) => counts[hash & last] !== 0,
  };
}

function openReadKeys(count: number): Filters['wasRead'] {
  const hashes = new Int32Array(powerOfTwo(count)); // each at the position that its lower bits name
  return (key) => {
    const hash = hashOfKey(key);
    const at = hash & (hashes.length - 1);
    const isKnown = hashes[at] === hash;
    hashes[at] = hash;
    return isKnown;
  };
}

/** Returns the least power of two that is not below a count. */
function powerOfTwo(count: number): number {
  return 2 ** Math.ceil(Math.log2(count));
}

/** Returns the hash of both parts of a key. */
export function hashOfKey({ pk, sk }: Key): number {
  return hashText(sk, hashText(pk));
}

/** Returns the hash of a text (FNV-1a) that follows a text with the hash `start`. */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
