import { maxItemBytes, maxTransactionBytes, maxWrites } from '../../../store/limits.ts';
import {
  type Change,
  ConditionFailed,
  type IndexKeys,
  ItemTooLarge,
  indexNames,
  type Key,
  type Put,
  type Transaction,
  type Write,
} from '../../../store/store.ts';
import { TextItem } from '../../../store/text-item.ts';
import type { CachedItem } from './cache.ts';
import type { Plan, ReadItem } from './commit.ts';
import type { Counters } from './counters.ts';
import {
  dataOf,
  type Envelope,
  holds,
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
import type { Operation, Tables } from './tables.ts';

/** Expired items removed in one commit. */
const sweepSize = 100;

/** A transaction, checked and encoded. */
export interface PreparedTransaction {
  readonly id: string;
  readonly change: Change;
  readonly writes: readonly PreparedWrite[];
}

interface PreparedWrite {
  readonly write: Write;
  readonly key: string;
  /** The item as it is stored; absent unless it is a put. */
  readonly text?: string;
  /** Its index entries, except that of its expiry; empty unless it is a put. */
  readonly entries: readonly string[];
}

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
    if (write.action !== 'put') return { write, key, entries: [] };
    const entries = indexEntries(write.key.pk, write.indexes ?? {});
    const text = writeEnvelope(write, id, change);
    const most = (text.length + key.length) * mostBytes;
    if (most > maxItemBytes) checkItem(write.key, bytesOf(text, key));
    mostInAll += most;
    return { write, key, text, entries };
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
  for (const { text, key } of writes) {
    if (text !== undefined) bytes += bytesOf(text, key);
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
): Plan<ConditionFailed | undefined> {
  const texts = writes.map(({ key }) => read(key));
  const before = texts.map((text) => (text === undefined ? undefined : readEnvelope(text)));
  if (isApplied(id, writes, before)) return { operations: [], result: undefined };
  for (const [position, { write }] of writes.entries()) {
    const current = unexpired(before[position], now);
    if (holds(write.condition, current)) continue;
    const existing = current && storedItem(write.key, current);
    return { operations: [], result: new ConditionFailed(position, existing) };
  }
  const there = before.map((envelope, position) => ({ envelope, text: texts[position] }));
  return { ...planWrites({ id, change, writes }, there, { feed, counters }), result: undefined };
}

/** An item before a write; undefined if absent. */
interface Current {
  readonly text: string | undefined;
  readonly envelope: Envelope | undefined;
}

/** Plans writes whose conditions hold, given the current item at the key of each. */
function planWrites(
  { id, change, writes }: PreparedTransaction,
  there: readonly Current[],
  { feed, counters }: Pick<PlanContext, 'feed' | 'counters'>,
): Pick<Plan<unknown>, 'operations' | 'changes'> {
  const operations: Operation[] = [];
  const changes: string[] = [];
  for (const [position, prepared] of writes.entries()) {
    const { write, key, text } = prepared;
    const { text: before, envelope } = there[position] ?? nothing;
    const made = planWrite(prepared, envelope, id);
    operations.push(...made);
    if (write.action === 'delete' && before === undefined) operations.push(...counters.forget(key));
    if (made.length === 0) continue;
    const kind = write.action === 'put' ? write.kind : (envelope?.kind ?? '');
    const kept = feed.text({ key, kind, before, after: text, change });
    if (kept !== undefined) changes.push(kept);
  }
  return { operations, changes };
}

const nothing: Current = { text: undefined, envelope: undefined };

/**
 * Plans the deletion of some items that expired before `now`, in epoch seconds.
 *
 * @returns the changes; as result whether there may be more
 */
export function planSweep({ indexes }: Tables, read: ReadItem, now: () => number): Plan<boolean> {
  const entries = [...indexes.getKeys({ ...expiredBefore(now()), limit: sweepSize })];
  const operations = entries.flatMap((entry) => {
    const key = itemOfExpiryKey(entry);
    const text = read(key);
    const item = text === undefined ? undefined : readEnvelope(text);
    return item !== undefined && isExpired(item.expiresAt, now) ? removal(key, item) : [];
  });
  return { operations, result: entries.length === sweepSize };
}

function unexpired(envelope: Envelope | undefined, now: () => number): Envelope | undefined {
  return envelope === undefined || isExpired(envelope.expiresAt, now) ? undefined : envelope;
}

/** Checks for a repetition by its puts: the items that they write have its id already. */
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

function planWrite(
  { write, key, text, entries }: PreparedWrite,
  before: Envelope | undefined,
  version: string,
): readonly Operation[] {
  switch (write.action) {
    case 'put':
      return text === undefined ? [] : replacement({ write, key, text, entries }, before, version);
    case 'delete':
      return before === undefined ? [] : removal(key, before);
    case 'check':
      return [];
  }
}

function replacement(
  {
    write,
    key,
    text,
    entries: indexed,
  }: PreparedWrite & { readonly write: Put; readonly text: string },
  before: Envelope | undefined,
  version: string,
): readonly Operation[] {
  const item = write.indexes === undefined ? {} : { item: cachedItem(write, text, version) };
  const isNew = before === undefined;
  const operations: Operation[] = [{ table: 'items', key, value: text, isNew, ...item }];
  const entries = [...indexed];
  if (write.expiresAt !== undefined) entries.push(expiryKey(write.expiresAt, key));
  const entriesBefore = before === undefined ? [] : entriesOf(key, before);
  for (const entry of entriesBefore) {
    if (!entries.includes(entry)) operations.push({ table: 'indexes', key: entry });
  }
  for (const entry of entries) {
    if (entriesBefore.includes(entry)) continue;
    operations.push({ table: 'indexes', key: entry, value: write.key.sk });
  }
  return operations;
}

/** Returns an index item to cache for lists: most are read soon after. */
function cachedItem(
  { key, kind, expiresAt = Infinity }: Put,
  text: string,
  version: string,
): CachedItem {
  return { stored: new TextItem({ key, kind, version }, dataOf(text)), expiresAt };
}

function removal(key: string, item: Envelope): readonly Operation[] {
  const entries = entriesOf(key, item).map((entry) => ({ table: 'indexes' as const, key: entry }));
  return [{ table: 'items', key }, ...entries];
}

/** Returns all index entries of a stored item. */
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
