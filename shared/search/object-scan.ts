import { as, objectEntity } from '../store/entities.ts';
import { maxQueryLimit } from '../store/limits.ts';
import type { ObjectData } from '../store/records/records.ts';
import type { Stored, Turns } from '../store/store.ts';
import { openPace } from './batch-size.ts';
import { type ObjectPlace, openStreams, type Stream, type StreamPart } from './object-streams.ts';
import { compareObjects, compareWithCursor } from './query/order.ts';
import type { Path } from './query/paths.ts';
import type { Plan } from './query/plan.ts';

/** Objects that one walk may read (docs/reference/queries.md#limits-of-a-search). */
export const maxKeysRead = 10_000;

/** What a walk looks for. */
export interface Wanted extends StreamPart {
  /** Objects at the most; Infinity for all. */
  readonly limit: number;
  /** Whether it is wanted to know if one more follows. */
  readonly isAhead?: boolean;
  /** Rights and conditions. */
  readonly isKept: (object: ObjectData) => boolean;
}

/** The reading of one path, step by step. */
export interface Walk {
  /** The path, as the log shows it. */
  readonly name: string;
  readonly keysRead: number;
  /** Objects that were looked at: in order, no more than were needed. */
  readonly used: number;
  /** Whether the next step probably brings all that is wanted. */
  readonly isNearEnd: boolean;
  /** Whether `found` has all that is wanted. */
  readonly isDone: boolean;
  /** Objects found, in the order of the walk; complete only when it is done. */
  readonly found: readonly Stored<ObjectData>[];
  /** Reads on: one round trip. */
  step(): Promise<void>;
  /**
   * Finds out, at the end of the walk, whether more follows: from what was read, and where the store is near from one
   * part more. Undefined: that does not say it.
   */
  lookAhead(): Promise<boolean | undefined>;
}

/**
 * Begins to read a path.
 *
 * @param usedBefore objects that such a walk looked at the last time; absent: not known
 */
export function openWalk(
  place: ObjectPlace,
  plan: Plan,
  wanted: Wanted & { readonly usedBefore?: number | undefined },
): Walk {
  const { path, isSorted } = plan;
  const { turns } = place;
  if (path.kind === 'ids') return idsWalk(place, path.ids, wanted);
  const streams = openStreams(place, plan, wanted);
  const pace = openPace({ ...wanted, isSorted, limit: wanted.limit + (wanted.isAhead ? 1 : 0) });
  const kept = new Map<number, Stored<ObjectData>>();
  let keysRead = 0;
  let used = 0;
  let found: readonly Stored<ObjectData>[] | undefined;
  let isMore: boolean | undefined;

  async function step(): Promise<void> {
    const limit = chunkLimit(pace.chunk, streams.length, maxKeysRead - keysRead);
    const counts = await Promise.all(streams.map((stream) => stream.refill(limit)));
    keysRead += counts.reduce((sum, count) => sum + count, 0);
    const taker = { streams, wanted, kept, turns };
    const taken = await (isSorted ? merge(taker) : takeAll(taker));
    used += taken.used;
    pace.learn({ used, kept: kept.size });
    if (!taken.isComplete) return;
    const all = isSorted ? [...kept.values()] : inOrder(kept, wanted);
    found = all.slice(0, wanted.limit);
    if (!isSorted) isMore = all.length > wanted.limit;
  }

  async function lookAhead(): Promise<boolean | undefined> {
    isMore ??= isAnyLeft(streams, wanted, kept);
    if (isMore !== undefined || !place.store.isNear) return isMore;
    const limit = chunkLimit(wanted.limit + 1, streams.length, maxQueryLimit);
    await Promise.all(streams.map((stream) => stream.refill(limit)));
    return isAnyLeft(streams, wanted, kept);
  }

  return {
    name: pathName(path),
    get keysRead() {
      return keysRead;
    },
    get used() {
      return used;
    },
    get isNearEnd() {
      return pace.isLast;
    },
    get isDone() {
      return found !== undefined;
    },
    get found() {
      return found ?? [...kept.values()];
    },
    step,
    lookAhead,
  };
}

/** Two streams are mostly read to different lengths; many are points, of which each has few of what is wanted. */
function chunkLimit(chunk: number, streams: number, left: number): number {
  const share = streams <= 2 ? chunk : Math.ceil((2 * chunk) / streams);
  return Math.max(1, Math.min(share, maxQueryLimit, left));
}

