import { queryValue } from '../core/http/message.ts';
import { instanceOf } from '../core/resource/context-values.ts';
import { readOnlyField } from '../core/resource/field.ts';
import { linkPath, linksOf } from '../core/resource/links.ts';
import { loadedOperations } from '../core/resource/loads/loaded-operations.ts';
import { lookupsIn } from '../core/resource/loads/loads.ts';
import {
  cut,
  type ListItem,
  type Page,
  type PageBody,
  pageOf,
  roomyPageBody,
} from '../core/resource/page.ts';
import { namedFields, parseProjection } from '../core/resource/projection.ts';
import {
  orderingParameters,
  pageParameters,
  projectionParameters,
} from '../core/resource/query-parameters.ts';
import type { Context, Route } from '../core/routing/route.ts';
import type { Stored } from '../store/store.ts';
import type { TraceData } from '../table/records/scripts.ts';
import { notFound } from '../values/errors/errors.ts';
import type { Json, JsonObject } from '../values/json/json.ts';
import { inListOrder, parsePaging, rangeAhead } from '../values/paging.ts';
import { directRun } from './pending-runs.ts';
import { type TraceList, traceAccess, traceFields, traceLinks } from './trace-list.ts';
import { retryRoute } from './trace-retry.ts';
import {
  findTrace,
  newestTraces,
  readListedPart,
  readTraceValue,
  type TraceParent,
} from './traces.ts';

/** Derives the routes of traces: a list of the newest, each by its id, and its repetition. */
export function traceRoutes<Loaded extends object>(list: TraceList<Loaded>): readonly Route[] {
  const { name, paths, item, showsCall } = list;
  const call = { meta: readOnlyField('field'), args: readOnlyField('field') };
  const fields = showsCall ? { ...traceFields, ...call } : traceFields;
  const shared = {
    description: '',
    resource: `${name} Trace`,
    instance: 'place',
    lookups: lookupsIn(list.loads),
    ignoresCredentials: false,
    access: traceAccess,
    forms: {
      links: traceLinks,
      response: { fields, links: traceLinks },
      pageHints: () => ({ isPending }),
    },
  } as const satisfies Partial<Route>;
  const operation = {
    authorize: (context: Context<Loaded>) => void list.parent(context),
  };
  const ofItem = Object.entries(paths).map(([version, path]) => [version, `${path}{${item}}/`]);
  return [
    {
      ...shared,
      name: `${name} Trace List`,
      kind: 'list',
      paths,
      operations: loadedOperations(list.loads, {
        GET: {
          ...operation,
          right: 'L',
          parameters: { ...pageParameters, ...orderingParameters, ...projectionParameters },
          run: async (context) => ({ status: 200, body: await listTraces(context, list) }),
        },
      }),
    },
    {
      ...shared,
      name: `${name} Trace Instance`,
      kind: 'detail',
      paths: Object.fromEntries(ofItem),
      operations: loadedOperations(list.loads, {
        GET: {
          ...operation,
          right: 'G',
          parameters: projectionParameters,
          run: async (context) => ({ status: 200, body: await showOne(context, list) }),
        },
      }),
    },
    retryRoute(list),
  ];
}

function isPending({ status }: JsonObject): boolean {
  return status === 'pending' || status === 'processing';
}

function parentOf<Loaded extends object>(
  context: Context<Loaded>,
  { kind, parent }: TraceList<Loaded>,
): TraceParent {
  return { instance: instanceOf(context), kind, parent: parent(context) };
}

async function listTraces<Loaded extends object>(
  context: Context<Loaded>,
  list: TraceList<Loaded>,
): Promise<PageBody> {
  const path = linkPath(context, list.paths);
  const page = await readTracePage(context, list, path);
  const project = parseProjection(context.request.query);
  const isAsked = namedFields(context.request.query);
  const objects = await Promise.all(
    page.listItems.map(async ({ item: { data } }) => {
      const part = (of: 'result' | 'args', tooBig: string) =>
        readListedPart(context.platform, instanceOf(context), { part: data[of], tooBig });
      const shown = await show(context, list, {
        data,
        self: `${path}${data.id}/`,
        isAsked,
        result: () => part('result', 'Result is too big to show in trace.'),
        args: () => part('args', 'Payload is too big to show in trace.'),
      });
      return project(shown, traceFields);
    }),
  );
  return roomyPageBody(page, objects);
}

/** Reads a page of traces: the newest first, among the newest hundred. */
async function readTracePage<Loaded extends object>(
  context: Context<Loaded>,
  list: TraceList<Loaded>,
  path: string,
): Promise<Page<TraceData>> {
  const { query } = context.request;
  const value = (name: string) => queryValue(query, name);
  const isBare = value('direction') === undefined && value('last_pk') !== undefined;
  const paging = parsePaging(
    (name) => (isBare && name === 'direction' ? '1' : value(name)), // docs/reference/paging.md#traces
    false,
  );
  const range = rangeAhead(paging, true);
  const isFirst = range.descending && range.below === undefined;
  const of = parentOf(context, list);
  const newest =
    paging.size === 0
      ? []
      : await newestTraces(context.platform, of, isFirst ? range.limit : undefined);
  const listItems = newest.map((item): ListItem<TraceData> => ({ pk: item.data.id, item }));
  const found = cut(listItems, range);
  const shown = inListOrder(found.slice(0, paging.size), paging);
  const { route } = context;
  return pageOf({ route, path, query, paging }, shown, found.length > paging.size);
}

async function showOne<Loaded extends object>(
  context: Context<Loaded>,
  list: TraceList<Loaded>,
): Promise<JsonObject> {
  const id = context.params[list.item];
  const of = parentOf(context, list);
  const found = id === undefined ? undefined : await findTrace(context.platform, of, id);
  if (found === undefined) throw notFound();
  const { data }: Stored<TraceData> = found;
  const shown = await show(context, list, {
    data,
    self: linkPath(context, context.route.paths),
    isAsked: namedFields(context.request.query),
    result: () => readTraceValue(context.platform, of.instance, data.result),
    args: () => readTraceValue(context.platform, of.instance, data.args),
  });
  const project = parseProjection(context.request.query);
  return project(shown, traceFields);
}

interface Shown {
  readonly data: TraceData;
  readonly self: string;
  /** Checks whether a member is shown that is not, unless `fields` names it. */
  readonly isAsked: (name: string) => boolean;
  readonly result: () => Promise<Json>;
  readonly args: () => Promise<Json>;
}

async function show<Loaded extends object>(
  context: Context<Loaded>,
  { showsCall, parent }: TraceList<Loaded>,
  { data, self, isAsked, result, args }: Shown,
): Promise<JsonObject> {
  const { id, status, executed_at, duration, requestId = null } = data;
  const { meta } = showsCall ? data : (data.run ?? directRun(parent(context)));
  return {
    ...{ id, status, executed_at, duration, result: await result() },
    ...((showsCall || isAsked('meta')) && { meta: meta ?? {} }),
    ...((showsCall || isAsked('args')) && { args: await args() }),
    ...(isAsked('request_id') && { request_id: requestId }),
    links: linksOf(context, traceLinks, self, data),
  };
}
