import type { JsonObject } from '../values/json/json.ts';

/**
 * THE STORE PORT. One table of items under (partition key, sort key), with sparse indexes inside a partition. Two
 * adapters pass one conformance suite: LMDB (shared/platforms/local/store) and DynamoDB (shared/platforms/aws/store). An
 * operation is one round trip for the caller; adapters retry where the medium asks for it.
 *
 * Strings are ordered by code point (the order of their UTF-8 bytes), never by UTF-16 unit.
 */
export interface Store {
  /**
   * Reads items by key, strongly consistent for each one; not a snapshot over several.
   *
   * @returns one entry per key, in the order of `keys`; undefined where the item is absent or has expired
   */
  get(keys: readonly Key[]): Promise<readonly (Stored | undefined)[]>;

  /**
   * Reads one range of one partition, of the table (strongly consistent) or of an index (on AWS some milliseconds
   * late). Items are complete on every index.
   */
  query(query: Query): Promise<QueryPage>;

  /**
   * Applies all writes or none, durably before it resolves. At most 100 items of 4 MB together, no key twice. A
   * repetition with the same `id` and the same writes has no second effect and resolves, also when the first result was
   * lost. (A single delete that finds no item cannot be distinguished from its own repetition: adapters that repeat by
   * themselves can.)
   *
   * @throws ConditionFailed when a condition does not hold; nothing is written
   * @throws ItemTooLarge when an item exceeds 400 KB; nothing is written
   */
  write(transaction: Transaction): Promise<void>;

  /**
   * Applies transactions, in any order, each as `write` does and independently of the others. Present where all cost
   * less together than each by itself.
   *
   * @returns one promise for each, in their order
   */
  readonly writeAll?:
    | ((transactions: readonly Transaction[]) => readonly Promise<void>[])
    | undefined;

  /**
   * Reserves the next `count` numbers of a counter that starts at 1. Never returns a number twice, not even after a
   * crash when it was used in a write that was acknowledged. Gaps are possible.
   *
   * @param most the highest number to reserve; by default that of the counter (`lastNumber`)
   * @returns the first of the reserved numbers
   * @throws CounterEnded when fewer are left; with `most` the counter is unchanged then
   */
  next(counter: Key, count?: number, most?: number): Promise<number>;

  /**
   * Checks that writes are possible, without a write. Absent: the medium takes care of its space.
   *
   * @throws ApiError 503 when the disk is full or the store is damaged
   */
  readonly checkWritable?: () => void;

  /** Opens a snapshot of the table. Absent: only single items are read as of one moment. */
  readonly openSnapshot?: () => Snapshot;

  /** Present where a read takes negligible time, so that it may read a little more. Absent: it crosses a network. */
  readonly isNear?: true;

  /** Completes running operations and releases the medium. */
  close(): Promise<void>;
}

/** The table as it was at one moment. It must be closed: an open one keeps the space of what was deleted since. */
export interface Snapshot {
  /** Reads a range of the table, as `query` of the store does; expired items too. */
  query(query: Pick<Query, 'pk' | 'lower' | 'limit'>): Promise<QueryPage>;
  close(): void;
}

/** The key of an item. Both parts non-empty, without U+0000, together at most 1,000 bytes of UTF-8. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * The indexes, all inside a partition: sixteen slots for the indexed fields of a class and its composite indexes, and
 * three that list objects by time of change, by owner, and by being readable by others.
 */
export const indexNames = [
  'slot0',
  'slot1',
  'slot2',
  'slot3',
  'slot4',
  'slot5',
  'slot6',
  'slot7',
  'slot8',
  'slot9',
  'slot10',
  'slot11',
  'slot12',
  'slot13',
  'slot14',
  'slot15',
  'updated',
  'owned',
  'shared',
] as const;

export type IndexName = (typeof indexNames)[number];

/** Sort keys of an item in its indexes: unique in its partition, because each ends in the item's id. */
export type IndexKeys = { readonly [name in IndexName]?: string };

/** An item as read. */
export interface Stored<Data extends object = object> {
  readonly key: Key;
  /** The kind of its entity (shared/table/entities). */
  readonly kind: string;
  /** Id of the last write of the item. An update names it as the version that it has read. */
  readonly version: string;
  /** The entity's own fields. Shared between readers: never change it. An adapter may parse it only when it is used. */
  readonly data: Data;
}

