import { retryOnConflict } from '../../../jobs/write-conflict.ts';
import type { Stored } from '../../../store/store.ts';
import type { Right } from '../../../values/access.ts';
import { notFound } from '../../../values/errors/errors.ts';
import type { JsonObject } from '../../../values/json/json.ts';
import type { Response } from '../../http/message.ts';
import { cachedBodies } from '../../http/response-cache.ts';
import { bodyFor } from '../input.ts';
import { linksOf, pathOf } from '../links.ts';
import { type Page, pageBody, readPage, roomyPageBody } from '../page.ts';
import { parseProjection, type Trim } from '../projection.ts';
import { projectionParameters } from '../query-parameters.ts';
import type { Context, Method, Operation, Reads, Route } from '../route.ts';
import { type Version, versions } from '../versions.ts';
import { formOf, listParameters } from './list-forms.ts';
import type { Action, ListResource } from './list-resource.ts';

/** Derives the routes of a list: the list itself, its items, and the actions below an item. */
export function listRoutes<Data extends object, View extends object>(
  resource: ListResource<Data, View>,
): readonly Route[] {
  const answers = createAnswers(resource);
  const shared = {
    description: resource.description ?? '',
    resource: resource.name,
    inClass: resource.inClass === true,
    ignoresCredentials: false,
    access: resource.access,
    ...(resource.noun !== undefined && { noun: resource.noun }),
  };
  const names = resource.operationNames ?? {};
  const { links, fields, fieldsAt } = resource;
  const answer = { fields, links };
  const described = { links, answer, ...(fieldsAt && { fieldsAt }) };
  const item = `{${resource.item}}/`;
  const place = resource.path.includes('{instance}') ? ('place' as const) : ('none' as const);
  const list: Route = {
    ...shared,
    name: `${resource.name} List`,
    kind: 'list',
    operationNames: { GET: names.list, POST: names.create },
    paths: pathsOf(resource, ''),
    instance: place,
    operations: listOperations(resource, answers),
    forms: { ...described, ...(resource.create && { POST: formOf(resource, 'create') }) },
  };
  const ofItem = {
    ...shared,
    instance: resource.item === 'instance' ? ('thing' as const) : place,
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
    operations: itemOperations(resource, answers),
    forms: { ...described, ...(resource.update && { PUT: formOf(resource, 'replace') }) },
  };
  const actions = (resource.actions ?? []).map(
    (action): Route => ({
      ...ofItem,
      name: `${resource.name} ${action.name}`,
      kind: 'action',
      operationNames: { POST: action.operationName },
      paths: pathsOf(resource, item + action.path, action.versions),
      operations: { POST: actionOperation(resource, answers, action) },
      forms: { POST: action.fields, answer: action.isSilent ? { status: 204 } : answer },
    }),
  );
  return [list, detail, ...actions];
}

function pathsOf(
  resource: { readonly path: string; readonly v1Path?: string },
  below: string,
  only: readonly Version[] = versions,
): Route['paths'] {
  const paths = { 'v1.1': resource.path + below, v1: (resource.v1Path ?? resource.path) + below };
  return Object.fromEntries(only.map((version) => [version, paths[version]]));
}

/** Adds the item that the path names, as `item`, to the resource's records. */
function itemReads<Data extends object, View extends object>(
  resource: ListResource<Data, View>,
  right: Right,
): Reads {
  return (known) => ({ ...resource.reads?.(known, right), item: resource.key(known) });
}

interface Answers<View> {
  /** Path of the request's list, as links show it. */
  readonly path: (context: Context) => string;
  /** Shows items with their links, as in responses. */
  readonly show: (context: Context, list: string) => (view: View) => JsonObject;
  readonly one: (context: Context, status: number, view: View) => Response;
}

function createAnswers<Data extends object, View extends object>(
  resource: ListResource<Data, View>,
): Answers<View> {
  const paths = pathsOf(resource, '');
  const path = (context: Context) => pathOf(context, paths);
  const make = (context: Context, list: string) => (view: View) => {
    const shown = resource.show(context, view);
    shown.links = linksOf(context, resource.links, `${list}${resource.segment(view)}/`, view);
    return shown;
  };
  const show = (context: Context, list: string) => {
    const made = make(context, list);
    const { cached } = resource;
    if (cached === undefined) return made;
    return cachedBodies({ form: cached.form(context), list }, { of: cached.of, make: made });
  };
  const one = (context: Context, status: number, view: View): Response => {
    const shown = show(context, path(context))(view);
    const trim = context.request.method === 'GET' ? trimOf(context, resource) : undefined;
    return { status, body: trim === undefined ? shown : trim(shown, resource.fields) };
  };
  return { path, show, one };
}

function trimOf(
  { request }: Context,
  { isUntrimmed }: { readonly isUntrimmed?: true },
): Trim | undefined {
  return isUntrimmed ? undefined : parseProjection(request.query);
}

