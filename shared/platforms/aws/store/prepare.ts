import { checkKeyLimits } from '../../../store/key-limits.ts';
import { maxItemBytes, maxTransactionBytes, maxWrites } from '../../../store/limits.ts';
import { ItemTooLarge, type Transaction, type Write } from '../../../store/store.ts';
import { type Item, itemBytes, writeItem } from './item.ts';

/** A transaction, checked and encoded. */
export interface PreparedTransaction {
  readonly id: string;
  readonly writes: readonly PreparedWrite[];
}

/** One write with its position and its item. */
export interface PreparedWrite {
  readonly write: Write;
  /** Its position in the transaction. */
  readonly position: number;
  /** The item as stored; absent unless it is a put. */
  readonly item?: Item;
}

/**
 * Checks a transaction and encodes its items. Checks without condition are dropped.
 *
 * @throws ItemTooLarge
 * @throws Error when it breaks another limit of the store
 */
export function prepareTransaction(transaction: Transaction): PreparedTransaction {
  const { id, writes } = transaction;
  if (writes.length > maxWrites) throw new Error(`${writes.length} writes in one transaction`);
  checkKeys(writes);
  let totalBytes = 0;
  const prepared: PreparedWrite[] = [];
  for (const [position, write] of writes.entries()) {
    if (write.action === 'check' && write.condition.kind === 'none') continue;
    if (write.action !== 'put') {
      prepared.push({ write, position });
      continue;
    }
    const item = writeItem(write, id, transaction.change);
    const bytes = itemBytes(item);
    if (bytes > maxItemBytes) throw new ItemTooLarge(write.key, bytes);
    totalBytes += bytes;
    prepared.push({ write, position, item });
  }
  if (totalBytes > maxTransactionBytes) throw new Error(`a transaction of ${totalBytes} bytes`);
  return { id, writes: prepared };
}

function checkKeys(writes: readonly Write[]): void {
  const seen = new Set<string>();
  for (const { key } of writes) {
    checkKeyLimits(key);
    seen.add(`${key.pk}\u0000${key.sk}`);
  }
  if (seen.size < writes.length) throw new Error('a key stands twice in one transaction');
}
