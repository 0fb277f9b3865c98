import { retryOnConflict } from '../../../jobs/write-conflict.ts';
import { mapInTurns } from '../../../ports/limits/time-slices.ts';
import { as } from '../../../store/entity.ts';
import type { Stored } from '../../../store/store.ts';
import type { Right } from '../../../values/access.ts';
import { notFound } from '../../../values/errors/errors.ts';

import type { Response } from '../../http/message.ts';
import type { ItemBody } from '../../http/response-cache.ts';
import type { Fields } from '../../routing/forms.ts';
import type { Context, Method, Operation, Operations, Route } from '../../routing/route.ts';
import { bodyFor, inputOf } from '../input.ts';
import { linkPath, linksOf } from '../links.ts';
import { loadedForms, loadedOperations } from '../loads/loaded-operations.ts';
import { type LoadsOf, lookupsIn } from '../loads/loads.ts';
import { type Page, pageBody, readPage, roomyPageBody } from '../page.ts';
import { keepAll, type Projection, parseProjection } from '../projection.ts';
import { projectionParameters } from '../query-parameters.ts';
import { showStored } from '../show.ts';
import { bodyForm, listParameters } from './list-forms.ts';
import type { Action, ListResource } from './list-resource.ts';

/** Derives the routes of a list: the list itself, its items, and the actions below an item. */
export function listRoutes<Data extends object, View extends object, Loaded extends object>(
  resource: ListResource<Data, View, Fields, Loaded>,
): readonly Route[] {
  const responses = createResponses(resource);
  const shared = {
    description: resource.description ?? '',
    resource: resource.name,
    lookups: lookupsIn(resource.loads),
    ignoresCredentials: false,
    access: resource.access,
    ...(resource.noun !== undefined && { noun: resource.noun }),
  };
  const names = resource.operationNames ?? {};
  const response = { fields: resource.fields, links: resource.links };
  const described = loadedForms({ response, ...describedForms(resource) });
  const item = `{${resource.item}}/`;
  const scope = resource.path.includes('{instance}') ? ('place' as const) : ('none' as const);
  const list: Route = {
    ...shared,
    name: `${resource.name} List`,
    kind: 'list',
    operationNames: { GET: names.list, POST: names.create },
    paths: pathsOf(resource, ''),
    instance: scope,
    operations: loadedOperations(resource.loads, listOperations(resource, responses)),
    forms: { ...described, ...(resource.create && { POST: bodyForm(resource, 'create') }) },
    ...(resource.exportsData && { exportsData: true }),
  };
  const ofItem = {
    ...shared,
    instance: resource.item === 'instance' ? ('thing' as const) : scope,
    ...(resource.hide && { hide: resource.hide }),
  };
  const detail: Route = {
    ...ofItem,
    name: `${resource.name} Instance`,
    kind: 'detail',
    operationNames: {
      GET: names.get,
      PUT: names.replace,
      PATCH: names.update,
      DELETE: names.delete,
    },
    paths: pathsOf(resource, item),
    operations: withItem(resource, itemOperations(resource, responses)),
    forms: { ...described, ...(resource.update && { PUT: bodyForm(resource, 'replace') }) },
  };
  const actions = (resource.actions ?? []).map(
    (action): Route => ({
      ...ofItem,
      name: `${resource.name} ${action.name}`,
      kind: 'action',
      operationNames: { POST: action.operationName },
      paths: pathsOf(resource, item + action.path),
      operations: withItem(resource, { POST: actionOperation(resource, responses, action) }),
      forms: { POST: action.fields, response: action.isSilent ? { status: 204 } : response },
    }),
  );
  return [list, detail, ...actions];
}

/** Returns what all paths of a list are described with, in addition to their responses. */
function describedForms<Data extends object, View extends object, Loaded extends object>({
  links,
  fieldsAt,
  pageHints,
}: ListResource<Data, View, Fields, Loaded>) {
  return { links, ...(fieldsAt && { fieldsAt }), ...(pageHints && { pageHints }) };
}

