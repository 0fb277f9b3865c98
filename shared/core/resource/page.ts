import { openTurns } from '../../ports/limits/time-slices.ts';
import type { Entity } from '../../store/entity.ts';
import type { Bound, Store, Stored, Turns } from '../../store/store.ts';
import { idIn } from '../../table/key-parts.ts';
import type { Json } from '../../values/json/json.ts';
import {
  type ItemRange,
  inListOrder,
  type PageLink,
  type Paging,
  pageLinks,
  parsePaging,
  rangeAhead,
} from '../../values/paging.ts';
import { maxEventBytes } from '../http/event-size.ts';
import { queryValue } from '../http/message.ts';
import { type ItemBody, writeBody } from '../http/response-cache.ts';
import type { QueryParameters } from '../routing/forms.ts';
import type { Context, Route } from '../routing/route.ts';

/** Position of an item in its list. */
export interface ListPosition {
  /** The number that paging uses. */
  readonly pk: number;
  /** Where a list is not ordered by list position: the value that orders it, as links contain it. */
  readonly lastValue?: string | undefined;
}

/** One entry of a list: its position, and the item. */
export interface ListItem<Data extends object> extends ListPosition {
  readonly item: Stored<Data>;
}

/** The items of one page in list order, and the links to its neighbours, ready to be sent. */
export interface Page<Data extends object> {
  readonly listItems: readonly ListItem<Data>[];
  readonly next: string | null;
  readonly prev: string | null;
  /** Items on all pages, where the request asked for it. */
  readonly count?: number | undefined;
  /** The request for it, where the page may be made again. */
  readonly call?: PageCall;
}

/**
 * Reads the page that a request asks for.
 *
 * @param path of the list, as links show it
 * @throws ApiError 400 for a bad paging parameter
 */
export async function readPage<Data extends object>(
  context: Context,
  path: string,
  read: (range: ItemRange) => Promise<ListItems<Data>>,
): Promise<Page<Data>> {
  const { query } = context.request;
  const paging = parsePaging((name) => queryValue(query, name));
  const range = rangeAhead(paging, context.platform.store.isNear === true);
  const found = paging.size === 0 ? [] : await read(range);
  const listItems = inListOrder(itemsIn(found).slice(0, paging.size), paging);
  const { route } = context;
  return pageOf({ route, path, query, paging }, listItems, isBeyond(found, paging.size));
}

/** Items of a range; undecided when it is unknown whether more follow, although more were requested. */
export type ListItems<Data extends object> = readonly ListItem<Data>[] | UndecidedItems<Data>;

/** Items that were not read to the end of the range. */
interface UndecidedItems<Data extends object> {
  readonly listItems: readonly ListItem<Data>[];
  readonly isUndecided: true;
}

/** Returns the items, whether or not more follow. */
export function itemsIn<Data extends object>(
  listItems: ListItems<Data>,
): readonly ListItem<Data>[] {
  return 'isUndecided' in listItems ? listItems.listItems : listItems;
}

/** Checks whether items follow the first ones; undefined: not known. */
function isBeyond(listItems: ListItems<object>, size: number): boolean | undefined {
  return 'isUndecided' in listItems ? undefined : listItems.length > size;
}

