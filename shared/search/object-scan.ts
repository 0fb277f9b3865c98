import { maxQueryLimit } from '../store/limits.ts';
import type { Stored, Turns } from '../store/store.ts';
import { objectEntity } from '../table/entities/classes.ts';
import type { ObjectData } from '../table/records/records.ts';
import { openBatchSize } from './batch-size.ts';
import { type ClassScope, openStreams, type Stream, type StreamPart } from './object-streams.ts';
import { queriedObject } from './queried.ts';
import { compareObjects, compareWithCursor } from './query/order.ts';
import type { Path } from './query/paths.ts';
import type { SearchPlan } from './query/plan.ts';

/** Maximum number of objects that one scan may read (docs/reference/queries.md#limits-of-a-search). */
export const maxKeysRead = 10_000;

/** Target of a scan. */
export interface Wanted extends StreamPart {
  /** Maximum number of objects; Infinity for all. */
  readonly limit: number;
  /** Whether `lookAhead` will be called. */
  readonly isAhead?: boolean | undefined;
  /** Applies rights and conditions. */
  readonly isKept: (item: Stored<ObjectData>) => boolean;
}

/** Scan of one access path, step by step. */
export interface ObjectScan {
  /** Name of the access path in the log. */
  readonly name: string;
  /** Returns the number of keys read so far. */
  keysRead(): number;
  /** Returns how many objects were examined: in order, no more than necessary. */
  used(): number;
  /** Checks whether the next step probably completes the result. */
  isNearEnd(): boolean;
  /** Checks whether `found` is complete. */
  isDone(): boolean;
  /** Returns the objects found, in the order of the scan; complete only when the scan is done. */
  found(): readonly Stored<ObjectData>[];
  /** Reads the next batch, in one round trip. */
  step(): Promise<void>;
  /**
   * Checks, after the scan, whether more objects follow: from the objects already read and, if the store is near, from
   * one more batch. Undefined: not known from these.
   */
  lookAhead(): Promise<boolean | undefined>;
}

/** Aim of a scan, and the cost of the previous one. */
interface Task {
  readonly wanted: Wanted;
  /** Objects that the previous scan of this form examined; undefined: not known. */
  readonly usedBefore: number | undefined;
}

/** Starts the scan of an access path. */
export function openObjectScan(scope: ClassScope, plan: SearchPlan, task: Task): ObjectScan {
  const { wanted, usedBefore } = task;
  const { path, isSorted } = plan;
  const { turns } = scope;
  if (path.kind === 'ids') return scanIds(scope, path.ids, wanted);
  const streams = openStreams(scope, plan, wanted);
  const [only] = streams;
  if (scope.store.isNear && isSorted && only !== undefined && streams.length === 1)
    return scanNearby(only, pathName(path), task);
  const batch = openBatchSize({ limit: neededObjects(wanted), isSorted, usedBefore });
  const kept = new Map<string, Stored<ObjectData>>();
  let keysRead = 0;
  let used = 0;
  let found: readonly Stored<ObjectData>[] | undefined;
  let isMore: boolean | undefined;

  async function step(): Promise<void> {
    const limit = streamLimit(batch.objects(), streams.length, maxKeysRead - keysRead);
    const counts = await Promise.all(streams.map((stream) => stream.refill(limit)));
    keysRead += counts.reduce((sum, count) => sum + count, 0);
    const taker = { streams, wanted, kept, turns };
    const taken = await (isSorted ? merge(taker) : takeAll(taker));
    used += taken.used;
    batch.learn({ used, kept: kept.size });
    if (!taken.isComplete) return;
    const all = isSorted ? [...kept.values()] : inOrder(kept, wanted);
    found = all.slice(0, wanted.limit);
    if (!isSorted) isMore = all.length > wanted.limit;
  }

  async function lookAhead(): Promise<boolean | undefined> {
    isMore ??= isAnyLeft(streams, wanted, kept);
    if (isMore !== undefined || !scope.store.isNear) return isMore;
    const limit = streamLimit(wanted.limit + 1, streams.length, maxQueryLimit);
    await Promise.all(streams.map((stream) => stream.refill(limit)));
    return isAnyLeft(streams, wanted, kept);
  }

  return {
    name: pathName(path),
    keysRead: () => keysRead,
    used: () => used,
    isNearEnd: batch.isLast,
    isDone: () => found !== undefined,
    found: () => found ?? [...kept.values()],
    step,
    lookAhead,
  };
}

/**
 * Limits the batch of one stream. Two streams are mostly read to different lengths; a larger number of streams are
 * points, and each has few of the objects.
 */
function streamLimit(objects: number, streams: number, left: number): number {
  const share = streams <= 2 ? objects : Math.ceil((2 * objects) / streams);
  return Math.max(1, Math.min(share, maxQueryLimit, left));
}

/** Number of objects that complete a result. */
function neededObjects({ limit, isAhead }: Wanted): number {
  return limit + (isAhead ? 1 : 0);
}

/**
 * Scans one range of a near store, in list order: takes each object while it is read, so that none is read after the
 * last one needed. A filter that half of the objects match reads 42 for a page of 20 and one more, not 53.
 */
