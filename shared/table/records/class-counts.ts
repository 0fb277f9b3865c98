/** Number of objects, or of files of objects, of a class. */
export interface ClassCountData {
  readonly count: number;
  /** Bytes of all of them; absent in a count of an older version, until they are counted again. */
  readonly bytes?: number;
  /** Position of the last counted change: a repeated change is not counted again. Of any shard where there are some. */
  readonly position: string;
  /** How far each shard of the change feed is counted, in the order of their first changes; absent: it has none. */
  readonly shards?: readonly ShardPosition[];
  /** Whether its changes came in two shards at once: then the class was counted again, or will be. */
  readonly isSplit?: true;
  /** Epoch milliseconds when the objects will be counted one by one; absent: not requested. */
  readonly recountAt?: number;
  /** The recount that runs. */
  readonly recount?: RecountData;
  /** Epoch milliseconds of the end of the last recount; absent where changes have no shards. */
  readonly recountedAt?: number;
}

/** Position of the last change of a shard that was counted, without zeros at its start, and the minute of the epoch. */
export type ShardPosition = readonly [shard: string, position: string, minute: number];

/** A recount that runs while changes are counted. */
export interface RecountData {
  readonly id: string;
  /** Sort key up to which items are in these numbers, as of the last counted change. */
  readonly after: string;
  readonly count: number;
  readonly bytes: number;
  /** The part after `after` that was read, while changes of that time may still arrive. */
  readonly part?: RecountPart;
  /** Whether a change came too late to know whether its effect was read. */
  readonly isLate?: true;
}

/** A part of the items of a class. */
export interface RecountPart {
  /** Last sort key; absent: all others. */
  readonly to?: string;
  /** Bytes of the items that have changed since, by sort key; negative: deleted. */
  readonly changed: Readonly<Record<string, number>>;
  /** Whether there were too many of them. */
  readonly isFull?: true;
}
