import { type Page, send } from '../../core/api.ts';
import { at } from '../../core/router.ts';
import type { Trace } from './operation-data.ts';

/** A run of code. */
export interface Run {
  readonly key: string;
  /** Name of what ran. */
  readonly text: string;
  /** Its screen, below that of the instance. */
  readonly screen: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly status: string;
  readonly isFailed: boolean;
  readonly duration: number | null;
}

/** Runs, the latest first, and whether these are all that the server has kept. */
export interface Runs {
  readonly runs: readonly Run[];
  readonly isComplete: boolean;
}

/** What runs code: its list below the instance, and the screen of one. */
interface Source {
  readonly id?: number;
  readonly name?: string;
  readonly label?: string;
}

const kinds = [
  { kind: 'Script', path: 'snippets/scripts', screen: 'scripts' },
  { kind: 'Endpoint', path: 'endpoints/scripts', screen: 'endpoints/scripts' },
  { kind: 'Trigger', path: 'triggers', screen: 'triggers' },
  { kind: 'Schedule', path: 'schedules', screen: 'schedules' },
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
export async function readRuns(instance: string, signal: AbortSignal): Promise<Runs> {
  const all = await Promise.all(kinds.map((kind) => readKind(instance, kind, signal)));
  const runs = all.flatMap((each) => each.runs).sort((a, b) => b.at - a.at);
  return { runs, isComplete: all.every(({ isComplete }) => isComplete) };
}

type Kind = (typeof kinds)[number];

async function readKind(
  instance: string,
  { kind, path, screen }: Kind,
  signal: AbortSignal,
): Promise<Runs> {
  const list = `${at`instances/${instance}`}/${path}/`;
  const query = { page_size: sourcesPerKind, fields: 'id,name,label' };
  const sources = await send<Page<Source>>({ method: 'GET', path: list, query, signal });
  const traces = await Promise.all(
    sources.objects.map(async ({ id, name, label }) => {
      const key = name ?? String(id);
      const page = await send<Page<Trace>>({
        method: 'GET',
        path: `${list}${encodeURIComponent(key)}/traces/`,
        query: { page_size: tracesPerSource, fields: 'id,status,executed_at,duration' },
        signal,
      });
      const text = `${kind} ${label || name || id}`;
      const place = `${screen}/${encodeURIComponent(key)}`;
      const runs = page.objects.map((trace) => toRun(trace, { text, screen: place }));
      return { runs, isComplete: page.next === null };
    }),
  );
  return {
    runs: traces.flatMap(({ runs }) => runs),
    isComplete: sources.next === null && traces.every(({ isComplete }) => isComplete),
  };
}

function toRun(trace: Trace, { text, screen }: Pick<Run, 'text' | 'screen'>): Run {
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
