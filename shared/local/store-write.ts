import {
  ConditionFailed,
  type IndexKeys,
  ItemTooLarge,
  indexNames,
  type Put,
  type Transaction,
  type Write,
} from '../store/store.ts';
import {
  type Envelope,
  holds,
  indexesOf,
  isExpired,
  readEnvelope,
  storedItem,
  writeEnvelope,
} from './store-envelope.ts';
import {
  expiredBefore,
  expiryKey,
  indexKey,
  itemKey,
  itemOfExpiryKey,
  parseItemKey,
} from './store-keys.ts';
import type { Tables } from './store-tables.ts';

/* As on DynamoDB, so that an app does not pass on one machine only. */
const maxItemBytes = 400 * 1024;
const maxTransactionBytes = 4 * 1024 * 1024;
const maxWrites = 100;

/** Expired items removed in one commit. */
const sweepSize = 100;

/** A transaction, checked and encoded. */
export interface PreparedTransaction {
  readonly id: string;
  readonly writes: readonly PreparedWrite[];
}

interface PreparedWrite {
  readonly write: Write;
  readonly key: string;
  /** The item as it is stored; absent unless it is a put. */
  readonly text?: string;
}

/** What a change needs: the tables, the time in epoch seconds, and who must hear of a change before it is made. */
export interface WriteContext {
  readonly tables: Tables;
  readonly now: () => number;
  readonly changing: (itemKey: string) => void;
}

/**
 * Checks a transaction and encodes its items, so that nothing can fail between its first and last change.
 *
 * @throws ItemTooLarge
 * @throws Error when it breaks another limit of the store
 */
export function prepareTransaction({ id, change, writes }: Transaction): PreparedTransaction {
  if (writes.length > maxWrites) throw new Error(`${writes.length} writes in one transaction`);
  let totalBytes = 0;
  const prepared = writes.map((write): PreparedWrite => {
    const key = itemKey(write.key);
    if (write.action !== 'put') return { write, key };
    indexEntries(write.key.pk, write.indexes ?? {}); // refuses what is too long
    const text = writeEnvelope(write, id, change);
    const bytes = Buffer.byteLength(text) + Buffer.byteLength(key);
    if (bytes > maxItemBytes) throw new ItemTooLarge(write.key, bytes);
    totalBytes += bytes;
    return { write, key, text };
  });
  if (totalBytes > maxTransactionBytes) throw new Error(`a transaction of ${totalBytes} bytes`);
  if (writes.length > 1 && new Set(prepared.map(({ key }) => key)).size < writes.length) {
    throw new Error('a key stands twice in one transaction');
  }
  return { id, writes: prepared };
}

/**
 * Applies a transaction, or nothing of it when a condition fails. Runs inside a transaction of the medium.
 *
 * @returns the failure, or undefined when the transaction is applied, now or earlier
 */
export function applyTransaction(
  context: WriteContext,
  { id, writes }: PreparedTransaction,
): ConditionFailed | undefined {
  const before = writes.map(({ key }) => {
    const text = context.tables.items.get(key);
    return text === undefined ? undefined : readEnvelope(text);
  });
  if (isApplied(id, writes, before)) return undefined;
  for (const [position, { write }] of writes.entries()) {
    const current = unexpired(before[position], context.now);
    if (holds(write.condition, current)) continue;
    return new ConditionFailed(position, current && storedItem(write.key, current));
  }
  for (const [position, prepared] of writes.entries()) {
    applyWrite(context, prepared, before[position]);
  }
  return undefined;
}

/**
 * Removes some items that expired. Runs inside a transaction of the medium.
 *
 * @returns whether there may be more
 */
export function sweepExpired(context: WriteContext): boolean {
  const range = { ...expiredBefore(context.now()), limit: sweepSize };
  const entries = [...context.tables.indexes.getKeys(range)];
  for (const entry of entries) {
    const key = itemOfExpiryKey(entry);
    const text = context.tables.items.get(key);
    if (text !== undefined) removeItem(context, key, readEnvelope(text));
  }
  return entries.length === sweepSize;
}

function unexpired(envelope: Envelope | undefined, now: () => number): Envelope | undefined {
  return envelope === undefined || isExpired(envelope.expiresAt, now) ? undefined : envelope;
}

/** A repetition is known by its puts: the items that they make bear its id already. */
function isApplied(
  id: string,
  writes: readonly PreparedWrite[],
  before: readonly (Envelope | undefined)[],
): boolean {
  let puts = 0;
  for (const [position, { write }] of writes.entries()) {
    if (write.action !== 'put') continue;
    if (before[position]?.version !== id) return false;
    puts += 1;
  }
  return puts > 0;
}

function applyWrite(
  context: WriteContext,
  { write, key, text }: PreparedWrite,
  before: Envelope | undefined,
): void {
  switch (write.action) {
    case 'put':
      if (text !== undefined) putItem(context, { write, key, text }, before);
      return;
    case 'delete':
      if (before !== undefined) removeItem(context, key, before);
      return;
    case 'check':
      return;
  }
}

function putItem(
  { tables, changing }: WriteContext,
  { write, key, text }: { readonly write: Put; readonly key: string; readonly text: string },
  before: Envelope | undefined,
): void {
  changing(key);
  tables.items.putSync(key, text);
  const entries = indexEntries(write.key.pk, write.indexes ?? {});
  if (write.expiresAt !== undefined) entries.push(expiryKey(write.expiresAt, key));
  const entriesBefore = before === undefined ? [] : entriesOf(key, before);
  for (const entry of entriesBefore) {
    if (!entries.includes(entry)) tables.indexes.removeSync(entry);
  }
  for (const entry of entries) {
    if (!entriesBefore.includes(entry)) tables.indexes.putSync(entry, write.key.sk);
  }
}

function removeItem({ tables, changing }: WriteContext, key: string, item: Envelope): void {
  changing(key);
  tables.items.removeSync(key);
  for (const entry of entriesOf(key, item)) tables.indexes.removeSync(entry);
}

/** All entries that a stored item has among the indexes. */
function entriesOf(key: string, item: Envelope): string[] {
  const entries = indexEntries(parseItemKey(key).pk, indexesOf(item));
  if (item.expiresAt !== Infinity) entries.push(expiryKey(item.expiresAt, key));
  return entries;
}

function indexEntries(pk: string, indexes: IndexKeys): string[] {
  const entries: string[] = [];
  for (const name of indexNames) {
    const sortKey = indexes[name];
    if (sortKey !== undefined) entries.push(indexKey(name, pk, sortKey));
  }
  return entries;
}
