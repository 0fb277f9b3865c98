import { compiledClass } from '../classes/compiled-classes.ts';
import type { CompiledClass } from '../classes/rules/compiled-class.ts';
import { bypassesAcl, objectPermission } from '../classes/rules/permissions.ts';
import { byItemUse, defineCache, type ItemUse } from '../core/routing/caches.ts';
import type { Context } from '../core/routing/route.ts';
import { openScan, type Scan } from '../ports/limits/scans.ts';
import type { Stored } from '../store/store.ts';
import type { ClassData, ObjectData } from '../table/records/records.ts';
import type { Actor } from '../values/access.ts';
import type { Paging } from '../values/paging.ts';
import { notePageCost } from './composite-index-requests.ts';
import { resolveNested } from './nested-queries.ts';
import type { ObjectScan } from './object-scan.ts';
import {
  countObjects,
  explainTo,
  findObjects,
  type Search,
  type SearchReport,
} from './object-search.ts';
import type { ParsedQuery } from './query/conditions.ts';
import { type Cursor, type Order, parseLastValue, parseOrder } from './query/order.ts';
import { parseQueries } from './query/parse.ts';
import type { ObjectReader } from './query/plan.ts';

const maxKeptLength = 400; // characters of a filter whose parsed form is cached

/** Properties of the request that a list uses. */
export type ListCall = Pick<
  Context,
  'platform' | 'caches' | 'actor' | 'request' | 'instanceName'
> & {
  readonly instance: number;
  readonly class: Stored<ClassData>;
};

/** Parameters of a list of objects, unparsed. */
export interface ListRequest {
  /** All occurrences of `query`. */
  readonly queries: readonly string[];
  readonly orderBy: string | undefined;
  readonly lastValue: string | undefined;
  readonly paging: Paging;
  readonly isCounted: boolean;
}

/** One page of objects. */
export interface ObjectPage {
  readonly order: Order;
  /** In list order. */
  readonly objects: readonly Stored<ObjectData>[];
  /** Of all pages, if requested: exact up to 1000, above that at least as many as could be read. */
  readonly count: number | undefined;
  /** Whether more objects follow a full forward page; undefined: not known. */
  readonly isMore: boolean | undefined;
}

/**
 * Lists the objects of a class that match a query and are visible to the actor (docs/reference/queries.md#parameters).
 *
 * @throws ApiError 400 for a bad parameter; 408 when every access path would read more than 10,000 objects, or take
 *                  more than 1.5 s; 429 while too many long lists of the instance wait
 */
export async function listObjects(call: ListCall, request: ListRequest): Promise<ObjectPage> {
  const scan = openScan(call);
  try {
    return await listWithin(call, request, scan);
  } finally {
    scan.close();
  }
}

async function listWithin(call: ListCall, request: ListRequest, scan: Scan): Promise<ObjectPage> {
  const compiled = compiledClass(call.caches, call.class);
  const order = parseOrder(request.orderBy, compiled);
  const from = cursorOf(order, request);
  const { conditions, nested } = parsedQueries(call, request.queries, compiled);
  const resolved = nested.length === 0 ? [] : await resolveNested({ ...call, scan }, nested);
  const search = searchOf(call, compiled, { conditions: [...conditions, ...resolved], scan });
  const [page, count] = await Promise.all([
    findPage(call, search, { order, from, paging: request.paging }),
    request.isCounted ? countObjects(counting(call, search), order) : undefined,
  ]);
  const found = page?.found() ?? [];
  const objects = request.paging.direction === 'backward' ? found.toReversed() : found;
  const isMore = await moreAfter(page, request.paging);
  return { order, objects, count, isMore };
}

/** Parsed filters by class record, version and text, so that an entry is never outdated. */
const knownQueries = defineCache<ItemUse, ParsedQuery>(byItemUse);

/** Parses the filters of a list, or takes them from the cache: most clients send the same few again and again. */
function parsedQueries(
  { caches, class: item }: ListCall,
  texts: ListRequest['queries'],
  compiled: CompiledClass,
): ParsedQuery {
  const use = { item, text: JSON.stringify(texts) };
  const queries = knownQueries(caches);
  const known = queries.get(use);
  if (known !== undefined) return known;
  const parsed = parseQueries(texts, compiled);
  if (use.text.length <= maxKeptLength) queries.set(use, parsed);
  return parsed;
}

function cursorOf(order: Order, { lastValue, paging }: ListRequest): Cursor | undefined {
  const value = parseLastValue(order, lastValue);
  return paging.lastPk === undefined ? undefined : { id: paging.lastPk, value };
}

function searchOf(
  call: ListCall,
  { compositeIndexes }: CompiledClass,
  asked: Pick<Search, 'conditions' | 'scan'>,
): Search {
  const {
    platform,
    caches,
    instance,
    class: { data },
    actor,
  } = call;
  return {
    explain: explainTo(call, 'objects listed'),
    scope: { store: platform.store, instance, classNumber: data.number },
    ...asked,
    reader: readerOf(actor),
    compositeIndexes,
    isVisible: bypassesAcl(actor)
      ? () => true
      : ({ data }) => objectPermission(actor, data) !== 'none',
    caches,
  };
}

function counting(call: ListCall, search: Search): Search {
  return { ...search, explain: explainTo(call, 'objects counted') };
}

function readerOf(actor: Actor): ObjectReader {
  if (bypassesAcl(actor)) return { kind: 'bypasses-acl' };
  return { kind: 'bound', user: actor.kind === 'apiKey' ? actor.user?.id : undefined };
}

async function moreAfter(
  page: ObjectScan | undefined,
  paging: Paging,
): Promise<boolean | undefined> {
  if (page === undefined || paging.direction === 'backward') return undefined;
  return page.found().length < paging.size ? false : page.lookAhead();
}

interface PagePart {
  readonly order: Order;
  readonly from: Cursor | undefined;
  readonly paging: Paging;
}

/** Scans to the far end of a page; reads nothing for an empty page. */
async function findPage(
  call: ListCall,
  search: Search,
  { order, from, paging }: PagePart,
): Promise<ObjectScan | undefined> {
  if (paging.size === 0) return undefined;
  const isDescending = order.isDescending !== (paging.direction === 'backward');
  let report: SearchReport | undefined;
  const explain = (heard: SearchReport) => {
    report = heard;
    search.explain(heard);
  };
  try {
    return await findObjects(
      { ...search, explain },
      {
        order,
        isDescending,
        from,
        limit: paging.size,
        isAhead: paging.direction !== 'backward',
      },
    );
  } finally {
    // also of a page that failed
    if (report !== undefined) {
      const { conditions, compositeIndexes, reader } = search;
      await notePageCost(call, { conditions, compositeIndexes, reader, order, report });
    }
  }
}