function scanNearby(stream: Stream, name: string, { wanted, usedBefore }: Task): ObjectScan {
  const { limit, isKept } = wanted;
  const batch = openBatchSize({
    limit: neededObjects(wanted),
    isSorted: true,
    stopsInTime: true,
    usedBefore,
  });
  const found: Stored<ObjectData>[] = [];
  let keysRead = 0;
  let isMore: boolean | undefined;

  function take(item: Stored<ObjectData>): boolean {
    if (!isKept(item)) return false;
    if (found.length === limit) isMore = true;
    else found.push(item);
    return isMore ?? found.length === neededObjects(wanted);
  }

  async function read(objects: number): Promise<void> {
    keysRead += await stream.pour(Math.min(objects, maxQueryLimit), take);
    if (stream.isRead()) isMore ??= false;
  }

  return {
    name,
    keysRead: () => keysRead,
    used: () => keysRead,
    isNearEnd: batch.isLast,
    isDone: () => stream.isRead() || found.length === limit,
    found: () => found,
    step: async () => {
      await read(Math.min(batch.objects(), maxKeysRead - keysRead));
      batch.learn({ used: keysRead, kept: found.length });
    },
    lookAhead: async () => {
      if (isMore === undefined) await read(limit + 1);
      return isMore;
    },
  };
}

/** Reads objects by their ids, in one step. */
function scanIds(
  { store, instance, classNumber }: ClassScope,
  ids: readonly number[],
  wanted: Wanted,
): ObjectScan {
  const lookups = ids.filter((id) => id > 0).map((id) => [instance, classNumber, id] as const);
  let all: readonly Stored<ObjectData>[] | undefined;
  return {
    name: 'ids',
    keysRead: () => lookups.length,
    used: () => lookups.length,
    isNearEnd: () => true,
    isDone: () => all !== undefined,
    found: () => all?.slice(0, wanted.limit) ?? [],
    lookAhead: () => Promise.resolve((all?.length ?? 0) > wanted.limit),
    step: async () => {
      const items = await objectEntity.readAll(store, lookups);
      const kept = new Map<string, Stored<ObjectData>>();
      for (const item of items) if (item !== undefined) take(item, wanted, kept);
      all = inOrder(kept, wanted);
    },
  };
}

type Kept = Map<string, Stored<ObjectData>>;

function take(item: Stored<ObjectData>, { isKept }: Wanted, kept: Kept): void {
  if (isKept(item)) kept.set(item.key.sk, item);
}

/** Result of taking objects from streams. */
interface Taken {
  /** Objects that were examined. */
  readonly used: number;
  /** Whether the result is complete. */
  readonly isComplete: boolean;
}

/** Streams, and the target of their scan. */
interface Taker {
  readonly streams: readonly Stream[];
  readonly wanted: Wanted;
  readonly kept: Kept;
  readonly turns: Turns;
}

const lookEvery = 16; // objects; reading the clock costs as much as the cheapest condition

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
  return { used, isComplete: streams.every((stream) => stream.isRead()) };
}

/** Returns the collected objects beyond the cursor, in order. */
function inOrder(kept: Kept, { order, isDescending, from }: Wanted) {
  const sign = isDescending ? -1 : 1;
  return [...kept.values()]
    .filter(
      (item) =>
        from === undefined || compareWithCursor(order, queriedObject(item), from) * sign > 0,
    )
    .sort((a, b) => compareObjects(order, queriedObject(a), queriedObject(b)) * sign);
}

/** Merges streams that are each in the requested order, as far as the next object is known. */
async function merge({ streams, wanted, kept, turns }: Taker): Promise<Taken> {
  let used = 0;
  while (kept.size < wanted.limit) {
    if (streams.some((stream) => stream.head() === undefined && !stream.isRead())) {
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

/** Checks whether the rest of the batch holds one more object; undefined: it does not, and more can be read. */
function isAnyLeft(
  streams: readonly Stream[],
  { isKept }: Wanted,
  kept: Kept,
): boolean | undefined {
  for (const stream of streams) {
    for (let item = stream.head(); item !== undefined; item = stream.head()) {
      stream.drop();
      // two streams may lead to the same object
      if (!kept.has(item.key.sk) && isKept(item)) return true;
    }
  }
  return streams.every((stream) => stream.isRead()) ? false : undefined;
}

/** Returns the stream whose next object comes first; undefined when all have ended. */
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
  const compared = compareObjects(order, queriedObject(a), queriedObject(b));
  return isDescending ? compared > 0 : compared < 0;
}

/** Returns the name of an access path in the log. */
export function pathName(path: Path): string {
  switch (path.kind) {
    case 'index':
      return path.index === 'updated' ? 'updated' : `slot${path.index}`;
    case 'composite':
      return `slot${path.slot} by composite index`;
    case 'cells':
      return `slot${path.slot} by cells`;
    case 'rights':
      return path.user === undefined ? 'shared' : 'owned+shared';
    default:
      return path.kind;
  }
}
