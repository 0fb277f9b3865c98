import {
  at,
  below,
  joinPaths,
  type RequestPath,
} from '../../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../../core/api.ts';
import type { TraceEntry } from '../../core/traces.ts';

/** A run of code. */
export interface RecentRun {
  readonly key: string;
  /** Name of what ran. */
  readonly text: string;
  /** Its screen, below that of the instance. */
  readonly screen: RequestPath;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly status: string;
  readonly isFailed: boolean;
  readonly duration: number | null;
}

/** Runs, the latest first, and whether these are all that the server has kept. */
export interface RecentRuns {
  readonly runs: readonly RecentRun[];
  readonly isComplete: boolean;
}

/** What runs code: its list below the instance, and the screen of one. */
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

/** Limits the requests of the screen: the first ones of each kind are read. */
export const sourcesPerKind = 10;
const tracesPerSource = 100;
const ended = ['success', 'pending', 'processing'];

/**
 * Reads the latest runs of an instance's code.
 *
 * @throws ApiProblem
 */
export async function readRuns(instance: string, signal: AbortSignal): Promise<RecentRuns> {
  const all = await Promise.all(kinds.map((kind) => readKind(instance, kind, signal)));
  const runs = all.flatMap((each) => each.runs).sort((a, b) => b.at - a.at);
  return { runs, isComplete: all.every(({ isComplete }) => isComplete) };
}

type Kind = (typeof kinds)[number];

async function readKind(
  instance: string,
  { kind, path, screen }: Kind,
  signal: AbortSignal,
): Promise<RecentRuns> {
  const list = joinPaths(at`instances/${instance}/`, path);
  const query = { page_size: sourcesPerKind, fields: 'id,name,label' };
  const sources = await send<ApiPage<Source>>({ method: 'GET', path: list, query, signal });
  const traces = await Promise.all(
    sources.objects.map(async ({ id, name, label }) => {
      const key = name ?? String(id);
      const page = await send<ApiPage<TraceEntry>>({
        method: 'GET',
        path: below(list)`${key}/traces/`,
        query: { page_size: tracesPerSource, fields: 'id,status,executed_at,duration' },
        signal,
      });
      const text = `${kind} ${label || name || id}`;
      const screenPath = below(screen)`${key}`;
      const runs = page.objects.map((trace) => toRun(trace, { text, screen: screenPath }));
      return { runs, isComplete: page.next === null };
    }),
  );
  return {
    runs: traces.flatMap(({ runs }) => runs),
    isComplete: sources.next === null && traces.every(({ isComplete }) => isComplete),
  };
}

function toRun(trace: TraceEntry, { text, screen }: Pick<RecentRun, 'text' | 'screen'>): RecentRun {
  const { id, status, executed_at, duration } = trace;
  return {
    key: `${screen} ${id}`,
    text,
    screen,
    at: executed_at === null ? Date.now() : Date.parse(executed_at),
    status,
    isFailed: !ended.includes(status),
    duration,
  };
}
