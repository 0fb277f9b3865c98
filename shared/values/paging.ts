import { incorrectPage } from './errors/errors.ts';

const defaultPageSize = 100;
const maxPageSize = 100; // larger sizes are cut to it, not refused
const maxCursor = 2_147_483_647;

/** What a caller asks of a list, by row number (docs/reference/paging.md#parameters). */
export interface Paging {
  /** Rows a page, 0 to 100; 0 gives an empty page. */
  readonly size: number;
  /** Order of the whole list. */
  readonly ascending: boolean;
  /** Absent on a call for the first page. */
  readonly direction: 'forward' | 'backward' | undefined;
  /** Number of the row next to the page, on the side we come from. */
  readonly lastPk: number | undefined;
}

/** Rows to read: numbers strictly between the bounds, walked up or down. */
export interface RowRange {
  readonly above: number | undefined;
  readonly below: number | undefined;
  readonly descending: boolean;
  readonly limit: number;
  /**
   * The last row is only wanted to know whether one follows the page. It is looked for among what was read for the
   * page, or on one page more where that is near. Absent: all rows are for the page.
   */
  readonly ahead?: 'read' | 'page';
}

/** Parameters of a link to a neighbouring page; empty: the first page. */
export type PageLink = { readonly direction?: '0' | '1'; readonly last_pk?: string };

/** The links of a page; null: there is no such neighbour. */
export interface PageLinks {
  readonly next: PageLink | null;
  readonly prev: PageLink | null;
}

/**
 * Reads the paging parameters.
 *
 * @param value gives a query parameter, undefined when it was not sent
 * @throws ApiError 400 for a value out of its range; a bad `ordering` counts as not sent
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
    lastPk: direction === undefined ? undefined : lastPk,
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

/** Says which rows a page needs; a backward page is walked towards its far end. */
export function rowRange(paging: Paging): RowRange {
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
 * Says which rows to read for a page whose `next` is null when nothing follows: one more than it has. A backward page
 * was come to from its `next`, so nothing is looked for.
 *
 * @param isNear whether reading one page more costs no time
 */
export function rangeAhead(paging: Paging, isNear: boolean): RowRange {
  const range = rowRange(paging);
  if (paging.direction === 'backward') return range;
  return { ...range, limit: range.limit + 1, ahead: isNear ? 'page' : 'read' };
}

/** Puts the rows of a walk into list order. */
export function inListOrder<Row>(rows: readonly Row[], paging: Paging): readonly Row[] {
  return paging.direction === 'backward' ? rows.toReversed() : rows;
}

/**
 * Finds the links of a page. A full page has a neighbour on the way, unless it is known that nothing follows; the way
 * back is not looked at (docs/reference/paging.md#algorithm).
 *
 * @param pks row numbers of the page, in list order
 * @param isMore whether rows follow a forward page; undefined: not known
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

/** Without a cursor a backward page is the last one. One that is not full has come to the first page. */
function nextOfBackward({ lastPk }: Paging, after: PageLink | null): PageLink | null {
  return lastPk === undefined ? null : (after ?? {});
}
