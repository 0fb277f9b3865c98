import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, ApiProblem, send } from '../../core/api.ts';
import { counted, formatSize } from '../../core/format.ts';
import { type Loading, useLoad } from '../../core/load.ts';
import { href } from '../../core/router.ts';
import { type LoggedRequest, logPath, readLog } from '../requests/request-data.ts';
import { namesOfNearLimits, type UsedLimits } from './limits.tsx';
import { type RecentRun, readFailedRuns, runHref } from './runs.ts';

const most = 100; // the longest page

/** What is wrong with an instance; undefined: the caller may not see it, or it could not be read. */
export interface Failures {
  /** Of the server; undefined: it has none. */
  readonly problem: string | undefined;
  readonly isolation: string | undefined;
  readonly runs: readonly RecentRun[] | undefined;
  readonly requests: readonly LoggedRequest[] | undefined;
  readonly letters: readonly unknown[] | undefined;
  readonly limits: UsedLimits | undefined;
}

type Runtimes = Readonly<Record<string, { readonly isolation: string }>>;

/** Loads what failed in the last 24 hours, what isolates scripts, and the limits. */
export function useFailures(instance: string): Loading<Failures> {
  return useLoad<Failures>(
    async (signal) => {
      const base = at`instances/${instance}/`;
      const query = { page_size: most };
      const get = <Body,>(path: RequestPath) => send<Body>({ method: 'GET', path, query, signal });
      const errors = { ...query, errors: true };
      const [server, runtimes, runs, requests, letters, limits] = await Promise.allSettled([
        get(at`/health`),
        get<Runtimes>(below(base)`snippets/scripts/runtimes/`),
        readFailedRuns(instance),
        readLog({ method: 'GET', path: logPath(instance), query: errors, signal }),
        get<ApiPage<unknown>>(below(base)`dead_letters/`),
        get<UsedLimits>(below(base)`limits/`),
      ]);
      return {
        problem: problemOf(server),
        isolation: Object.values(settledValue(runtimes) ?? {})[0]?.isolation,
        runs: settledValue(runs),
        requests: settledValue(requests)?.objects,
        letters: settledValue(letters)?.objects,
        limits: settledValue(limits),
      };
    },
    [instance],
  );
}

/** Returns what was loaded; the screen of what may not be seen says why. */
export function settledValue<Value>(settled: PromiseSettledResult<Value>): Value | undefined {
  return settled.status === 'fulfilled' ? settled.value : undefined;
}

function problemOf(settled: PromiseSettledResult<unknown>): string | undefined {
  const isProblem = settled.status === 'rejected' && settled.reason instanceof ApiProblem;
  return isProblem ? settled.reason.message : undefined;
}

interface FailuresProps {
  readonly instance: string;
  readonly failures: Failures;
}

/** One line: that everything is good, what needs attention, with links, or that nothing may be seen. */
export function AttentionLine({ instance, failures }: FailuresProps) {
  const { problem, isolation, runs = [], requests = [], letters = [], limits } = failures;
  const health = href(at`/i/${instance}/health`);
  const usage = href(at`/i/${instance}/usage`);
  const log = href(at`/i/${instance}/requests`, { show: 'errors', status: '5xx' });
  const [latest, ...others] = runs;
  const faults = requests.filter(({ status }) => status >= 500);
  const all: readonly (readonly [isWrong: boolean, text: string, href: string])[] = [
    [problem !== undefined, `the server: ${problem}`, health],
    [isolation === 'flags', 'scripts are weakly isolated', health],
    [latest !== undefined, `${latest?.text} failed`, latest ? runHref(instance, latest) : health],
    [others.length > 0, counted(others.length, 'other failed run'), health],
    [faults.length > 0, counted(faults.length, 'server error'), log],
    [letters.length > 0, counted(letters.length, 'failed job'), health],
    ...namesOfNearLimits(limits).map((name) => [true, `${name} near the limit`, usage] as const),
  ];
  const found = all.filter(([isWrong]) => isWrong);
  const lists = [failures.runs, failures.requests, failures.letters, limits];
  if (found.length === 0 && lists.every((list) => list === undefined)) {
    return (
      <p class="state soft" role="status">
        You have no access to this.
      </p>
    );
  }
  return (
    <p class={`state ${found.length === 0 ? 'good' : 'bad'}`} role="status">
      {found.length === 0 ? 'All good' : 'Needs attention: '}
      {found.map(([, text, place]) => (
        <a key={text} href={place}>
          {text}
        </a>
      ))}
    </p>
  );
}

/** A number at a glance; undefined is not known, and not shown. */
type Figure = readonly [name: string, value: string | undefined, href: string];

/** Returns a number of failures. */
function countOf(list: readonly unknown[] | undefined): string | undefined {
  return list && `${list.length}${list.length < most ? '' : '+'}`;
}

interface FiguresProps extends FailuresProps {
  /** Numbers before those of failures. */
  readonly first?: readonly Figure[];
}

/** Numbers of failures and of what is stored, each with a link to its screen. */
export function InstanceFigures({ instance, failures, first = [] }: FiguresProps) {
  const { runs, requests, letters, limits } = failures;
  const usage = href(at`/i/${instance}/usage`);
  const figures: readonly Figure[] = [
    ...first,
    ['Errors, 24 h', countOf(requests), href(at`/i/${instance}/requests`, { show: 'errors' })],
    ['Failed runs, 24 h', countOf(runs), href(at`/i/${instance}/health`)],
    ['Failed jobs', countOf(letters), href(at`/i/${instance}/health`)],
    ['Objects stored', limits && stored(limits.object_bytes), usage],
    ['Files stored', limits && stored(limits.file_bytes), usage],
  ];
  return (
    <ul class="plain tiles">
      {figures
        .filter(([, value]) => value !== undefined)
        .map(([name, value, place]) => (
          <li key={name}>
            <a class="tile" href={place}>
              <strong>{value}</strong> {name}
            </a>
          </li>
        ))}
    </ul>
  );
}

function stored({ used, limit }: UsedLimits['file_bytes']): string {
  return limit === null ? formatSize(used) : `${formatSize(used)} of ${formatSize(limit)}`;
}
