import type { JsonObject } from '../values/json/json.ts';

/**
 * THE STORE PORT. One table of items under (partition key, sort key), with sparse indexes inside a partition.
 * Two adapters pass one conformance suite: LMDB (shared/platform/local/store) and DynamoDB (shared/platform/aws/store).
 * A call is one round trip as the caller sees it; adapters retry what the medium asks to retry.
 *
 * Strings are ordered by code point (the order of their UTF-8 bytes), never by UTF-16 unit.
 */
export interface Store {
  /**
   * Reads items by key, strongly consistent for each one; not a snapshot over several.
   *
   * @returns one entry a key, in the order of `keys`; undefined where there is no item or it has expired
   */
  get(keys: readonly Key[]): Promise<readonly (Stored | undefined)[]>;

  /**
   * Reads one range of one partition, of the table (strongly consistent) or of an index (on AWS some
   * milliseconds late). Items are complete on every index.
   */
  query(query: Query): Promise<QueryPage>;

  /**
   * Applies all writes or none, durably before it resolves. At most 100 items of 4 MB together, no key twice.
   * Repeating a call with the same `id` and the same writes has no second effect and resolves, also when the
   * first answer was lost. (A lone delete that finds nothing cannot be told from its own repetition: adapters
   * that repeat by themselves know.)
   *
   * @throws ConditionFailed when a condition does not hold; nothing is written
   * @throws ItemTooLarge when an item exceeds 400 KB; nothing is written
   */
  write(transaction: Transaction): Promise<void>;

  /**
   * Takes the next `count` numbers of a counter that starts at 1, never giving one twice, not even after a crash
   * when it was used in a write that was acknowledged. Gaps are possible.
   *
   * @returns the first of the numbers taken
   */
  next(counter: Key, count?: number): Promise<number>;

  /** Present where a read takes no time to speak of: it may be made to know a little more. Absent: it crosses a network. */
  readonly isNear?: true;

  /** Finishes what is under way and releases the medium. */
  close(): Promise<void>;
}

/** Where an item is. Both parts non-empty, without U+0000, together at most 1,000 bytes of UTF-8. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/**
 * The indexes, all inside a partition: sixteen slots for the indexed fields of a class and pairs of them, and three over which
 * objects are listed by time of change, by owner, and by being readable by others.
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

/** One of the nineteen indexes. */
export type IndexName = (typeof indexNames)[number];

/** Sort keys of an item in the indexes that hold it: unique in its partition, because each ends in the item's id. */
export type IndexKeys = { readonly [name in IndexName]?: string };

/** An item as read. */
export interface Stored<Data extends object = object> {
  readonly key: Key;
  /** What kind of entity it is (entities.ts). */
  readonly kind: string;
  /** Id of the write that made it so. An update names it to say what it has read. */
  readonly version: string;
  /** The entity's own fields. Shared between readers: never change it. */
  readonly data: Data;
}

/** A range of sort keys, walked from `lower` up, or from `upper` down when `descending`. */
export interface Query {
  readonly pk: string;
  /** Absent: the table itself, by sort key. */
  readonly index?: IndexName;
  readonly lower?: Bound;
  readonly upper?: Bound;
  readonly descending?: boolean;
  /** Items at the most, 1 to 1,000. */
  readonly limit: number;
  /** What a long read gives way to; absent: to whatever else has arrived. Of no concern where the medium waits. */
  readonly turns?: Turns;
}

/** How work that takes long shares its thread with others. */
export interface Turns {
  /** Whether others should have their turn; cheap enough to be asked after every few items. */
  isDue(): boolean;
  /** Resolves when it may go on. */
  pause(): Promise<void>;
}

/** One end of a range. */
export interface Bound {
  readonly key: string;
  readonly inclusive: boolean;
}

/** What a query found, in the order it was walked. */
export interface QueryPage {
  readonly items: readonly Stored[];
  /** Sort key (of the table or index that was asked) of each item, to go on from; same order as `items`. */
  readonly positions: readonly string[];
  /** False only when the range is known to hold nothing beyond these. */
  readonly more: boolean;
}

/** One atomic write. */
export interface Transaction {
  /** Random, 32 lower-case hex digits or fewer; becomes the `version` of every item that it puts. */
  readonly id: string;
  readonly change: Change;
  readonly writes: readonly Write[];
}

/** Why a write happened, so that triggers and notifications fire for what clients do and for nothing else. */
export interface Change {
  /** Who did it, as notifications show it: `{"admin": 7}`, `{"api_key": 4, "user": 7}`; empty for ourselves. */
  readonly actor: JsonObject;
  readonly cause: 'client' | 'cascade' | 'maintenance';
  /** How many scripts stand between the client and this write, to stop loops. */
  readonly depth: number;
}

/** One item's part of a transaction. */
export type Write = Put | Delete | Check;

/** Stores an item whole. */
export interface Put {
  readonly action: 'put';
  readonly key: Key;
  readonly kind: string;
  /** Values that JSON can carry, undefined members left out. Readers may get this very object: never change it. */
  readonly data: object;
  readonly indexes?: IndexKeys;
  /** Epoch seconds after which readers no longer see it; it is removed some time later. */
  readonly expiresAt?: number;
  readonly condition: Condition;
}

/** Removes an item. Without a condition it does not matter whether it is there. */
export interface Delete {
  readonly action: 'delete';
  readonly key: Key;
  readonly condition: Condition;
}

/** Writes nothing, but all or nothing depends on it. */
export interface Check {
  readonly action: 'check';
  readonly key: Key;
  readonly condition: Condition;
}

/** What must hold of the item before the write: an expired item counts as absent. */
export type Condition =
  | { readonly kind: 'none' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  | { readonly kind: 'version'; readonly version: string };

/** A condition of a write did not hold: somebody was faster, or the thing is there already, or gone. */
export class ConditionFailed extends Error {
  /** Position in `writes` of the first write whose condition failed. */
  readonly index: number;
  /** The item as it is there instead, where the medium tells; undefined when absent or not told. */
  readonly existing: Stored | undefined;

  constructor(index: number, existing: Stored | undefined) {
    super(`the condition of write ${index} does not hold`);
    this.name = 'ConditionFailed';
    this.index = index;
    this.existing = existing;
  }
}

/** An item exceeds what the table can hold (400 KB). */
export class ItemTooLarge extends Error {
  constructor(key: Key, bytes: number) {
    super(`an item of ${bytes} bytes is too large (${key.pk})`);
    this.name = 'ItemTooLarge';
  }
}
