import type { FileStore } from '../../ports/file-store.ts';
import type { Key, Stored } from '../../store/store.ts';
import type { KeyClaims } from '../../values/keys/credentials.ts';

/**
 * Cached parts of records, which save the read that finds a name's id. Entries may be outdated: code that uses
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

/** Creates a cache. Its key function identifies the entries. */
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
 * @param keyOf one of those below: what an item gives is cached by the item, never by its version alone
 * @returns the cache that belongs to a process's caches; it is created at its first use
 */
export function defineCache<Of, Value>(
  keyOf: (of: Of) => CacheKey,
): (caches: Caches) => Cache<Of, Value> {
  const opened = new WeakMap<Caches, Cache<Of, Value>>();
  return (caches) => {
    const known = opened.get(caches);
    if (known !== undefined) return known;
    const cache = caches.createCache<Of, Value>(keyOf);
    opened.set(caches, cache);
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

/*
 * KEYS OF CACHES. Only this file makes them, so that no cache can be keyed by a part of what identifies its entries. A
 * version identifies nothing by itself: all items of one transaction have the same one. The parts of a key are separated
 * by U+0000, which only its last part may contain, so two keys never have the same text.
 */

/** Text that identifies an entry of a cache. */
export type CacheKey = string & { readonly [brand]: true };

declare const brand: unique symbol;

/** An item as it was read. */
export type ItemState = Pick<Stored, 'key' | 'version'>;

/** Keys of items that were asked for before: making one takes ten times as long as finding it here. */
const itemKeys = new WeakMap<ItemState, CacheKey>();

/** Returns the key of what an item gives: its record at its version. */
export function byItem(item: ItemState): CacheKey {
  const known = itemKeys.get(item);
  if (known !== undefined) return known;
  const key = made(`${item.key.pk}\u0000${item.key.sk}\u0000${item.version}`);
  itemKeys.set(item, key);
  return key;
}

/** An item, and a text that it is used with. */
export interface ItemUse {
  readonly item: ItemState;
  readonly text: string;
}

/** Returns the key of what an item gives for a text, such as a query on a class. */
export function byItemUse({ item, text }: ItemUse): CacheKey {
  return made(`${byItem(item)}\u0000${text}`);
}

/** Returns the key of a value that a record gives in all its versions, or that is checked against the record. */
export function byRecord({ pk, sk }: Key): CacheKey {
  return made(`${pk}\u0000${sk}`);
}

/**
 * Returns the key of what a process has observed in an instance.
 *
 * @param instance its data id
 * @param parts what identifies it there; only the last one may contain U+0000
 */
export function byInstance(instance: number, ...parts: readonly (number | string)[]): CacheKey {
  return made([instance, ...parts].join('\u0000'));
}

/** Returns the key of what belongs to the name of an instance, which the deployment has once. */
export function byInstanceName(name: string): CacheKey {
  return made(name);
}

/** Returns the key of what a credential says; its text is all of it. */
export function byCredential(text: string): CacheKey {
  return made(text);
}

function made(text: string): CacheKey {
  return text as CacheKey; // of this file
}
