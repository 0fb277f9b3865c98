import { at, joinPaths } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, send, sendRaw } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Chart } from '../../parts/chart.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { usePages } from '../../parts/paged.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DeadLetterList } from './dead-letters.tsx';
import type { DeadLetterRecord } from './operation-data.ts';
import { type RecentRun, type RecentRuns, readRuns, sourcesPerKind } from './runs.ts';

const hourMs = 3_600_000;
const shownFailures = 50;

/** Whether the server works, and which runs of code and effects of changes failed. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const server = useLoad(readHealth, []);
  const isolation = useLoad((signal) => readIsolation(instance, signal), [instance]);
  const runs = useLoad((signal) => readRuns(instance, signal), [instance]);
  const letters = usePages<DeadLetterRecord>(at`instances/${instance}/dead_letters/`);
  return (
    <ScreenFrame
      title="Health"
      actions={
        <Button
          onAct={() => {
            server.reload();
            runs.reload();
            letters.reload();
          }}
          text="Look again"
        />
      }
    >
      <LoadedData of={server}>
        {({ isWell, text, ms }) => (
          <p>
            <span class={`badge ${isWell ? 'good' : 'bad'}`}>
              {isWell ? 'The server works' : 'The server has a problem'}
            </span>{' '}
            {text} <span class="soft">It responded in {Math.round(ms)} ms.</span>
          </p>
        )}
      </LoadedData>
      <LoadedData of={isolation}>
        {(level) => (
          <p>
            Scripts are isolated by <strong>{isolationTexts[level] ?? level}</strong>.
          </p>
        )}
      </LoadedData>
      <h2>Runs of code in the last 24 hours</h2>
      <LoadedData of={runs}>{(data) => <RunReport instance={instance} {...data} />}</LoadedData>
      <h2>Dead letters</h2>
      <p class="about">
        Changes that could not be processed after all attempts, so that their effects are missing.
        They are kept for 30 days.
      </p>
      <DeadLetterList instance={instance} letters={letters} />
    </ScreenFrame>
  );
}

const isolationTexts: Readonly<Record<string, string>> = {
  bubblewrap: 'bubblewrap: each run has a file system and a process space of its own',
  landlock: 'Landlock: the kernel denies files and processes of others',
  flags: "Node's permission flags alone, a fence and not a wall: install bubblewrap",
  lambda: 'Lambda: a function of its own for each script',
};

async function readIsolation(instance: string, signal: AbortSignal): Promise<string> {
  const path = at`instances/${instance}/snippets/scripts/runtimes/`;
  type Runtimes = Readonly<Record<string, { readonly isolation: string }>>;
  const runtimes = await send<Runtimes>({ method: 'GET', path, signal });
  return Object.values(runtimes)[0]?.isolation ?? 'unknown';
}

interface Health {
  readonly isWell: boolean;
  readonly text: string;
  readonly ms: number;
}

async function readHealth(signal: AbortSignal): Promise<Health> {
  const started = performance.now();
  try {
    await sendRaw({ method: 'GET', path: at`/health`, signal });
    return { isWell: true, text: '', ms: performance.now() - started };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status === 0) throw error;
    return { isWell: false, text: error.message, ms: performance.now() - started };
  }
}

function RunReport({ instance, runs, isComplete }: RecentRuns & { readonly instance: string }) {
  const now = Date.now();
  const first = now - (now % hourMs) - 23 * hourMs;
  const times = Array.from({ length: 24 }, (_, index) => first + index * hourMs);
  const recent = runs.filter(({ at: time }) => time >= first);
  const failed = recent.filter(({ isFailed }) => isFailed);
  const perHour = (list: readonly RecentRun[]) => {
    const counts = times.map(() => 0);
    for (const { at: time } of list) {
      const hour = Math.floor((time - first) / hourMs);
      counts[hour] = (counts[hour] ?? 0) + 1;
    }
    return counts;
  };
  const seconds = times.map((time) => time / 1000);
  return (
    <>
      {!isComplete && (
        <p class="soft">
          Read are the latest 100 runs of {sourcesPerKind} scripts, endpoints, triggers and
          schedules each: there are more.
        </p>
      )}
      <div class="columns">
        <div class="card">
          <Chart
            label={`Runs: ${recent.length}`}
            times={seconds}
            series={[{ name: 'Runs', values: perHour(recent), color: '--good' }]}
          />
        </div>
        <div class="card">
          <Chart
            label={`Failed runs: ${failed.length}`}
            times={seconds}
            series={[{ name: 'Failed', values: perHour(failed), color: '--bad' }]}
          />
        </div>
      </div>
      {failed.length > 0 && (
        <Table
          caption="Failed runs, the latest first"
          keyOf={({ key }) => key}
          rows={failed.slice(0, shownFailures)}
          columns={[
            {
              name: 'Of',
              cell: ({ screen, text }) => (
                <a href={href(joinPaths(at`/i/${instance}/`, screen))}>{text}</a>
              ),
            },
            { name: 'When', cell: ({ at: time }) => <Time value={new Date(time).toISOString()} /> },
            { name: 'Status', cell: ({ status }) => <span class="badge bad">{status}</span> },
            { name: 'Milliseconds', isNumber: true, cell: ({ duration }) => duration },
          ]}
        />
      )}
    </>
  );
}