/** The request for a page. */
export interface PageCall {
  /** Of the list, whose own parameters links keep. */
  readonly route: Pick<Route, 'operations'>;
  /** Path of the list, as links show it. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly paging: Paging;
}

/**
 * Makes a page of its items, which are in list order.
 *
 * @param isMore whether items follow a forward page; undefined: not known
 */
export function pageOf<Data extends object>(
  call: PageCall,
  listItems: readonly ListItem<Data>[],
  isMore: boolean | undefined,
): Page<Data> {
  return { listItems, call, ...neighbours(call, listItems, isMore) };
}

/** Returns the links of a page to its neighbours. */
export function neighbours(
  { route, path, query, paging }: PageCall,
  listItems: readonly ListPosition[],
  isMore: boolean | undefined,
): { readonly next: string | null; readonly prev: string | null } {
  const pks = listItems.map((listItem) => listItem.pk);
  const { next, prev } = pageLinks(paging, pks, isMore);
  const { parameters = {} } = route.operations.GET ?? {};
  const write = (link: PageLink | null, edge: ListPosition | undefined) =>
    link === null ? null : path + linkQuery(query, parameters, withLastValue(link, edge));
  return { next: write(next, listItems.at(-1)), prev: write(prev, listItems[0]) };
}

/** Adds the value to a link. It is needed where the list is not ordered by list position. */
function withLastValue(
  link: PageLink,
  edge: ListPosition | undefined,
): Readonly<Record<string, string>> {
  const isAtEdge = link.last_pk !== undefined && edge?.lastValue !== undefined;
  return isAtEdge ? Object.assign({}, link, { last_value: edge.lastValue }) : { ...link };
}

/** Parameters that the links of every list keep. */
const kept = new Set(
  'page_size ordering order_by query fields excluded_fields include_count expand'.split(' '),
);

/** Parameters that a link sets itself. */
const setByLinks = new Set(['direction', 'last_pk', 'last_value']);

/**
 * Returns the query of a neighbouring page: keeps the parameters that shape the list, never credentials
 * (docs/reference/paging.md#what-a-link-keeps).
 */
function linkQuery(
  query: URLSearchParams,
  declared: QueryParameters,
  link: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams();
  for (const name of new Set(query.keys())) {
    const isKept = kept.has(name) || name.endsWith('__startswith') || Object.hasOwn(declared, name);
    if (!isKept || setByLinks.has(name)) continue;
    // all copies of `query` apply together, each distinct one once; of other parameters the last one counts
    const values = query.getAll(name);
    for (const value of name === 'query' ? new Set(values) : values.slice(-1))
      parameters.append(name, value);
  }
  for (const [name, value] of Object.entries(link)) parameters.append(name, value);
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

/** The envelope of a list, and its items. */
export interface PageBody {
  readonly [name: string]: Json | readonly ItemBody[];
}

/** Returns the envelope of a list (docs/reference/paging.md#envelope). */
export function pageBody(
  page: Omit<Page<object>, 'listItems'>,
  objects: readonly ItemBody[],
): PageBody {
  const { next, prev, count } = page;
  return { next, prev, objects, ...(count !== undefined && { objects_count: count }) };
}

const maxPageBytes = maxEventBytes - 65_536; // the rest is for headers, links and the envelope

/**
 * Returns the envelope of a list whose items may be large: items that do not fit into a response are left to the next
 * page. The first item is always included.
 *
 * @param objects the items as they are shown, in their order
 */
export async function roomyPageBody(
  page: Page<object>,
  objects: readonly ItemBody[],
): Promise<PageBody> {
  const { call, listItems, count } = page;
  if (call === undefined || listItems.length !== objects.length) return pageBody(page, objects);
  const isBackward = call.paging.direction === 'backward';
  const size = await countFitting(isBackward ? objects.toReversed() : objects);
  if (size === objects.length) return pageBody(page, objects);
  const part = isBackward ? ([-size, undefined] as const) : ([0, size] as const);
  const paging = { ...call.paging, size };
  const links = neighbours({ ...call, paging }, listItems.slice(...part), true);
  return pageBody({ ...links, count }, objects.slice(...part));
}

/** Counts how many of the first items fit into a response, as the gateway counts: as JSON text inside JSON. */
async function countFitting(objects: readonly ItemBody[]): Promise<number> {
  const turns = openTurns(); // a page may have 100 items of megabytes
  let bytes = 0;
  for (const [at, object] of objects.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(writeBody(object)));
    if (bytes > maxPageBytes) return Math.max(at, 1);
    await giveWay(turns);
  }
  return objects.length;
}

/** Reads a range of a list whose items have an id or a list position at the end of their keys. */
export async function itemsOf<Data extends object, List extends readonly unknown[]>(
  store: Store,
  entity: Entity<Data, [...List, row: number], List>,
  list: List,
  { above, below, descending, limit }: ItemRange,
): Promise<readonly ListItem<Data>[]> {
  const edge = (row: number | undefined): Bound | undefined =>
    row === undefined ? undefined : { key: entity.key(...list, row).sk, inclusive: false };
  const range = { lower: edge(above), upper: edge(below), descending, limit };
  const { items } = await entity.list(store, list, range);
  return items.map((item) => ({ pk: idIn(item.key), item }));
}

/** Returns a range of items that are already read, in any order. */
export function cut<Data extends object>(
  listItems: readonly ListItem<Data>[],
  { above = -1, below = Number.POSITIVE_INFINITY, descending, limit }: ItemRange,
): readonly ListItem<Data>[] {
  return listItems
    .filter((listItem) => listItem.pk > above && listItem.pk < below)
    .sort((a, b) => (descending ? b.pk - a.pk : a.pk - b.pk))
    .slice(0, limit);
}

/**
 * Reads until the range ends or enough items are kept. For lists that show only some of their items.
 *
 * @param read reads items of a range; an entry without item is not shown
 */
export async function gather<Data extends object>(
  range: ItemRange,
  read: (range: ItemRange) => Promise<readonly ReadListItem<Data>[]>,
  isKept: (listItem: ListItem<Data>) => boolean,
): Promise<ListItems<Data>> {
  const kept: ListItem<Data>[] = [];
  const turns = openTurns(); // the embedded store responds at once: without pauses no other request would get a turn
  const wanted = range.ahead === undefined ? range.limit : range.limit - 1;
  let mayReadOn = range.ahead === 'page';
  let rest = range;
  for (;;) {
    const listItems = await read(rest);
    kept.push(...shownOf(listItems).filter(isKept));
    const last = listItems.at(-1)?.pk;
    const isEnd = listItems.length < range.limit || last === undefined;
    if (isEnd || kept.length >= range.limit) return kept.slice(0, range.limit);
    if (kept.length === wanted) {
      if (!mayReadOn) return { listItems: kept, isUndecided: true };
      mayReadOn = false;
    }
    rest = beyond(range, last);
    await giveWay(turns);
  }
}

async function giveWay(turns: Turns): Promise<void> {
  if (turns.isDue()) await turns.pause();
}

function beyond(range: ItemRange, last: number): ItemRange {
  return range.descending ? { ...range, below: last } : { ...range, above: last };
}

/** An entry of a range, which may not be shown. */
interface ReadListItem<Data extends object> {
  readonly pk: number;
  readonly item: Stored<Data> | undefined;
}

function shownOf<Data extends object>(
  listItems: readonly ReadListItem<Data>[],
): readonly ListItem<Data>[] {
  return listItems.flatMap(({ pk, item }) => (item === undefined ? [] : [{ pk, item }]));
}
