import type { Key, Stored } from '../../store/store.ts';

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

/** A class, and a text about its lists. */
export interface ClassUse {
  /** Data id of the instance. */
  readonly instance: number;
  /** Number of the class; no later class of the instance gets it. */
  readonly classNumber: number;
  readonly text: string;
}

/** Returns the key of what a process has observed of a class, in all its versions. */
export function byClass({ instance, classNumber, text }: ClassUse): CacheKey {
  return made(`${instance}\u0000${classNumber}\u0000${text}`);
}

/** Returns the key of what belongs to the name of an instance, which the deployment has once. */
export function byInstanceName(name: string): CacheKey {
  return made(name);
}

/** Returns the key of what a credential says; its text is all of it. */
export function byCredential(text: string): CacheKey {
  return made(text);
}

/** A quota of an instance. */
export interface QuotaPlace {
  /** Data id of the instance. */
  readonly instance: number;
  readonly kind: string;
}

/** Returns the key of what counts for a quota. */
export function byQuota({ instance, kind }: QuotaPlace): CacheKey {
  return made(`${instance}\u0000${kind}`);
}

function made(text: string): CacheKey {
  return text as CacheKey; // of this file
}
