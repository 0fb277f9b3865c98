import type { ItemChange } from '../jobs/change-feed.ts';
import type { ClassCountData, ShardPosition } from '../table/records/class-counts.ts';

/**
 * A position is needed for as long as its changes may be repeated: the stream keeps them for 24 hours, and Lambda
 * retries a batch for less than one. Parked changes may wait for longer: what is older has no position any more, and is
 * not counted, but has its class counted again.
 */
export const shardLifeMs = 26 * 3_600_000;

/** Name for the changes that an older version has counted, whose shards are unknown. */
const unknownShard = '';

const minuteMs = 60_000;

/** Changes that a count does not include yet. */
export interface NewChanges {
  readonly changes: readonly ItemChange[];
  /** The positions after them. */
  readonly positions: Pick<ClassCountData, 'position' | 'shards'>;
  /** Whether there are others that may have been counted: their shard was not known, or its position has expired. */
  readonly isDoubtful: boolean;
  /** Whether a shard goes on although another one has begun after it: no successor, but the other part of a partition. */
  readonly isSplit: boolean;
  /** Whether they are of another stream: the table was restored, and the last changes of the old one may be missing. */
  readonly isMoved: boolean;
}

/**
 * Returns the changes of one class that its count does not include, with the positions after them.
 *
 * Numbers of sibling shards have no order, so each shard has a position of its own. A shard is read in order, and to its
 * end before its successors.
 *
 * @param changes of one shard, in order; at least one
 * @returns undefined when all of them are included
 */
export function findNew(
  known: Pick<ClassCountData, 'position' | 'shards'>,
  changes: readonly ItemChange[],
  nowMs: number,
): NewChanges | undefined {
  const last = changes.at(-1);
  if (last === undefined) return undefined;
  if (last.shard === undefined && known.shards === undefined) {
    const fresh = changes.filter(({ position }) => position > known.position);
    if (fresh.length === 0) return undefined;
    const positions = { position: last.position };
    return { changes: fresh, positions, isDoubtful: false, isSplit: false, isMoved: false };
  }
  const { shard = unknownShard } = last;
  const shards = known.shards ?? shardsBefore(known.position, nowMs);
  const own = shards.find(([name]) => name === shard);
  const after = own === undefined ? '' : padPosition(own[1]);
  const uncounted = changes.filter(({ position }) => position > after);
  if (uncounted.length === 0) return undefined;
  const doubt = doubtfulUpTo(shards, shard);
  const mayHaveExpired = ({ at = nowMs }: ItemChange) =>
    own === undefined && known.position !== '' && nowMs - at >= shardLifeMs;
  const fresh = uncounted.filter((each) => each.position > doubt && !mayHaveExpired(each));
  const reached: ShardPosition = [shard, short(last.position), minuteOf(nowMs)];
  const named = shards.filter(([name]) => name !== unknownShard);
  return {
    changes: fresh,
    positions: { position: last.position, shards: advance(shards, reached, nowMs) },
    isDoubtful: fresh.length < uncounted.length,
    isSplit: own !== undefined && shard !== unknownShard && named.at(-1) !== own,
    isMoved: named.length > 0 && named.every(([name]) => streamOf(name) !== streamOf(shard)),
  };
}

/** Returns positions without that of unknown shards, once a recount includes the changes up to there. */
export function forgetUnknown({ shards, ...data }: ClassCountData): ClassCountData {
  if (shards === undefined) return data;
  return { ...data, shards: shards.filter(([name]) => name !== unknownShard) };
}

function shardsBefore(position: string, nowMs: number): readonly ShardPosition[] {
  return position === '' ? [] : [[unknownShard, short(position), minuteOf(nowMs)]];
}

/** Returns the position up to which a change may have been counted under another name of its shard. */
function doubtfulUpTo(shards: readonly ShardPosition[], shard: string): string {
  const others = shards.filter(([name]) =>
    shard === unknownShard ? name !== unknownShard : name === unknownShard,
  );
  return (
    others
      .map(([, position]) => padPosition(position))
      .toSorted()
      .at(-1) ?? ''
  );
}

/** Returns positions after a change: that of its shard remains in place, a new one is the last, expired ones are gone. */
function advance(
  shards: readonly ShardPosition[],
  reached: ShardPosition,
  nowMs: number,
): readonly ShardPosition[] {
  const oldest = minuteOf(nowMs - shardLifeMs);
  const isOwn = ([name]: ShardPosition) => name === reached[0];
  const kept = shards.filter((each) => isOwn(each) || each[2] >= oldest);
  return kept.some(isOwn) ? kept.map((each) => (isOwn(each) ? reached : each)) : [...kept, reached];
}

const positionDigits = 40;

function padPosition(position: string): string {
  return position.padStart(positionDigits, '0');
}

/** Returns a position for an item that is written with each change of its class: a kilobyte is one unit. */
function short(position: string): string {
  return position.replace(/^0+/, '');
}

function streamOf(shard: string): string {
  return shard.split('.')[0] ?? '';
}

function minuteOf(ms: number): number {
  return Math.floor(ms / minuteMs);
}
