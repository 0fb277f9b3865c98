import { parsePaging } from '../domain/paging.ts';
import { lastValueOf } from '../domain/query/order.ts';
import { toBoolean } from '../domain/scalars.ts';
import { queryValue } from '../http/message.ts';
import { listObjects } from '../services/list-objects.ts';
import type { ObjectData } from '../store/records.ts';
import { type Page, pageOf } from './page.ts';
import { classOf, instanceOf } from './place.ts';
import type { Context } from './route.ts';

/**
 * Reads the page of objects that a call asks for, filtered and in its order.
 *
 * @param path of the list, as links show it
 * @throws ApiError 400 for a bad parameter, 408 when it takes too long
 */
export async function readObjectPage(context: Context, path: string): Promise<Page<ObjectData>> {
  const { query } = context.request;
  const value = (name: string) => queryValue(query, name);
  // objects have an order_by in place of `ordering`
  const paging = parsePaging((name) => (name === 'ordering' ? undefined : value(name)));
  const { platform, hints, actor, request } = context;
  const { order, objects, count } = await listObjects(
    { platform, hints, actor, request, instance: instanceOf(context), class: classOf(context) },
    {
      queries: query.getAll('query'),
      orderBy: value('order_by'),
      lastValue: value('last_value'),
      isCounted: toBoolean(value('include_count')) === true,
      paging,
    },
  );
  const rows = objects.map((item) => ({
    pk: item.data.id,
    item,
    lastValue: lastValueOf(order, item.data),
  }));
  return { ...pageOf({ path, query, paging }, rows), count };
}
