import {
  type Cursor,
  compareObjects,
  compareWithCursor,
  type Order,
} from '../domain/query/order.ts';
import type { IdBounds, Path, Plan } from '../domain/query/plan.ts';
import { as, idKey, objectEntity } from '../store/entities.ts';
import { maxQueryLimit } from '../store/limits.ts';
import { type ObjectRange, objectRanges } from '../store/object-ranges.ts';
import type { ObjectData } from '../store/records.ts';
import type { Store, Stored } from '../store/store.ts';

/** Objects that one walk may read (reference: list time). */
export const maxKeysRead = 10_000;

const leastReadOn = 20; // objects of a step that may not be the last
const firstCounted = 100;

/** Where objects are: the class of a call, or one that it refers to. */
export interface ObjectPlace {
  readonly store: Store;
  readonly instance: number;
  readonly classNumber: number;
}

/** What a walk looks for. */
export interface Wanted {
  readonly order: Order;
  /** Direction of the walk: against the order on the way back. */
  readonly isDescending: boolean;
  /** What the walk begins behind. */
  readonly from: Cursor | undefined;
  /** Objects at the most; Infinity for all. */
  readonly limit: number;
  readonly ids: IdBounds;
  /** Rights and conditions. */
  readonly isKept: (object: ObjectData) => boolean;
}

/** The reading of one path, step by step. */
export interface Walk {
  /** The path, as the log shows it. */
  readonly name: string;
  readonly keysRead: number;
  /** Whether `found` has all that is wanted. */
  readonly isDone: boolean;
  /** Objects found, in the order of the walk; complete only when it is done. */
  readonly found: readonly Stored<ObjectData>[];
  /** Reads on: one round trip. */
  step(): Promise<void>;
}

/** Begins to read a path. */
export function openWalk(place: ObjectPlace, plan: Plan, wanted: Wanted): Walk {
  const { path, isSorted } = plan;
  if (path.kind === 'ids') return idsWalk(place, path.ids, wanted);
  const streams = openStreams(place, plan, wanted);
  const kept = new Map<number, Stored<ObjectData>>();
  let chunk = firstChunk(wanted, isSorted);
  let keysRead = 0;
  let found: readonly Stored<ObjectData>[] | undefined;

  async function step(): Promise<void> {
    const limit = chunkLimit(chunk, streams.length, maxKeysRead - keysRead);
    chunk = Math.max(2 * chunk, leastReadOn);
    const counts = await Promise.all(streams.map((stream) => stream.refill(limit)));
    keysRead += counts.reduce((sum, count) => sum + count, 0);
    if (isSorted) {
      const isComplete = merge(streams, wanted, kept);
      if (isComplete) found = [...kept.values()];
    } else {
      for (const stream of streams) takeAll(stream, wanted, kept);
      if (streams.every(({ isRead }) => isRead)) found = inOrder(kept, wanted);
    }
  }

  return {
    name: pathName(path),
    get keysRead() {
      return keysRead;
    },
    get isDone() {
      return found !== undefined;
    },
    get found() {
      return found ?? [...kept.values()];
    },
    step,
  };
}

/**
 * Walks side by side begin with as much and grow alike, so that all together read little more than the best one alone
 * times their number.
 */
function firstChunk({ limit }: Wanted, isSorted: boolean): number {
  if (limit === Number.POSITIVE_INFINITY) return firstCounted;
  return isSorted ? limit : Math.max(limit, leastReadOn);
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
  let found: readonly Stored<ObjectData>[] | undefined;
  return {
    name: 'ids',
    keysRead: keys.length,
    get isDone() {
      return found !== undefined;
    },
    get found() {
      return found ?? [];
    },
    step: async () => {
      const items = keys.length === 0 ? [] : await store.get(keys);
      const kept = new Map<number, Stored<ObjectData>>();
      for (const item of items) if (item !== undefined) take(as(objectEntity, item), wanted, kept);
      found = inOrder(kept, wanted);
    },
  };
}

