import {
  at,
  below,
  joinPaths,
  type RequestPath,
} from '../../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../../core/api.ts';
import { href } from '../../core/router.ts';
import { isEnded, type TraceEntry } from '../../core/traces.ts';

/** A run of code. */
export interface RecentRun extends TraceEntry {
  /** Name of what ran. */
  readonly text: string;
  /** Its screen, below that of the instance. */
  readonly screen: RequestPath;
}

/** What runs code. */
interface Source {
  readonly id?: number;
  readonly name?: string;
  readonly label?: string;
}

const kinds = [
  { kind: 'Script', path: at`snippets/scripts/`, screen: at`scripts/` },
  { kind: 'Endpoint', path: at`endpoints/scripts/`, screen: at`endpoints/scripts/` },
  { kind: 'Trigger', path: at`triggers/`, screen: at`triggers/` },
  { kind: 'Schedule', path: at`schedules/`, screen: at`schedules/` },
] as const;

/** Returns the address of a run, with its output. */
export function runHref(instance: string, { screen, id }: RecentRun): string {
  return href(joinPaths(at`/i/${instance}/`, screen), { run: String(id) });
}

/** Limits the requests of the screen: the first ones of each kind are read. */
export const sourcesPerKind = 10;

/**
 * Reads the latest failed runs of an instance's code, the latest first.
 *
 * @throws ApiProblem
 */
export async function readFailedRuns(instance: string, signal: AbortSignal) {
  const read = async <Item>(path: RequestPath, page_size: number, fields: string) =>
    (await send<ApiPage<Item>>({ method: 'GET', path, query: { page_size, fields }, signal }))
      .objects;
  const readKind = async ({ kind, path, screen }: (typeof kinds)[number]) => {
    const list = joinPaths(at`instances/${instance}/`, path);
    const sources = await read<Source>(list, sourcesPerKind, 'id,name,label');
    const runs = sources.map(async ({ id, name, label }) => {
      const key = name ?? String(id);
      const fields = 'id,status,executed_at,duration,request_id';
      const traces = await read<TraceEntry>(below(list)`${key}/traces/`, 100, fields);
      const about = { text: `${kind} ${label || key}`, screen: below(screen)`${key}` };
      return traces.map((trace): RecentRun => ({ ...trace, ...about }));
    });
    return (await Promise.all(runs)).flat();
  };
  const runs = (await Promise.all(kinds.map(readKind))).flat();
  const timeOf = ({ executed_at: time }: RecentRun) => (time === null ? 0 : Date.parse(time));
  const failed = runs.filter((run) => isEnded(run) && run.status !== 'success');
  return failed.sort((a, b) => timeOf(b) - timeOf(a));
}