function listOperations<Data extends object, View extends object>(
  resource: ListResource<Data, View>,
  answers: Answers<View>,
): Route['operations'] {
  const { create, counter, reads } = resource;
  const list: Operation = {
    right: 'L',
    parameters: listParameters(resource),
    ...(reads && { reads: (known) => reads(known, 'L') }),
    authorize: (context) => resource.authorize?.(context, 'L'),
    run: async (context) => {
      const path = answers.path(context);
      const page = await pageFor(resource, context, path);
      const views = await resource.view(
        context,
        page.rows.map((row) => row.item),
      );
      const trim = trimOf(context, resource);
      const shown = views.map(answers.show(context, path));
      const objects = trim === undefined ? shown : shown.map((body) => trim(body, resource.fields));
      const body = resource.isBulky ? roomyPageBody(page, objects) : pageBody(page, objects);
      return { status: 200, body };
    },
  };
  if (create === undefined) return { GET: list };
  const post: Operation = {
    right: 'C',
    ...(counter && { counter }),
    ...(reads && { reads: (known) => reads(known, 'C') }),
    authorize: (context) => resource.authorize?.(context, 'C'),
    run: async (context) => answers.one(context, 201, await create(context, await context.body())),
  };
  return { GET: list, POST: post };
}

function pageFor<Data extends object, View extends object>(
  { name, rows, page }: ListResource<Data, View>,
  context: Context,
  path: string,
): Promise<Page<Data>> {
  if (page !== undefined) return page(context, path);
  if (rows === undefined) throw new Error(`${name} cannot be listed`);
  return readPage(context, path, (range) => rows(context, range));
}

function itemOperations<Data extends object, View extends object>(
  resource: ListResource<Data, View>,
  answers: Answers<View>,
): Route['operations'] {
  const { update, remove } = resource;
  const operations: Partial<Record<Method, Operation>> = {
    GET: {
      right: 'G',
      ...(!resource.isUntrimmed && { parameters: projectionParameters }),
      reads: itemReads(resource, 'G'),
      authorize: (context) => resource.authorize?.(context, 'G'),
      run: async (context) => {
        const item = existing(context, resource, context.records.item, 'G');
        return answers.one(context, 200, only(await resource.view(context, [item])));
      },
    },
  };
  if (update !== undefined) {
    operations.PUT = updateOperation(resource, answers, 'replace');
    operations.PATCH = updateOperation(resource, answers, 'patch');
    if (resource.postUpdates) operations.POST = operations.PUT;
  }
  if (remove !== undefined) {
    operations.DELETE = {
      right: 'D',
      reads: itemReads(resource, 'D'),
      authorize: (context) => resource.authorize?.(context, 'D'),
      run: async (context) => {
        await onCurrent(context, resource, 'D', (item) => remove(context, item));
        return { status: 204 };
      },
    };
  }
  return operations;
}

function updateOperation<Data extends object, View extends object>(
  resource: ListResource<Data, View>,
  answers: Answers<View>,
  mode: 'replace' | 'patch',
): Operation {
  return {
    right: 'U',
    reads: itemReads(resource, 'U'),
    authorize: (context) => resource.authorize?.(context, 'U'),
    run: async (context) => {
      const { update } = resource;
      if (update === undefined) throw new Error(`${resource.name} cannot be updated`);
      const body = await context.body();
      const view = await onCurrent(context, resource, 'U', (current) =>
        update(context, { current, body, mode }),
      );
      return answers.one(context, 200, view);
    },
  };
}

function actionOperation<Data extends object, View extends object>(
  resource: ListResource<Data, View>,
  answers: Answers<View>,
  action: Action<Data, View>,
): Operation {
  return {
    right: 'A',
    reads: itemReads(resource, 'A'),
    authorize: (context) => resource.authorize?.(context, 'A'),
    run: async (context) => {
      const body = await bodyFor(context, action.fields);
      const view = await onCurrent(context, resource, 'A', (current) =>
        action.run(context, current, body),
      );
      return view === undefined ? { status: 204 } : answers.one(context, 200, view);
    },
  };
}

/** Applies a change to the item that the path names; retries with its newest state after a write conflict. */
function onCurrent<Data extends object, View extends object, Result>(
  context: Context,
  resource: ListResource<Data, View>,
  right: 'U' | 'D' | 'A',
  change: (current: Stored<Data>) => Promise<Result>,
): Promise<Result> {
  return retryOnConflict(async (isFirst) => {
    const read = context.records.item;
    const key = (read ?? resource.unwritten?.(context))?.key;
    const item = isFirst || key === undefined ? read : (await context.platform.store.get([key]))[0];
    return change(existing(context, resource, item, right));
  });
}

function existing<Data extends object, View extends object>(
  context: Context,
  resource: ListResource<Data, View>,
  found: Stored | undefined,
  right: 'G' | 'U' | 'D' | 'A',
): Stored<Data> {
  const item = (found as Stored<Data> | undefined) ?? resource.unwritten?.(context); // stored at the resource's key
  if (item === undefined) throw notFound();
  resource.authorizeItem?.(context, item, right);
  return item;
}

function only<View>(views: readonly View[]): View {
  const [view] = views;
  if (view === undefined) throw notFound(); // a record that it is joined with was deleted in between
  return view;
}