type Kept = Map<number, Stored<ObjectData>>;

function take(item: Stored<ObjectData>, { isKept }: Wanted, kept: Kept): void {
  if (isKept(item.data)) kept.set(item.data.id, item);
}

function takeAll(stream: Stream, wanted: Wanted, kept: Kept): void {
  for (let item = stream.head(); item !== undefined; item = stream.head()) {
    stream.drop();
    take(item, wanted, kept);
  }
}

/** What of all that was collected is wanted. */
function inOrder(kept: Kept, { order, isDescending, from, limit }: Wanted) {
  const sign = isDescending ? -1 : 1;
  return [...kept.values()]
    .filter(({ data }) => from === undefined || compareWithCursor(order, data, from) * sign > 0)
    .sort((a, b) => compareObjects(order, a.data, b.data) * sign)
    .slice(0, limit);
}

/**
 * Takes objects from streams that are each in the order that is wanted, as far as it is known what comes next.
 *
 * @returns whether there is all that is wanted
 */
function merge(streams: readonly Stream[], wanted: Wanted, kept: Kept): boolean {
  while (kept.size < wanted.limit) {
    if (streams.some((stream) => stream.head() === undefined && !stream.isRead)) return false;
    const first = firstOf(streams, wanted);
    const item = first?.head();
    if (first === undefined || item === undefined) return true;
    first.drop();
    take(item, wanted, kept);
  }
  return true;
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

/** A range that is read in parts. */
interface Stream {
  /** Whether nothing is left to be read. */
  readonly isRead: boolean;
  /** The next object of what was read. */
  head(): Stored<ObjectData> | undefined;
  drop(): void;
  /** Reads on when nothing is left of what was read; gives the number of objects. */
  refill(limit: number): Promise<number>;
}

function openStreams(
  place: ObjectPlace,
  { path, isSorted }: Plan,
  { ids, from, order, isDescending }: Wanted,
): readonly Stream[] {
  if (path.kind === 'ids') return [];
  const isReversed = isSorted && isDescending;
  const start =
    isSorted && from !== undefined
      ? { id: from.id, value: order.isById ? undefined : from.value, isDescending }
      : undefined;
  const ranges = objectRanges(path, ids, start);
  return ranges.map((range) => openStream(place, range, isReversed));
}

function openStream(
  { store, instance, classNumber }: ObjectPlace,
  range: ObjectRange,
  descending: boolean,
): Stream {
  const { pk } = objectEntity.key(instance, classNumber, 0);
  let items: readonly Stored<ObjectData>[] = [];
  let at = 0;
  let rest = range;
  let isRead = false;
  return {
    get isRead() {
      return isRead;
    },
    head: () => items[at],
    drop: () => {
      at += 1;
    },
    refill: async (limit) => {
      if (isRead || at < items.length) return 0;
      const page = await store.query({ pk, ...rest, descending, limit });
      const last = page.positions.at(-1);
      items = page.items
        .filter((item, i) => isInPlace(item, range, page.positions[i]))
        .map((item) => as(objectEntity, item));
      at = 0;
      isRead = !page.more || last === undefined;
      if (last !== undefined) {
        const edge = { key: last, inclusive: false };
        rest = descending ? { ...rest, upper: edge } : { ...rest, lower: edge };
      }
      return page.items.length;
    },
  };
}

/**
 * On AWS the index by time of change leads to objects as they are now: one that has changed since stands elsewhere
 * in it, and would take the page's end with it.
 */
function isInPlace(item: Stored, { index }: ObjectRange, position: string | undefined): boolean {
  if (index !== 'updated') return true;
  const { data } = as(objectEntity, item);
  return position === data.updated_at + idKey(data.id);
}

function pathName(path: Path): string {
  switch (path.kind) {
    case 'index':
      return path.index === 'updated' ? 'updated' : `slot${path.index}`;
    case 'rights':
      return path.user === undefined ? 'shared' : 'owned+shared';
    default:
      return path.kind;
  }
}
