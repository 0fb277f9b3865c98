import {
  checkIndexKey,
  checkKeyLimits,
  checkLength,
  checkPartition,
} from '../../../store/key-limits.ts';
import { type IndexName, indexNames, type Key, type Query } from '../../../store/store.ts';

/** Ends a partition key: no partition key contains it, so it cannot be confused with the part that follows. */
const separator = '\u0000';

/** The smallest string above all that start with a partition key and the separator. */
const afterSeparator = '\u0001';

/** One letter per index: the first byte of its entries. */
const letters = new Map<IndexName, string>(
  indexNames.map((name, position) => [name, String.fromCharCode(65 + position)]),
);

/** First byte of the expiry entries; below every letter. */
const expiryMark = '!';

/** Digits of a time in seconds, so that text order is time order. */
const timeDigits = 12;

/** The last character whose UTF-8 is one byte. */
const lastPlain = 0x7f;

/** Encodes keys as UTF-8: LMDB compares bytes, so keys are ordered by code point. */
export const keyEncoder = {
  writeKey: (key: string, target: Buffer, position: number): number => {
    // most keys are short and ASCII: a loop is faster than a call of native code
    for (let at = 0; at < key.length; at += 1) {
      const code = key.charCodeAt(at);
      if (code > lastPlain) return position + target.write(key, position);
      target[position + at] = code;
    }
    return position + key.length;
  },
  readKey: (source: Buffer, start: number, end: number): string =>
    source.toString('utf8', start, end),
};

/**
 * Formats a key of the table as one text.
 *
 * @throws Error when the key breaks the limits of `Key`
 */
export function itemKey(key: Key): string {
  checkKeyLimits(key);
  return keyPrefix(key.pk) + key.sk;
}

/** Returns what `itemKey` begins with for keys of a partition. */
export function keyPrefix(pk: string): string {
  return pk + separator;
}

/** Parses the text of `itemKey`. */
export function parseItemKey(text: string): Key {
  const end = text.indexOf(separator);
  return { pk: text.slice(0, end), sk: text.slice(end + 1) };
}

/**
 * Formats the key of an index entry. The sort key is last, because it may contain U+0000.
 *
 * @throws Error when the sort key is empty, or too long together with `pk`
 */
export function indexKey(name: IndexName, pk: string, sortKey: string): string {
  checkIndexKey(name, pk, sortKey);
  return letterOf(name) + pk + separator + sortKey;
}

/** Formats the key of an item's expiry entry; `expiresAt` in epoch seconds. */
export function expiryKey(expiresAt: number, item: string): string {
  return expiryMark + String(Math.ceil(expiresAt)).padStart(timeDigits, '0') + separator + item;
}

/** Returns the range of entries of items that expired before `seconds`, oldest first. */
export function expiredBefore(seconds: number): { readonly start: string; readonly end: string } {
  return { start: expiryMark, end: expiryKey(seconds, '') };
}

/** Returns the item key of an expiry entry, as `itemKey` writes it. */
export function itemOfExpiryKey(entry: string): string {
  return entry.slice(expiryMark.length + timeDigits + separator.length);
}

/** A range of keys in LMDB. */
export interface KeyRange {
  /** Common start of all keys of the partition; the sort key follows. */
  readonly prefix: string;
  readonly start: string;
  readonly exclusiveStart: boolean;
  readonly end: string;
  readonly inclusiveEnd: boolean;
  readonly reverse: boolean;
}

/**
 * Returns the range of keys that a query reads.
 *
 * @throws Error when a key of the query breaks the limits of keys
 */
export function keyRange(query: Query): KeyRange {
  const { pk, lower, upper } = query;
  checkPartition(pk);
  if (lower !== undefined) checkLength(pk, lower.key);
  if (upper !== undefined) checkLength(pk, upper.key);
  const partition = query.index === undefined ? pk : letterOf(query.index) + pk;
  const prefix = partition + separator;
  const low = { key: prefix + (lower?.key ?? ''), inclusive: lower?.inclusive ?? true };
  const high = {
    key: upper === undefined ? partition + afterSeparator : prefix + upper.key,
    inclusive: upper?.inclusive ?? false,
  };
  const reverse = query.descending ?? false;
  const [first, last] = reverse ? [high, low] : [low, high];
  return {
    prefix,
    start: first.key,
    exclusiveStart: !first.inclusive,
    end: last.key,
    inclusiveEnd: last.inclusive,
    reverse,
  };
}

function letterOf(name: IndexName): string {
  const letter = letters.get(name);
  if (letter === undefined) throw new Error(`no index ${name}`);
  return letter;
}
