import type { loggedFields } from '../../../functions/request-log/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import {
  at,
  below,
  checkPath,
  type RequestPath,
} from '../../../shared/values/text/request-path.ts';
import { type ApiPage, ApiProblem, send } from '../../core/api.ts';
import { locationNames } from '../../core/place-names.ts';
import type { ApiRequest } from '../../core/request.ts';

/** A request of the log (docs/reference/request-log.md#fields). */
export type LoggedRequest = ShownRecord<
  typeof loggedFields,
  {
    readonly ids: Readonly<Record<string, string | undefined>>;
    readonly parameters: readonly string[];
  }
>;

const mostRequests = 6; // for one page

/** Returns the path of the log of an instance. */
export function logPath(instance: string): RequestPath {
  return at`instances/${instance}/request_log/`;
}

/** Reads a page of a log, and on from a short one, as far as some requests lead. */
export async function readLog({ query = {}, ...request }: ApiRequest) {
  const read = (path: RequestPath, parameters = {}) =>
    send<ApiPage<LoggedRequest>>({ ...request, path, query: parameters }).catch(explain);
  const first = await read(request.path, query);
  const objects = [...first.objects];
  let { next } = first;
  for (let count = 1; count < mostRequests; count += 1) {
    if (next === null || objects.length >= Number(query.page_size ?? 1)) break;
    const page: ApiPage<LoggedRequest> = await read(checkPath(next));
    objects.push(...page.objects);
    ({ next } = page);
  }
  return { ...first, objects, next };
}

function explain(error: unknown): never {
  if (!(error instanceof ApiProblem)) throw error; // aborted
  const { status, message } = error;
  const isOff = message.includes('switched off');
  throw isOff
    ? new ApiProblem(status, `${message} Its operator sets GROUNDWORK_REQUEST_LOG.`)
    : error;
}

/** Returns a template without what all of an instance have: `/classes/{class}/objects/`. */
export function shortRoute(route: string): string {
  return route.replace(/^\/v1(\.1)?\/instances\/\{instance\}/, '');
}

/** Returns the path of a request inside its instance, as far as the log has it: `/classes/book/objects/7/`. */
export function shortPath({ route, ids }: Pick<LoggedRequest, 'route' | 'ids'>): string {
  return shortRoute(route).replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole);
}

/** Beginnings of routes, and where the console shows what they name. */
const lists: readonly (readonly [route: string, place: RequestPath])[] = [
  ['/classes/{class}/', at`data`],
  ['/endpoints/scripts/{endpoint}/', at`endpoints/scripts`],
  ['/endpoints/data/{endpoint}/', at`endpoints/data`],
  ['/snippets/scripts/{id}/', at`scripts`],
  ['/triggers/{id}/', at`triggers`],
  ['/schedules/{id}/', at`schedules`],
  ['/users/{id}/', at`users`],
  ['/groups/{id}/', at`groups`],
  ['/channels/{channel}/', at`channels`],
  ['/snippets/templates/{template}/', at`templates`],
];

/** Returns the name and the place, below that of the instance, of what a request was about; undefined: it has none. */
export function targetOf({ route, ids }: LoggedRequest) {
  const [start, list] = lists.find(([part]) => shortRoute(route).startsWith(part)) ?? [];
  const key = ids[/\{(\w+)\}/.exec(start ?? '')?.[1] ?? ''];
  if (list === undefined || key === undefined || !locationNames.name.test(key)) return undefined;
  return { key, place: below(list)`/${key}` };
}
