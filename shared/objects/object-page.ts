import type { ClassContext } from '../classes/class-record.ts';
import { queryValue } from '../core/http/message.ts';
import { instanceOf } from '../core/resource/context-values.ts';
import { type Page, pageOf } from '../core/resource/page.ts';
import type { QueryParameters } from '../core/routing/forms.ts';
import { listObjects } from '../search/list-objects.ts';
import { queriedObject } from '../search/queried.ts';
import { lastValueOf } from '../search/query/order.ts';
import { idIn } from '../table/key-parts.ts';
import type { ObjectData } from '../table/records/records.ts';
import { parsePaging } from '../values/paging.ts';
import { toBoolean } from '../values/scalars.ts';

/** Parameters of `readObjectPage`, in addition to those of every page. */
export const objectPageParameters: QueryParameters = {
  query: {
    type: 'json',
    description:
      'Filter: a JSON object of conditions by field. If the parameter is repeated, all filters apply.',
  },
  order_by: {
    type: 'string',
    description: 'Name of the field to order by. A leading `-` reverses the order.',
  },
  last_value: {
    type: 'string',
    description:
      'Value of the order field of the item adjacent to the page. `next` and `prev` contain it.',
  },
  include_count: {
    type: 'boolean',
    description: 'Adds `objects_count`, the number of objects on all pages.',
  },
};

/** Parameters of a list of objects that differ from the query of the request. */
export interface ObjectListing {
  /** Replaces the request's query, in links too. */
  readonly query: URLSearchParams;
  /** JSON of a filter in addition to those in `query`, not part of links; empty: none. */
  readonly filter: string;
}

/**
 * Reads the page of objects that a request asks for, filtered and in its order.
 *
 * @param path of the list, as links show it
 * @throws ApiError 400 for a bad parameter, 408 when it takes too long
 */
export async function readObjectPage(
  context: ClassContext,
  path: string,
  { query, filter }: ObjectListing = { query: context.request.query, filter: '' },
): Promise<Page<ObjectData>> {
  const value = (name: string) => queryValue(query, name);
  // objects have order_by instead of `ordering`
  const paging = parsePaging((name) => (name === 'ordering' ? undefined : value(name)));
  const { platform, caches, actor, request, instanceName, route } = context;
  const scope = { instance: instanceOf(context), instanceName, class: context.loaded.class };
  const { order, objects, count, isMore } = await listObjects(
    { platform, caches, actor, request, ...scope },
    {
      queries: [filter, ...query.getAll('query')],
      orderBy: value('order_by'),
      lastValue: value('last_value'),
      isCounted: toBoolean(value('include_count')) === true,
      paging,
    },
  );
  const isEdge = (at: number) => at === 0 || at === objects.length - 1; // links begin only there
  const listItems = objects.map((item, at) => ({
    pk: idIn(item.key),
    item,
    lastValue: isEdge(at) ? lastValueOf(order, queriedObject(item)) : undefined,
  }));
  return { count, ...pageOf({ route, path, query, paging }, listItems, isMore) };
}