/** Reads objects by their ids, in one step. */
function idsWalk(
  { store, instance, classNumber }: ObjectPlace,
  ids: readonly number[],
  wanted: Wanted,
): Walk {
  const keys = ids.filter((id) => id > 0).map((id) => objectEntity.key(instance, classNumber, id));
  let all: readonly Stored<ObjectData>[] | undefined;
  return {
    name: 'ids',
    keysRead: keys.length,
    used: keys.length,
    isNearEnd: true,
    get isDone() {
      return all !== undefined;
    },
    get found() {
      return all?.slice(0, wanted.limit) ?? [];
    },
    lookAhead: () => Promise.resolve((all?.length ?? 0) > wanted.limit),
    step: async () => {
      const items = keys.length === 0 ? [] : await store.get(keys);
      const kept = new Map<number, Stored<ObjectData>>();
      for (const item of items) if (item !== undefined) take(as(objectEntity, item), wanted, kept);
      all = inOrder(kept, wanted);
    },
  };
}

type Kept = Map<number, Stored<ObjectData>>;

function take(item: Stored<ObjectData>, { isKept }: Wanted, kept: Kept): void {
  if (isKept(item.data)) kept.set(item.data.id, item);
}

/** What was taken from streams. */
interface Taken {
  /** Objects looked at. */
  readonly used: number;
  /** Whether there is all that is wanted. */
  readonly isComplete: boolean;
}

/** Takes objects from streams. */
interface Taker {
  readonly streams: readonly Stream[];
  readonly wanted: Wanted;
  readonly kept: Kept;
  readonly turns: Turns;
}

const lookEvery = 16; // objects; looking at the clock costs as much as the least of conditions

async function takeAll({ streams, wanted, kept, turns }: Taker): Promise<Taken> {
  let used = 0;
  for (const stream of streams) {
    for (let item = stream.head(); item !== undefined; item = stream.head()) {
      stream.drop();
      take(item, wanted, kept);
      used += 1;
      if (used % lookEvery === 0 && turns.isDue()) await turns.pause();
    }
  }
  return { used, isComplete: streams.every(({ isRead }) => isRead) };
}

/** All that was collected and lies beyond the cursor, in order. */
function inOrder(kept: Kept, { order, isDescending, from }: Wanted) {
  const sign = isDescending ? -1 : 1;
  return [...kept.values()]
    .filter(({ data }) => from === undefined || compareWithCursor(order, data, from) * sign > 0)
    .sort((a, b) => compareObjects(order, a.data, b.data) * sign);
}

/** Takes objects from streams that are each in the order that is wanted, as far as it is known what comes next. */
async function merge({ streams, wanted, kept, turns }: Taker): Promise<Taken> {
  let used = 0;
  while (kept.size < wanted.limit) {
    if (streams.some((stream) => stream.head() === undefined && !stream.isRead)) {
      return { used, isComplete: false };
    }
    const first = firstOf(streams, wanted);
    const item = first?.head();
    if (first === undefined || item === undefined) break;
    first.drop();
    take(item, wanted, kept);
    used += 1;
    if (used % lookEvery === 0 && turns.isDue()) await turns.pause();
  }
  return { used, isComplete: true };
}

/** Tells whether what was read beyond the end holds one more; undefined: not that, and there is more to be read. */
function isAnyLeft(
  streams: readonly Stream[],
  { isKept }: Wanted,
  kept: Kept,
): boolean | undefined {
  for (const stream of streams) {
    for (let item = stream.head(); item !== undefined; item = stream.head()) {
      stream.drop();
      // two streams may lead to the same object
      if (!kept.has(item.data.id) && isKept(item.data)) return true;
    }
  }
  return streams.every(({ isRead }) => isRead) ? false : undefined;
}

/** The stream whose next object comes first; undefined when all have ended. */
function firstOf(streams: readonly Stream[], wanted: Wanted): Stream | undefined {
  let first: Stream | undefined;
  for (const stream of streams) {
    const item = stream.head();
    if (item !== undefined && precedes(item, first?.head(), wanted)) first = stream;
  }
  return first;
}

function precedes(
  a: Stored<ObjectData>,
  b: Stored<ObjectData> | undefined,
  { order, isDescending }: Wanted,
): boolean {
  if (b === undefined) return true;
  const compared = compareObjects(order, a.data, b.data);
  return isDescending ? compared > 0 : compared < 0;
}

/** A path, as the log shows it. */
export function pathName(path: Path): string {
  switch (path.kind) {
    case 'index':
      return path.index === 'updated' ? 'updated' : `slot${path.index}`;
    case 'pair':
      return `slot${path.slot} by pairs`;
    case 'cells':
      return `slot${path.slot} by cells`;
    case 'rights':
      return path.user === undefined ? 'shared' : 'owned+shared';
    default:
      return path.kind;
  }
}
