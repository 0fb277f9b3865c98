import type { ListPart } from '../store/entity.ts';
import type { Store, Stored, Turns } from '../store/store.ts';
import { objectEntity } from '../table/entities/classes.ts';
import { idKey } from '../table/key-parts.ts';
import { type ObjectRange, objectRanges } from '../table/object-ranges.ts';
import type { ObjectData } from '../table/records/records.ts';
import type { Cursor, Order } from './query/order.ts';
import type { IdBounds } from './query/paths.ts';
import type { SearchPlan } from './query/plan.ts';

/** Location of objects: the class of a request, or a class that it refers to. */
export interface ClassScope {
  readonly store: Store;
  readonly instance: number;
  readonly classNumber: number;
  /** Yields to other requests during a scan. */
  readonly turns: Turns;
}

/** Part of an ordered list to read. */
export interface StreamPart {
  readonly order: Order;
  /** Direction of the scan: against the order for a backward page. */
  readonly isDescending: boolean;
  /** Position after which the scan starts. */
  readonly from: Cursor | undefined;
  readonly ids: IdBounds;
}

/** Range that is read in batches. */
export interface Stream {
  /** Checks whether the whole range was read. */
  isRead(): boolean;
  /** Returns the next object of the current batch. */
  head(): Stored<ObjectData> | undefined;
  drop(): void;
  /** Reads the next batch when the current one is used up; returns the number of objects. */
  refill(limit: number): Promise<number>;
  /**
   * Reads on from a near store in place of `refill`: passes on each object until `isEnough` returns true for one, at
   * most `limit` objects. Returns their number.
   */
  pour(limit: number, isEnough: (item: Stored<ObjectData>) => boolean): Promise<number>;
}

/** Opens the ranges of an access path; each is in list order if the plan is sorted. */
export function openStreams(
  scope: ClassScope,
  { path, isSorted }: SearchPlan,
  { ids, from, order, isDescending }: StreamPart,
): readonly Stream[] {
  if (path.kind === 'ids') return [];
  const isReversed = isSorted && isDescending;
  const start =
    isSorted && from !== undefined
      ? { id: from.id, value: order.isById ? undefined : from.value, isDescending }
      : undefined;
  const ranges = objectRanges(path, ids, start);
  return ranges.map((range) => openStream(scope, range, isReversed));
}

function openStream(
  { store, instance, classNumber, turns }: ClassScope,
  range: ObjectRange,
  descending: boolean,
): Stream {
  let items: readonly Stored<ObjectData>[] = [];
  let at = 0;
  let after: string | undefined;
  let isRead = false;

  async function readOn(part: Pick<ListPart<ObjectData>, 'limit' | 'isEnough'>) {
    const partition = [instance, classNumber] as const;
    const { index, lower, upper } = range;
    const { limit, isEnough } = part;
    const all = { index, lower, upper, after, descending, turns, limit, isEnough };
    const page = await objectEntity.list(store, partition, all);
    after = page.last;
    isRead = after === undefined;
    return page;
  }

  return {
    isRead: () => isRead,
    head: () => items[at],
    drop: () => {
      at += 1;
    },
    refill: async (limit) => {
      if (isRead || at < items.length) return 0;
      const page = await readOn({ limit });
      items = page.items.filter((item, i) => isAtPosition(item, range, page.positions[i]));
      at = 0;
      return page.items.length;
    },
    pour: async (limit, isEnough) => {
      const page = await readOn({ limit, isEnough });
      return page.items.length;
    },
  };
}

/**
 * Checks the position of an object in the index by time of change. On AWS this index leads to objects in their current
 * state: one that has changed since is at another position, and would shift the end of the page.
 */
function isAtPosition(
  item: Stored<ObjectData>,
  { index }: ObjectRange,
  position: string | undefined,
): boolean {
  if (index !== 'updated') return true;
  return position === item.data.updated_at + idKey(item.data.id);
}
