import { incorrectPage } from './errors/errors.ts';

const defaultPageSize = 100;
const maxPageSize = 100; // larger sizes are reduced to it, not rejected
const maxCursor = 2_147_483_647;

/** Selects a page of a list, by list position (docs/reference/paging.md#parameters). */
export interface Paging {
  /** Items per page, 0 to 100; 0 returns an empty page. */
  readonly size: number;
  /** Order of the whole list. */
  readonly ascending: boolean;
  /** Absent in a request for the first page. */
  readonly direction: 'forward' | 'backward' | undefined;
  /** List position of the item next to the page, on the side of the previous request. */
  readonly lastPk: number | undefined;
}

/** Items to read: list positions strictly between the bounds, ascending or descending. */
export interface ItemRange {
  readonly above: number | undefined;
  readonly below: number | undefined;
  readonly descending: boolean;
  readonly limit: number;
  /**
   * Set when the last item only shows whether one follows the page. It is searched among the items read for the page,
   * or on one page more where the store is near. Absent: all items are for the page.
   */
  readonly ahead?: 'read' | 'page';
}

/** Parameters of a link to a neighbouring page; empty: the first page. */
export type PageLink = { readonly direction?: '0' | '1'; readonly last_pk?: string };

/** The links of a page; null: no such neighbour. */
export interface PageLinks {
  readonly next: PageLink | null;
  readonly prev: PageLink | null;
}

/**
 * Reads the paging parameters.
 *
 * @param value returns a query parameter, undefined when absent
 * @throws ApiError 400 for a value out of its range; a bad `ordering` counts as absent
 */
export function parsePaging(
  value: (name: string) => string | undefined,
  ascendingByDefault = true,
): Paging {
  const size = wholeNumber(value('page_size'), Number.POSITIVE_INFINITY) ?? defaultPageSize;
  const lastPk = wholeNumber(value('last_pk'), maxCursor);
  const direction = parseDirection(value('direction'));
  const ordering = value('ordering')?.toLowerCase();
  return {
    size: Math.min(size, maxPageSize),
    ascending: ordering === 'asc' || (ordering !== 'desc' && ascendingByDefault),
    direction,
    lastPk: direction && lastPk,
  };
}

function wholeNumber(text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number) || number > max) throw incorrectPage();
  return number;
}

function parseDirection(text: string | undefined): Paging['direction'] {
  switch (text) {
    case undefined:
      return undefined;
    case '1':
      return 'forward';
    case '0':
      return 'backward';
    default:
      throw incorrectPage();
  }
}

/** Returns the range that a page needs; a backward page is read away from its cursor. */
export function itemRange(paging: Paging): ItemRange {
  const backward = paging.direction === 'backward';
  const isAbove = paging.ascending !== backward;
  return {
    above: isAbove ? paging.lastPk : undefined,
    below: isAbove ? undefined : paging.lastPk,
    descending: !isAbove,
    limit: paging.size,
  };
}

/**
 * Returns the range for a page whose `next` is null when nothing follows: one item more than the page. A backward page
 * was reached from its `next` page, so no further item is read.
 *
 * @param isNear whether reading one page more costs no time
 */
export function rangeAhead(paging: Paging, isNear: boolean): ItemRange {
  const range = itemRange(paging);
  if (paging.direction === 'backward') return range;
  return { ...range, limit: range.limit + 1, ahead: isNear ? 'page' : 'read' };
}

/** Puts items into list order after reading. */
export function inListOrder<Item>(items: readonly Item[], paging: Paging): readonly Item[] {
  return paging.direction === 'backward' ? items.toReversed() : items;
}

/**
 * Returns the links of a page. A full page has a neighbour in its direction, unless it is known that nothing follows;
 * the opposite direction is not checked (docs/reference/paging.md#algorithm).
 *
 * @param pks list positions of the page, in list order
 * @param isMore whether items follow a forward page; undefined: not known
 */
export function pageLinks(
  paging: Paging,
  pks: readonly number[],
  isMore?: boolean | undefined,
): PageLinks {
  const first = pks.at(0);
  const last = pks.at(-1);
  const isFull = pks.length === paging.size;
  const after: PageLink | null =
    isFull && last !== undefined ? { direction: '1', last_pk: String(last) } : null;
  const before: PageLink =
    first === undefined ? { direction: '0' } : { direction: '0', last_pk: String(first) };
  const further = isMore === false ? null : after;
  switch (paging.direction) {
    case undefined:
      return { next: further, prev: null };
    case 'forward':
      return { next: further, prev: before };
    case 'backward':
      return { next: nextOfBackward(paging, after), prev: after === null ? null : before };
  }
}

/**
 * Returns `next` of a backward page. Without a cursor it is the last page; if not full, it has reached the first page.
 */
function nextOfBackward({ lastPk }: Paging, after: PageLink | null): PageLink | null {
  return lastPk === undefined ? null : (after ?? {});
}
