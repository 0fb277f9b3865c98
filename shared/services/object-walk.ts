import {
  type Cursor,
  compareObjects,
  compareWithCursor,
  type Order,
} from '../domain/query/order.ts';
import type { IdBounds, Path } from '../domain/query/paths.ts';
import type { Plan } from '../domain/query/plan.ts';
import { as, idKey, objectEntity } from '../store/entities.ts';
import { maxQueryLimit } from '../store/limits.ts';
import { type ObjectRange, objectRanges } from '../store/object-ranges.ts';
import type { ObjectData } from '../store/records.ts';
import type { Store, Stored } from '../store/store.ts';
import { openPace } from './walk-pace.ts';

/** Objects that one walk may read (reference: list time). */
export const maxKeysRead = 10_000;

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
  if (path.kind === 'ids') return idsWalk(place, path.ids, wanted);
  const streams = openStreams(place, plan, wanted);
  const pace = openPace({ ...wanted, isSorted });
  const kept = new Map<number, Stored<ObjectData>>();
  let keysRead = 0;
  let used = 0;
  let found: readonly Stored<ObjectData>[] | undefined;

  async function step(): Promise<void> {
    const limit = chunkLimit(pace.chunk, streams.length, maxKeysRead - keysRead);
    const counts = await Promise.all(streams.map((stream) => stream.refill(limit)));
    keysRead += counts.reduce((sum, count) => sum + count, 0);
    const taken = isSorted ? merge(streams, wanted, kept) : takeAll(streams, wanted, kept);
    used += taken.used;
    pace.learn({ used, kept: kept.size });
    if (taken.isComplete) found = isSorted ? [...kept.values()] : inOrder(kept, wanted);
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
  let found: readonly Stored<ObjectData>[] | undefined;
  return {
    name: 'ids',
    keysRead: keys.length,
    used: keys.length,
    isNearEnd: true,
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

/** What was taken from streams. */
interface Taken {
  /** Objects looked at. */
  readonly used: number;
  /** Whether there is all that is wanted. */
  readonly isComplete: boolean;
}

function takeAll(streams: readonly Stream[], wanted: Wanted, kept: Kept): Taken {
  let used = 0;
  for (const stream of streams) {
    for (let item = stream.head(); item !== undefined; item = stream.head()) {
      stream.drop();
      take(item, wanted, kept);
      used += 1;
    }
  }
  return { used, isComplete: streams.every(({ isRead }) => isRead) };
}

/** What of all that was collected is wanted. */
function inOrder(kept: Kept, { order, isDescending, from, limit }: Wanted) {
  const sign = isDescending ? -1 : 1;
  return [...kept.values()]
    .filter(({ data }) => from === undefined || compareWithCursor(order, data, from) * sign > 0)
    .sort((a, b) => compareObjects(order, a.data, b.data) * sign)
    .slice(0, limit);
}

/** Takes objects from streams that are each in the order that is wanted, as far as it is known what comes next. */
function merge(streams: readonly Stream[], wanted: Wanted, kept: Kept): Taken {
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
  }
  return { used, isComplete: true };
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
