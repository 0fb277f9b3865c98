import { listItems, type PathSend } from '../../shared/clients/client.ts';
import { printableLine } from '../../shared/values/text/printable.ts';
import {
  at,
  below,
  checkPath,
  joinPaths,
  type RequestPath,
} from '../../shared/values/text/request-path.ts';
import type { InstanceConnection } from './settings.ts';
import type { Terminal } from './terminal.ts';
import { findLabelled, hasEnded, outcomeOf, outputOf, type ScriptTrace } from './traces.ts';

/** What has traces: a script, an endpoint, a trigger or a schedule. */
export interface LogSource {
  readonly kind: 'script' | 'endpoint' | 'trigger' | 'schedule';
  /** Its label or name, or else its id. */
  readonly name: string;
  /** Path of its traces. */
  readonly traces: RequestPath;
}

/** A run in a log. */
export interface RunLogEntry extends Omit<LogSource, 'traces'> {
  readonly trace: ScriptTrace;
}

/** Which runs are wanted. */
export interface LogFilter {
  /** Label or id of a script: its direct runs, and those by what calls it. */
  readonly script?: string;
  readonly trigger?: string;
  /** Only runs that have not succeeded. */
  readonly errors?: true;
}

interface Caller {
  readonly kind: LogSource['kind'];
  readonly id?: number;
  readonly name?: string;
  readonly label?: string;
  /** Id of the script; absent from scripts. */
  readonly script?: number;
  readonly links: { readonly traces: string };
}

const kinds = [
  ['script', at`snippets/scripts/`, 'id,label,links'],
  ['endpoint', at`endpoints/scripts/`, 'name,script,links'],
  ['trigger', at`triggers/`, 'id,label,script,links'],
  ['schedule', at`schedules/`, 'id,label,script,links'],
] as const;

/**
 * Finds what has the traces that are wanted.
 *
 * @throws Error when the script or trigger of the filter does not exist
 */
export async function findLogSources(
  connection: InstanceConnection,
  { script, trigger }: LogFilter,
): Promise<readonly LogSource[]> {
  const idOf = async (kind: 'script' | 'trigger', wanted: string | undefined) =>
    wanted === undefined ? undefined : (await findLabelled(connection, kind, wanted)).id;
  const scriptId = await idOf('script', script);
  const triggerId = await idOf('trigger', trigger);
  const callers = await readCallers(connection);
  return callers
    .filter((caller) => scriptId === undefined || scriptOf(caller) === scriptId)
    .filter(({ kind, id }) => triggerId === undefined || (kind === 'trigger' && id === triggerId))
    .map(({ kind, id, name, label, links }) => ({
      kind,
      name: name || label || String(id),
      traces: checkPath(links.traces),
    }));
}

async function readCallers({ send, base }: InstanceConnection): Promise<readonly Caller[]> {
  const callers: Caller[] = [];
  for (const [kind, list, fields] of kinds) {
    for await (const item of listItems<Omit<Caller, 'kind'>>(
      send,
      below(joinPaths(base, list))`?fields=${fields}`,
    ))
      callers.push({ ...item, kind });
  }
  return callers;
}

function scriptOf({ kind, id, script }: Caller): number | undefined {
  return kind === 'script' ? id : script;
}

type Listed = Pick<ScriptTrace, 'id' | 'status' | 'executed_at'>;

const sideBySide = 8;

/** Reads traces, without those that were read before. */
export interface LogReader {
  /**
   * Returns ended runs that were not returned before, the newest last.
   *
   * @param limit of the newest ones
   */
  read(sources: readonly LogSource[], limit: number): Promise<readonly RunLogEntry[]>;
}

/** Opens a reader of traces. Runs that have not ended are returned when they have. */
export function openLogReader(send: PathSend, { errors }: LogFilter): LogReader {
  const known = new Set<string>(); // paths of traces
  const isWanted = (path: string, { status }: Listed) =>
    !known.has(path) && !(errors && status === 'success');
  const newOnes = async (source: LogSource) => {
    const { body } = await send({ path: below(source.traces)`?fields=id,status,executed_at` });
    const listed: readonly Listed[] = body.objects;
    const ended = listed
      .filter(hasEnded)
      .map((one) => ({ ...one, source, path: below(source.traces)`${one.id}/` }));
    const wanted = ended.filter((one) => isWanted(one.path, one));
    for (const { path } of ended) known.add(path);
    return wanted;
  };
  return {
    read: async (sources, limit) => {
      const found = (await inTurns(sources, newOnes)).flat();
      const newest = found
        .sort((a, b) => timeOf(a) - timeOf(b))
        .slice(Math.max(0, found.length - limit));
      return inTurns(newest, async ({ path, source: { kind, name } }) => ({
        kind,
        name,
        trace: (await send({ path })).body as ScriptTrace, // of a path of traces
      }));
    },
  };
}

/** A run that has not started comes last. */
function timeOf({ executed_at }: Listed): number {
  return executed_at === null ? Number.POSITIVE_INFINITY : Date.parse(executed_at);
}

/** Calls a function for each item, some at a time; returns the results in the order of the items. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += sideBySide) {
    results.push(...(await Promise.all(items.slice(from, from + sideBySide).map(act))));
  }
  return results;
}

/** Returns a run with what it printed, for a terminal. */
export function formatEntry({ kind, name, trace }: RunLogEntry, out: Terminal): string {
  const time = trace.executed_at?.slice(0, 19).replace('T', ' ') ?? 'not started';
  const head = `${time}  ${kind} ${printableLine(name)} #${trace.id}: ${outcomeOf(trace, out)}`;
  return [head, ...outputOf(trace, out).map((line) => `  ${line}`.trimEnd())].join('\n');
}