function pathsOf(
  resource: { readonly path: string; readonly v1Path?: string },
  below: string,
): Route['paths'] {
  return { 'v1.1': resource.path + below, v1: (resource.v1Path ?? resource.path) + below };
}

type AtItem<Data extends object, Loaded extends object> = Loaded & {
  readonly item: Stored<Data> | undefined;
};

/** Adds its loads to operations on an item: those of the resource, and the item that the path names. */
function withItem<Data extends object, View extends object, Loaded extends object>(
  { loads, record }: ListResource<Data, View, Fields, Loaded>,
  operations: Operations<AtItem<Data, Loaded>>,
): Operations {
  const all = { ...loads, item: record } as LoadsOf<AtItem<Data, Loaded>>; // both parts of it
  return loadedOperations(all, operations);
}

interface ListResponses<View, Loaded extends object> {
  /** Path of the request's list, as links show it. */
  readonly path: (context: Context<Loaded>) => string;
  /** Shows items with their links, as in responses. */
  readonly show: (context: Context<Loaded>, list: string) => (view: View) => ItemBody;
  /** Makes responses with one item each. */
  readonly one: (context: Context<Loaded>, status: number) => (view: View) => Response;
}

function createResponses<Data extends object, View extends object, Loaded extends object>(
  resource: ListResource<Data, View, Fields, Loaded>,
): ListResponses<View, Loaded> {
  const paths = pathsOf(resource, '');
  const path = (context: Context<Loaded>) => linkPath(context, paths);
  const showItem = resource.show ?? showStored<View>(resource.fields);
  const make = (context: Context<Loaded>, list: string) => (view: View) => {
    const shown = showItem(context, view);
    shown.links = linksOf(context, resource.links, `${list}${resource.segment(view)}/`, view);
    return shown;
  };
  const show = resource.bodies ?? make;
  const one = (context: Context<Loaded>, status: number) => {
    const shown = show(context, path(context));
    const project = context.request.method === 'GET' ? projectionOf(context, resource) : keepAll;
    return (view: View) => ({ status, body: project(shown(view), resource.fields) });
  };
  return { path, show, one };
}

function projectionOf(
  { request }: Context,
  { ignoresProjection }: { readonly ignoresProjection?: true },
): Projection {
  return ignoresProjection ? keepAll : parseProjection(request.query);
}

function listOperations<Data extends object, View extends object, Loaded extends object>(
  resource: ListResource<Data, View, Fields, Loaded>,
  responses: ListResponses<View, Loaded>,
): Operations<Loaded> {
  const { create, counter } = resource;
  const list: Operation<Loaded> = {
    right: 'L',
    parameters: listParameters(resource),
    ...rulesOf(resource, 'L'),
    run: async (context) => {
      const path = responses.path(context);
      const page = await pageFor(resource, context, path);
      const views = await resource.view(
        context,
        page.listItems.map((listItem) => listItem.item),
      );
      const project = projectionOf(context, resource);
      const show = responses.show(context, path);
      const objects = await mapInTurns(views, (view) => project(show(view), resource.fields));
      const body = resource.isBulky ? await roomyPageBody(page, objects) : pageBody(page, objects);
      return { status: 200, body };
    },
  };
  if (create === undefined) return { GET: list };
  const post: Operation<Loaded> = {
    right: 'C',
    ...(counter && { counter }),
    ...rulesOf(resource, 'C'),
    run: async (context) => {
      const input = inputOf(resource.fields, await context.body(), 'create');
      return responses.one(context, 201)(await create(context, input));
    },
  };
  return { GET: list, POST: post };
}

/** Returns the rules of a list for operations with a right. */
function rulesOf<Data extends object, View extends object, Loaded extends object>(
  { authorize }: ListResource<Data, View, Fields, Loaded>,
  right: Right,
): Pick<Operation<Loaded>, 'authorize'> {
  return authorize === undefined ? {} : { authorize: (context) => authorize(context, right) };
}

function pageFor<Data extends object, View extends object, Loaded extends object>(
  { name, readItems, page }: ListResource<Data, View, Fields, Loaded>,
  context: Context<Loaded>,
  path: string,
): Promise<Page<Data>> {
  if (page !== undefined) return page(context, path);
  if (readItems === undefined) throw new Error(`${name} cannot be listed`);
  return readPage(context, path, (range) => readItems(context, range));
}

