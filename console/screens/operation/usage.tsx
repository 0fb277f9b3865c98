import { useMemo } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll } from '../../core/api.ts';
import { formatDay, formatMinute, formatNumber } from '../../core/format.ts';
import { useLoad, useRecord } from '../../core/load.ts';
import { usageRefusal } from '../../core/roles.ts';
import { currentLocation, type ScreenProps, setQuery } from '../../core/router.ts';
import { Chart } from '../../parts/chart.tsx';
import { SelectField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { InstanceLimits } from './limits.tsx';
import type { InstanceRecord, UsageRecord } from './operation-data.ts';

const hourMs = 3_600_000;

/** The periods to choose from, with the length and number of their steps. */
const periods = {
  day: { text: 'Last 24 hours', path: at`usage/hourly/`, stepMs: hourMs, steps: 24 },
  week: { text: 'Last 7 days, by hour', path: at`usage/hourly/`, stepMs: hourMs, steps: 168 },
  month: { text: 'Last 30 days', path: at`usage/daily/`, stepMs: 24 * hourMs, steps: 30 },
  year: { text: 'Last 365 days', path: at`usage/daily/`, stepMs: 24 * hourMs, steps: 365 },
} as const;
type PeriodName = keyof typeof periods;

const sources = [
  { source: 'api', name: 'Requests', color: '--accent' },
  { source: 'run', name: 'Script runs', color: '--good' },
  { source: 'cbx', name: 'Script seconds', color: '--bad' },
] as const;

/** What an instance has used, and its limits. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const record = useRecord<InstanceRecord>(at`instances/${instance}/`); // with it the role is known
  const refusal = usageRefusal(instance);
  return (
    <ScreenFrame
      title="Usage"
      about="Requests, script runs and their time. Days are those of UTC. Only the owner sees them."
    >
      <LoadedData of={record}>
        {() =>
          refusal === undefined ? (
            <Periods instance={instance} />
          ) : (
            <p class="soft">{refusal}</p> // to others all would be zero
          )
        }
      </LoadedData>
      <h2>Limits</h2>
      <InstanceLimits instance={instance} />
    </ScreenFrame>
  );
}

function Periods({ instance }: { readonly instance: string }) {
  const chosen = toPeriod(currentLocation.value.query.get('period'));
  const { path, stepMs, steps } = periods[chosen];
  const times = useMemo(() => stepsUntil(Date.now(), stepMs, steps), [stepMs, steps]);
  const rows = useLoad(
    () =>
      readAll<UsageRecord>(path, {
        instance,
        start: startOf(times[0] ?? 0, stepMs),
        page_size: 100,
      }),
    [instance, chosen],
  );
  return (
    <>
      <div class="row narrow">
        <SelectField
          label="Period"
          value={chosen}
          onValue={(period) => setQuery({ period })}
          options={Object.entries(periods).map(([name, { text }]) => [name, text])}
        />
      </div>
      <LoadedData of={rows}>
        {(all) => (
          <Charts times={times} sums={sumUp(all, times, stepMs)} isHourly={stepMs === hourMs} />
        )}
      </LoadedData>
    </>
  );
}

function toPeriod(name: string | null): PeriodName {
  return name !== null && Object.hasOwn(periods, name) ? (name as PeriodName) : 'week'; // checked
}

/** Returns the starts of the last steps in epoch milliseconds, the current one last. */
function stepsUntil(now: number, stepMs: number, steps: number): readonly number[] {
  const last = now - (now % stepMs);
  return Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepMs);
}

function startOf(ms: number, stepMs: number): string {
  const text = new Date(ms).toISOString();
  return stepMs === hourMs ? text.replace('.000Z', '.000000Z') : text.slice(0, 10);
}

/** Values by source, one for each step. */
type Sums = Readonly<Record<string, readonly number[]>>;

function sumUp(rows: readonly UsageRecord[], times: readonly number[], stepMs: number): Sums {
  const sums = Object.fromEntries(sources.map(({ source }) => [source, times.map(() => 0)]));
  const first = times[0] ?? 0;
  for (const { hour, date, source, value } of rows) {
    const index = Math.floor((Date.parse(hour ?? date ?? '') - first) / stepMs);
    const line = sums[source];
    if (line?.[index] !== undefined) line[index] += value;
  }
  return sums;
}

interface ChartsProps {
  readonly times: readonly number[];
  readonly sums: Sums;
  readonly isHourly: boolean;
}

function Charts({ times, sums, isHourly }: ChartsProps) {
  const seconds = times.map((time) => time / 1000);
  const total = (source: string) => (sums[source] ?? []).reduce((sum, value) => sum + value, 0);
  const used = times
    .map((time, index) => ({
      time,
      values: sources.map(({ source }) => sums[source]?.[index] ?? 0),
    }))
    .filter(({ values }) => values.some((value) => value > 0))
    .reverse();
  return (
    <>
      <div class="columns charts">
        {sources.map(({ source, name, color }) => (
          <div key={source} class="card">
            <Chart
              label={`${name}: ${formatNumber(total(source))}`}
              times={seconds}
              isDaily={!isHourly}
              series={[{ name, values: sums[source] ?? [], color }]}
            />
          </div>
        ))}
      </div>
      <details>
        <summary>The numbers as a table</summary>
        <Table
          caption="Usage by period"
          keyOf={({ time }) => time}
          rows={used}
          columns={[
            {
              name: isHourly ? 'Hour' : 'Day',
              cell: ({ time }) => (isHourly ? formatMinute(time) : formatDay(time)),
            },
            ...sources.map(({ name }, index) => ({
              name,
              isNumber: true,
              cell: ({ values }: (typeof used)[number]) => formatNumber(values[index] ?? 0),
            })),
          ]}
        />
      </details>
    </>
  );
}
