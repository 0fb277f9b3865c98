import { as, idKey, objectEntity } from '../store/entities.ts';
import { type ObjectRange, objectRanges } from '../store/object-ranges.ts';
import type { ObjectData } from '../store/records/records.ts';
import type { Store, Stored, Turns } from '../store/store.ts';
import type { Cursor, Order } from './query/order.ts';
import type { IdBounds } from './query/paths.ts';
import type { Plan } from './query/plan.ts';

/** Where objects are: the class of a call, or one that it refers to. */
export interface ObjectPlace {
  readonly store: Store;
  readonly instance: number;
  readonly classNumber: number;
  /** What a walk gives way to. */
  readonly turns: Turns;
}

/** Which part of an ordered list is read. */
export interface StreamPart {
  readonly order: Order;
  /** Direction of the walk: against the order on the way back. */
  readonly isDescending: boolean;
  /** What the walk begins behind. */
  readonly from: Cursor | undefined;
  readonly ids: IdBounds;
}

/** A range that is read in parts. */
export interface Stream {
  /** Whether nothing is left to be read. */
  readonly isRead: boolean;
  /** The next object of what was read. */
  head(): Stored<ObjectData> | undefined;
  drop(): void;
  /** Reads on when nothing is left of what was read; gives the number of objects. */
  refill(limit: number): Promise<number>;
}

/** Opens the ranges of a path; each is in the order of the list where the plan says so. */
export function openStreams(
  place: ObjectPlace,
  { path, isSorted }: Plan,
  { ids, from, order, isDescending }: StreamPart,
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
  { store, instance, classNumber, turns }: ObjectPlace,
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
      const page = await store.query({ pk, ...rest, descending, limit, turns });
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