function itemOperations<Data extends object, View extends object, Loaded extends object>(
  resource: ListResource<Data, View, Fields, Loaded>,
  responses: ListResponses<View, Loaded>,
): Operations<AtItem<Data, Loaded>> {
  const { update, remove } = resource;
  const operations: Partial<Record<Method, Operation<AtItem<Data, Loaded>>>> = {
    GET: {
      right: 'G',
      ...(!resource.ignoresProjection && { parameters: projectionParameters }),
      ...rulesOf(resource, 'G'),
      run: async (context) => {
        const item = existing(context, resource, context.loaded.item, 'G');
        return responses.one(context, 200)(only(await resource.view(context, [item])));
      },
    },
  };
  if (update !== undefined) {
    operations.PUT = updateOperation(resource, responses, 'replace');
    operations.PATCH = updateOperation(resource, responses, 'patch');
  }
  if (remove !== undefined) {
    operations.DELETE = {
      right: 'D',
      ...rulesOf(resource, 'D'),
      run: async (context) => {
        await onCurrent(context, resource, 'D', (item) => remove(context, item));
        return { status: 204 };
      },
    };
  }
  return operations;
}

function updateOperation<Data extends object, View extends object, Loaded extends object>(
  resource: ListResource<Data, View, Fields, Loaded>,
  responses: ListResponses<View, Loaded>,
  mode: 'replace' | 'patch',
): Operation<AtItem<Data, Loaded>> {
  return {
    right: 'U',
    ...rulesOf(resource, 'U'),
    run: async (context) => {
      const { update } = resource;
      if (update === undefined) throw new Error(`${resource.name} cannot be updated`);
      const input = inputOf(resource.fields, await context.body(), mode);
      const view = await onCurrent(context, resource, 'U', (current) =>
        update(context, { current, input }),
      );
      return responses.one(context, 200)(view);
    },
  };
}

function actionOperation<Data extends object, View extends object, Loaded extends object>(
  resource: ListResource<Data, View, Fields, Loaded>,
  responses: ListResponses<View, Loaded>,
  action: Action<Data, View, Loaded>,
): Operation<AtItem<Data, Loaded>> {
  return {
    right: 'A',
    ...rulesOf(resource, 'A'),
    run: async (context) => {
      const body = await bodyFor(context, action.fields);
      const view = await onCurrent(context, resource, 'A', (current) =>
        action.run(context, current, body),
      );
      return view === undefined ? { status: 204 } : responses.one(context, 200)(view);
    },
  };
}

/** Applies a change to the item that the path names; retries with its newest state after a write conflict. */
function onCurrent<Data extends object, View extends object, Loaded extends object, Result>(
  context: Context<AtItem<Data, Loaded>>,
  resource: ListResource<Data, View, Fields, Loaded>,
  right: 'U' | 'D' | 'A',
  change: (current: Stored<Data>) => Promise<Result>,
): Promise<Result> {
  return retryOnConflict(async (isFirst) => {
    const read = context.loaded.item;
    const key = (read ?? resource.unwritten?.(context))?.key;
    if (isFirst || key === undefined) return change(existing(context, resource, read, right));
    const [item] = await context.platform.store.get([key]);
    return change(existing(context, resource, as(resource.record.entity, item), right));
  });
}

function existing<Data extends object, View extends object, Loaded extends object>(
  context: Context<Loaded>,
  resource: ListResource<Data, View, Fields, Loaded>,
  found: Stored<Data> | undefined,
  right: 'G' | 'U' | 'D' | 'A',
): Stored<Data> {
  const item = found ?? resource.unwritten?.(context);
  if (item === undefined) throw notFound();
  resource.authorizeItem?.(context, item, right);
  return item;
}

function only<View>(views: readonly View[]): View {
  const [view] = views;
  if (view === undefined) throw notFound(); // a record that it is joined with was deleted in between
  return view;
}
