import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, readAll, send } from '../../core/api.ts';
import type { TraceEntry } from '../../core/traces.ts';
import { type LoggedRequest, shortRoute, targetOf } from './request-data.ts';

/** What a request was about: its name, and its place below that of the instance. */
interface Target {
  readonly key: string;
  readonly place: RequestPath;
  /** Id of the run that it started, while the run is kept. */
  readonly run?: number | undefined;
}

const mostEndpoints = 20; // each is a request

/** Returns what a request was about, with its run; undefined: nothing that has a screen. */
export async function findTarget(
  instance: string,
  request: LoggedRequest,
  signal: AbortSignal,
): Promise<Target | undefined> {
  const target = targetOf(request);
  if (isPublicRun(request)) return findPublicRun(instance, request, signal);
  if (target === undefined || !/\/scripts\/\{\w+\}\/run\/$/.test(request.route)) return target;
  const isScript = shortRoute(request.route).startsWith('/snippets/');
  const list = isScript
    ? at`instances/${instance}/snippets/scripts/`
    : at`instances/${instance}/endpoints/scripts/`;
  return { ...target, run: await findRun(below(list)`${target.key}/traces/`, request, signal) };
}

function isPublicRun({ route }: LoggedRequest): boolean {
  return shortRoute(route).startsWith('/endpoints/scripts/p/');
}

/** Looks for the run in the public endpoints: the log has no public links, because they are keys. */
async function findPublicRun(instance: string, request: LoggedRequest, signal: AbortSignal) {
  const list = at`instances/${instance}/endpoints/scripts/`;
  const all = await readAll<{ name: string; public: boolean }>(list, { fields: 'name,public' });
  for (const { name } of all.filter((each) => each.public).slice(0, mostEndpoints)) {
    const run = await findRun(below(list)`${name}/traces/`, request, signal);
    if (run !== undefined) return { key: name, place: at`endpoints/scripts/${name}`, run };
  }
  return undefined;
}

async function findRun(path: RequestPath, { request_id: id }: LoggedRequest, signal: AbortSignal) {
  const query = { page_size: 100, fields: 'id,request_id' };
  const page = await send<ApiPage<TraceEntry>>({ method: 'GET', path, query, signal });
  return page.objects.find((trace) => trace.request_id === id)?.id;
}
