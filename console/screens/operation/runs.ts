import {
  at,
  below,
  joinPaths,
  type RequestPath,
} from '../../../shared/values/text/request-path.ts';
import type { ApiPage } from '../../core/api.ts';
import { href } from '../../core/router.ts';
import { isEnded, type TraceEntry } from '../../core/traces.ts';
import { failureOf, sendBatch } from '../objects/bulk/batches.ts';
import { runnerKinds } from '../scripts/runners.ts';

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
  ...runnerKinds.map((each) => ({ ...each, screen: each.path })),
] as const;

/** Returns the address of a run, with its output. */
export function runHref(instance: string, { screen, id }: RecentRun): string {
  return href(joinPaths(at`/i/${instance}/`, screen), { run: String(id) });
}

/** Limits the reads of the screen: a batch has at most 50. */
export const sourcesPerKind = 10;

/**
 * Reads the latest failed runs of an instance's code, the latest first.
 *
 * @throws ApiProblem
 */
export async function readFailedRuns(instance: string): Promise<readonly RecentRun[]> {
  const lists = kinds.map(({ path }) => joinPaths(at`/v1.1/instances/${instance}/`, path));
  const first = lists.map((list) => below(list)`?page_size=${sourcesPerKind}&fields=id,name,label`);
  const sources = (await readPages<Source>(instance, first)).flatMap((page, index) => {
    const [kind, list] = [kinds[index], lists[index]];
    if (kind === undefined || list === undefined) return [];
    return page.map(({ id, name, label }) => {
      const key = name ?? String(id);
      const about = { text: `${kind.kind} ${label || key}`, screen: below(kind.screen)`${key}` };
      return { about, path: below(list)`${key}/traces/?page_size=100&fields=${runFields}` };
    });
  });
  const paths = sources.map(({ path }) => path);
  const traces = await readPages<TraceEntry>(instance, paths);
  const runs = sources.flatMap(({ about }, index) =>
    (traces[index] ?? []).map((trace): RecentRun => ({ ...trace, ...about })),
  );
  const timeOf = ({ executed_at: time }: RecentRun) => (time === null ? 0 : Date.parse(time));
  const failed = runs.filter((run) => isEnded(run) && run.status !== 'success');
  return failed.sort((a, b) => timeOf(b) - timeOf(a));
}

const runFields = 'id,status,executed_at,duration,request_id';

/** Reads pages in one request. */
async function readPages<Item>(instance: string, paths: readonly RequestPath[]) {
  if (paths.length === 0) return [];
  const items = paths.map((path) => ({ method: 'GET' as const, path }));
  return (await sendBatch(instance, items)).map((entry) => {
    const problem = failureOf(entry);
    if (problem !== undefined) throw problem;
    return (entry.content as ApiPage<Item>).objects; // as the interface describes it
  });
}
