import type { IndexName, Key } from './store.ts';

/** Maximum bytes of partition and sort key together, in UTF-8, in the table and in an index. */
const maxKeyBytes = 1000;

/** Not allowed in keys, so that adapters can separate keys by it; allowed in index keys. */
const forbidden = '\u0000';

/**
 * Checks a key of the table.
 *
 * @throws Error when it breaks the limits of `Key`
 */
export function checkKeyLimits({ pk, sk }: Key): void {
  checkPartition(pk);
  if (sk === '' || sk.includes(forbidden)) throw new Error(`no sort key: ${JSON.stringify(sk)}`);
  checkLength(pk, sk);
}

/**
 * Checks a partition key.
 *
 * @throws Error when it is empty or holds U+0000
 */
export function checkPartition(pk: string): void {
  if (pk === '' || pk.includes(forbidden))
    throw new Error(`no partition key: ${JSON.stringify(pk)}`);
}

/**
 * Checks a sort key of an index.
 *
 * @throws Error when it is empty, or too long together with `pk`
 */
export function checkIndexKey(name: IndexName, pk: string, sortKey: string): void {
  if (sortKey === '') throw new Error(`empty sort key in index ${name}`);
  checkLength(pk, sortKey);
}

/**
 * Checks that two parts of a key are not too long together.
 *
 * @throws Error when they are
 */
export function checkLength(pk: string, sortKey: string): void {
  // A UTF-16 unit takes at most three bytes, so that most keys need no count.
  if ((pk.length + sortKey.length) * 3 <= maxKeyBytes) return;
  const bytes = Buffer.byteLength(pk) + Buffer.byteLength(sortKey);
  if (bytes > maxKeyBytes) throw new Error(`a key of ${bytes} bytes is too long (${pk})`);
}
