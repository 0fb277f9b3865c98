import { maxItemBytes, maxTransactionBytes, maxWrites } from '../../../store/limits.ts';
import {
  ConditionFailed,
  type IndexKeys,
  ItemTooLarge,
  indexNames,
  type Key,
  type Transaction,
  type Write,
  type WriteCause,
} from '../../../store/store.ts';
import { isConditionMet } from '../../../store/writes.ts';
import type { CommitPlan, ReadItem } from './commit.ts';
import type { Counters } from './counters.ts';
import {
  type Envelope,
  type ItemText,
  indexesOf,
  isExpired,
  readEnvelope,
  storedItem,
  writeEnvelope,
} from './envelope.ts';
import type { FeedWriter } from './feed.ts';
import {
  expiredBefore,
  expiryKey,
  indexKey,
  itemKey,
  itemOfExpiryKey,
  parseItemKey,
} from './keys.ts';
import type { TableOperation, Tables } from './tables.ts';

/** Expired items removed in one commit. */
const sweepSize = 100;

/** A transaction, checked and encoded. */
export interface PreparedTransaction {
  readonly id: string;
  readonly change: WriteCause;
  readonly writes: readonly PreparedWrite[];
}

interface PreparedWrite {
  readonly write: Write;
  readonly key: string;
  /** The item as it is stored; undefined unless it is a put. */
  readonly item: ItemText | undefined;
  /** Its index entries; empty unless it is a put. */
  readonly entries: readonly string[];
}

const noEntries: readonly string[] = [];

/**
 * Checks a transaction and encodes its items. So no error can occur between its first and last change.
 *
 * @throws ItemTooLarge
 * @throws Error when it breaks another limit of the store
 */
export function prepareTransaction({ id, change, writes }: Transaction): PreparedTransaction {
  if (writes.length > maxWrites) throw new Error(`${writes.length} writes in one transaction`);
  let mostInAll = 0;
  const prepared = writes.map((write): PreparedWrite => {
    const key = itemKey(write.key);
    if (write.action !== 'put') return { write, key, item: undefined, entries: noEntries };
    const entries = indexEntries(write.key.pk, write.indexes);
    if (write.expiresAt !== undefined) entries.push(expiryKey(write.expiresAt, key));
    const item = writeEnvelope(write, id, change);
    const most = (item.text.length + key.length) * mostBytes;
    if (most > maxItemBytes) checkItem(write.key, bytesOf(item.text, key));
    mostInAll += most;
    return { write, key, item, entries };
  });
  if (mostInAll > maxTransactionBytes) checkTotal(prepared);
  if (writes.length > 1 && new Set(prepared.map(({ key }) => key)).size < writes.length) {
    throw new Error('a key stands twice in one transaction');
  }
  return { id, change, writes: prepared };
}

/** Most bytes of UTF-8 per UTF-16 unit: with it, an exact count is rarely needed. */
const mostBytes = 3;

function bytesOf(text: string, key: string): number {
  return Buffer.byteLength(text) + Buffer.byteLength(key);
}

function checkItem(key: Key, bytes: number): void {
  if (bytes > maxItemBytes) throw new ItemTooLarge(key, bytes);
}

function checkTotal(writes: readonly PreparedWrite[]): void {
  let bytes = 0;
  for (const { item, key } of writes) {
    if (item !== undefined) bytes += bytesOf(item.text, key);
  }
  if (bytes > maxTransactionBytes) throw new Error(`a transaction of ${bytes} bytes`);
}

/** Dependencies of planning. */
export interface PlanContext {
  readonly read: ReadItem;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly feed: Pick<FeedWriter, 'text'>;
  readonly counters: Pick<Counters, 'forget'>;
}

/**
 * Plans a transaction against the current items.
 *
 * @returns the changes, none for a repetition; as result the failure when a condition does not hold
 */
export function planTransaction(
  { id, change, writes }: PreparedTransaction,
  { read, now, feed, counters }: PlanContext,
): CommitPlan<ConditionFailed | undefined> {
  const before = writes.map(({ key }): Current => {
    const text = read(key);
    return text === undefined ? undefined : readEnvelope(text);
  });
  if (isApplied(id, writes, before)) return { operations: [], result: undefined };
  const failure = failureOf(writes, before, now);
  if (failure !== undefined) return { operations: [], result: failure };
  return planWrites({ id, change, writes }, before, { feed, counters });
}

