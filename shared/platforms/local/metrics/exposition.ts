import type { Histogram, Registry } from 'prom-client';
import type { DurationCounts } from '../counts/durations.ts';
import { catalogue, type DurationMetric, type Metric, type MetricsSnapshot } from './catalogue.ts';

/** Prefix of the names of all metrics. */
const prefix = 'groundwork_';
/** Interval of samples of the event loop's delay: every 10 ms they took 0.4 % of a core. */
const delaySampleMs = 20;

/** Metrics as Prometheus reads them. */
export interface Exposition {
  readonly type: string;
  readonly text: string;
}

/**
 * Opens the metrics of this process, and loads their library. Values are read when metrics are requested; requests at
 * the same time share one reading.
 */
export async function openExposition(
  takeSnapshot: () => Promise<MetricsSnapshot>,
): Promise<() => Promise<Exposition>> {
  const library = await import('prom-client');
  const registry = new library.Registry();
  let snapshot: MetricsSnapshot | undefined;
  library.collectDefaultMetrics({
    register: registry,
    prefix,
    eventLoopMonitoringPrecision: delaySampleMs,
  });
  for (const metric of catalogue) register(library, { registry, read: () => snapshot }, metric);
  let reading: Promise<Exposition> | undefined;

  async function read(): Promise<Exposition> {
    snapshot = await takeSnapshot();
    const text = await registry.metrics();
    // the library writes a mean of nothing as `Nan`, which not every reader takes
    return { type: registry.contentType, text: text.replaceAll(' Nan\n', ' NaN\n') };
  }

  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

type Library = typeof import('prom-client');

interface Target {
  readonly registry: Registry;
  /** Returns the last snapshot. */
  readonly read: () => MetricsSnapshot | undefined;
}

function register(library: Library, target: Target, metric: Metric): void {
  const { registry, read } = target;
  const { kind, help, labels: labelNames } = metric;
  const config = { name: prefix + metric.name, help, labelNames: [...labelNames] };
  if (kind === 'histogram') {
    showDurations(new library.Histogram({ ...config, registers: [registry] }), target, metric);
    return;
  }
  const shown = new library[kind === 'counter' ? 'Counter' : 'Gauge']({
    ...config,
    registers: [registry],
    collect: () => {
      shown.reset();
      const snapshot = read();
      if (snapshot === undefined) return;
      for (const [values, value] of metric.read(snapshot)) {
        shown.inc(toLabels(labelNames, values), value);
      }
    },
  });
}

function toLabels(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}

/** Lets a histogram show durations that were counted elsewhere: its own functions can only add one at a time. */
function showDurations(shown: Histogram, { read }: Target, metric: DurationMetric): void {
  const described = shown.get(); // name, help and type
  const get = async () => {
    const snapshot = read();
    const samples = snapshot === undefined ? [] : [...metric.read(snapshot)];
    const values = samples.flatMap(([labelValues, durations]) =>
      linesOf(prefix + metric.name, toLabels(metric.labels, labelValues), durations),
    );
    return { ...(await described), values };
  };
  Object.assign(shown, { get, getForPromString: get });
}

function linesOf(
  name: string,
  labels: Record<string, string>,
  { bounds, counts, sum }: DurationCounts,
) {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    const le = bounds[at] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