/** A range of sort keys, read from `lower` up, or from `upper` down when `descending`. */
export interface Query {
  readonly pk: string;
  /** Absent: the table itself, by sort key. */
  readonly index?: IndexName | undefined;
  readonly lower?: Bound | undefined;
  readonly upper?: Bound | undefined;
  readonly descending?: boolean;
  /** Maximum number of items, 1 to 1,000. */
  readonly limit: number;
  /** Turns for a long read; absent: it yields to any other task. Ignored where the medium waits. */
  readonly turns?: Turns | undefined;
  /**
   * Gets each item while it is read, if the store is near; true ends the page after this item. Other stores ignore it,
   * because they read whole pages.
   */
  readonly isEnough?: ((item: Stored) => boolean) | undefined;
}

/** How long-running tasks share a thread with others. */
export interface Turns {
  /** Checks whether others should have their turn; cheap enough to be used after every few items. */
  isDue(): boolean;
  /** Resolves when the task may continue. */
  pause(): Promise<void>;
}

/** One end of a range. */
export interface Bound {
  readonly key: string;
  readonly inclusive: boolean;
}

/** The results of a query, in the order of reading. */
export interface QueryPage {
  readonly items: readonly Stored[];
  /** Sort key (of the table or index that was read) of each item, to continue from; same order as `items`. */
  readonly positions: readonly string[];
  /** False only when the range is known to hold no further items. */
  readonly more: boolean;
}

/** One atomic write. */
export interface Transaction {
  /** Random, 32 lower-case hex digits or fewer; becomes the `version` of every item that it puts. */
  readonly id: string;
  readonly change: WriteCause;
  readonly writes: readonly Write[];
}

/** Cause of a write, so that triggers and notifications fire only for actions of clients. */
export interface WriteCause {
  /** The actor as notifications show it: `{"admin": 7}`, `{"api_key": 4, "user": 7}`; empty for ourselves. */
  readonly actor: JsonObject;
  readonly cause: 'client' | 'cascade' | 'maintenance';
  /** Scripts between the client and this write, to stop loops. */
  readonly depth: number;
}

/** One item's part of a transaction. */
export type Write = Put | Delete | Check;

/** Puts a whole item. */
export interface Put {
  readonly action: 'put';
  readonly key: Key;
  readonly kind: string;
  /** Values that JSON can represent, undefined members omitted. Readers may get this very object: never change it. */
  readonly data: object;
  /** JSON of the data (exact-json.ts), where the caller has it as well. */
  readonly text?: string | undefined;
  readonly indexes?: IndexKeys | undefined;
  /** Epoch seconds after which reads no longer return it; it is deleted some time later. */
  readonly expiresAt?: number;
  readonly condition: WriteCondition;
}

/** Deletes an item. Without a condition the item may be absent. */
export interface Delete {
  readonly action: 'delete';
  readonly key: Key;
  readonly condition: WriteCondition;
}

/** Writes nothing, but the whole transaction depends on its condition. */
export interface Check {
  readonly action: 'check';
  readonly key: Key;
  readonly condition: WriteCondition;
}

/** Condition that the item must meet before the write. An expired item counts as absent. */
export type WriteCondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  | { readonly kind: 'version'; readonly version: string };

/** A condition of a write did not hold: a write conflict, or the item exists already, or was deleted. */
export class ConditionFailed extends Error {
  /** Position in `writes` of the first write whose condition failed. */
  readonly index: number;
  /** The existing item, where the medium returns it; undefined when absent or not returned. */
  readonly existing: Stored | undefined;

  constructor(index: number, existing: Stored | undefined) {
    super(`the condition of write ${index} does not hold`);
    this.name = 'ConditionFailed';
    this.index = index;
    this.existing = existing;
  }
}

/** A counter has not as many numbers left. */
export class CounterEnded extends Error {
  constructor({ pk, sk }: Key) {
    super(`the counter ${sk} of ${pk} has ended`);
    this.name = 'CounterEnded';
  }
}

/** An item exceeds what the table can hold (400 KB). */
export class ItemTooLarge extends Error {
  constructor(key: Key, bytes: number) {
    super(`an item of ${bytes} bytes is too large (${key.pk})`);
    this.name = 'ItemTooLarge';
  }
}

/**
 * The store is too busy for a request, and has executed nothing of it. A client gets 429, or 503 for a request that only
 * reads (docs/reference/errors.md#throttled-and-busy).
 */
export class StoreBusy extends Error {
  /** @param tries requests to the store; 0 when earlier ones have shown that it is too busy */
  constructor(tries: number, cause?: unknown) {
    super(`the store was too busy in ${tries} tries`, { cause });
    this.name = 'StoreBusy';
  }
}