/** An item before a write; undefined if absent. */
type Current = Envelope | undefined;

/** Returns the failure of the first write whose condition does not hold. */
function failureOf(
  writes: readonly PreparedWrite[],
  before: readonly Current[],
  now: () => number,
): ConditionFailed | undefined {
  const position = writes.findIndex(
    ({ write }, at) => !isConditionMet(write.condition, currentEnvelope(before[at], now)),
  );
  const failed = writes[position];
  if (failed === undefined) return undefined;
  const existing = currentEnvelope(before[position], now);
  return new ConditionFailed(position, existing && storedItem(failed.write.key, existing));
}

/** Plans writes whose conditions hold, given the current item at the key of each. */
function planWrites(
  { change, writes }: PreparedTransaction,
  there: readonly Current[],
  { feed, counters }: Pick<PlanContext, 'feed' | 'counters'>,
): CommitPlan<undefined> {
  const operations: TableOperation[] = [];
  const changes: string[] = [];
  writes.forEach((prepared, at) => {
    const { write, key, item } = prepared;
    const before = there[at];
    if (write.action === 'check') return;
    if (write.action === 'delete' && before === undefined) {
      operations.push(...counters.forget(key));
      return;
    }
    planWrite(operations, prepared, before);
    const kept = feed.text({ key, before, after: item, change });
    if (kept !== undefined) changes.push(kept);
  });
  return { operations, changes, result: undefined };
}

/**
 * Plans the deletion of some items that expired before `now`, in epoch seconds.
 *
 * @returns the changes; as result whether there may be more
 */
export function planSweep(
  { indexes }: Tables,
  read: ReadItem,
  now: () => number,
): CommitPlan<boolean> {
  const entries = [...indexes.getKeys({ ...expiredBefore(now()), limit: sweepSize })];
  const operations = entries.flatMap((entry) => {
    const key = itemOfExpiryKey(entry);
    const text = read(key);
    const item = text === undefined ? undefined : readEnvelope(text);
    return item !== undefined && isExpired(item.expiresAt, now) ? removal(key, item) : [];
  });
  return { operations, result: entries.length === sweepSize };
}

function currentEnvelope(envelope: Current, now: () => number): Current {
  return envelope === undefined || isExpired(envelope.expiresAt, now) ? undefined : envelope;
}

/** Checks for a repetition by its puts: the items that they write have its id already. */
function isApplied(
  id: string,
  writes: readonly PreparedWrite[],
  before: readonly Current[],
): boolean {
  let puts = 0;
  for (const [position, { write }] of writes.entries()) {
    if (write.action !== 'put') continue;
    if (before[position]?.version !== id) return false;
    puts += 1;
  }
  return puts > 0;
}

/** Adds the operations of a put, or of the deletion of an item that exists. */
function planWrite(
  operations: TableOperation[],
  { write, key, item, entries }: PreparedWrite,
  before: Current,
): void {
  const entriesBefore = before === undefined ? noEntries : entriesOf(key, before);
  if (write.action !== 'put' || item === undefined) {
    operations.push({ table: 'items', key });
  } else {
    operations.push({ table: 'items', key, value: item.text, isNew: before === undefined });
  }
  for (const entry of entriesBefore) {
    if (!entries.includes(entry)) operations.push({ table: 'indexes', key: entry });
  }
  for (const entry of entries) {
    if (entriesBefore.includes(entry)) continue;
    operations.push({ table: 'indexes', key: entry, value: write.key.sk });
  }
}

function removal(key: string, item: Envelope): readonly TableOperation[] {
  const entries = entriesOf(key, item).map((entry) => ({ table: 'indexes' as const, key: entry }));
  return [{ table: 'items', key }, ...entries];
}

/** Returns all index entries of a stored item. */
function entriesOf(key: string, item: Envelope): string[] {
  const entries = indexEntries(parseItemKey(key).pk, indexesOf(item));
  if (item.expiresAt !== Infinity) entries.push(expiryKey(item.expiresAt, key));
  return entries;
}

function indexEntries(pk: string, indexes: IndexKeys | undefined): string[] {
  const entries: string[] = [];
  if (indexes === undefined) return entries;
  for (const name of indexNames) {
    const sortKey = indexes[name];
    if (sortKey !== undefined) entries.push(indexKey(name, pk, sortKey));
  }
  return entries;
}
