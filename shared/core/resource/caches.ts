import type { FileStore } from '../../platform/ports.ts';
import type { Key } from '../../store/store.ts';
import type { KeyClaims } from '../pipeline/caller/credentials.ts';

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
}

/** A bounded map. It is emptied when full, which costs a few reads and no bookkeeping. */
export interface Cache<Name, Value> {
  get(name: Name): Value | undefined;
  set(name: Name, value: Value | undefined): void;
}

const maxEntries = 10_000;

/** Creates the caches of a process, empty. */
export function createCaches(files: Pick<FileStore, 'address'>): Caches {
  return {
    filesAt: files.address,
    instances: createCache(),
    keys: createCache(),
  };
}

/**
 * Declares a cache of a feature, one for each process.
 *
 * @returns the cache that belongs to a process's caches; it is created at its first use
 */
export function defineCache<Name, Value>(): (caches: Caches) => Cache<Name, Value> {
  const made = new WeakMap<Caches, Cache<Name, Value>>();
  return (caches) => {
    const known = made.get(caches);
    if (known !== undefined) return known;
    const cache = createCache<Name, Value>();
    made.set(caches, cache);
    return cache;
  };
}

/** Creates a cache of at most {@link maxEntries} entries; setting undefined deletes one. */
export function createCache<Name, Value>(): Cache<Name, Value> {
  const entries = new Map<Name, Value>();
  return {
    get: (name) => entries.get(name),
    set: (name, value) => {
      if (value === undefined) {
        entries.delete(name);
        return;
      }
      if (entries.size >= maxEntries) entries.clear();
      entries.set(name, value);
    },
  };
}

/** Returns the name of a record's entry in a cache of values that records give. */
export function cacheName({ pk, sk }: Key): string {
  return `${pk}/${sk}`;
}
