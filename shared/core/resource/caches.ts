import type { FileStore } from '../../platform/ports.ts';
import type { KeyClaims } from '../pipeline/caller/credentials.ts';
import { byCredential, byInstanceName, type CacheKey } from './cache-keys.ts';

/**
 * What a process caches of records, to save the read that finds a name's id. Entries may be outdated: code that uses
 * one reads the record that proves it in the same step, and looks the name up again when the entry was wrong.
 */
export interface Caches {
  /** Data ids by instance name. */
  readonly instances: Cache<string, number>;
  /** Claims of genuine keys by their text: saves the MAC, not the record, which is read for each request. */
  readonly keys: Cache<string, KeyClaims>;
  /** Returns the URL where public files are served. */
  readonly filesAt: () => string;
  /** Creates the caches of features. */
  readonly createCache: CreateCache;
}

/** A bounded map. It is emptied when full, which costs a few reads and no bookkeeping. */
export interface Cache<Of, Value> {
  get(of: Of): Value | undefined;
  /** Sets a value; undefined deletes it. */
  set(of: Of, value: Value | undefined): void;
}

/** Creates a cache. Its key function (cache-keys.ts) identifies the entries. */
export type CreateCache = <Of, Value>(keyOf: (of: Of) => CacheKey) => Cache<Of, Value>;

const maxEntries = 10_000;

/**
 * Creates the caches of a process, empty.
 *
 * @param create another one in tests, whose caches keep nothing
 */
export function createCaches(
  files: Pick<FileStore, 'address'>,
  create: CreateCache = createCache,
): Caches {
  return {
    filesAt: files.address,
    createCache: create,
    instances: create(byInstanceName),
    keys: create(byCredential),
  };
}

/**
 * Declares a cache of a feature, one for each process.
 *
 * @param keyOf one of cache-keys.ts: what an item gives is cached by the item, never by its version alone
 * @returns the cache that belongs to a process's caches; it is created at its first use
 */
export function defineCache<Of, Value>(
  keyOf: (of: Of) => CacheKey,
): (caches: Caches) => Cache<Of, Value> {
  const made = new WeakMap<Caches, Cache<Of, Value>>();
  return (caches) => {
    const known = made.get(caches);
    if (known !== undefined) return known;
    const cache = caches.createCache<Of, Value>(keyOf);
    made.set(caches, cache);
    return cache;
  };
}

/** Creates a cache of at most {@link maxEntries} entries. */
export function createCache<Of, Value>(keyOf: (of: Of) => CacheKey): Cache<Of, Value> {
  const entries = new Map<CacheKey, Value>();
  return {
    get: (of) => entries.get(keyOf(of)),
    set: (of, value) => {
      const key = keyOf(of);
      if (value === undefined) {
        entries.delete(key);
        return;
      }
      if (entries.size >= maxEntries) entries.clear();
      entries.set(key, value);
    },
  };
}
