import type { QueueState } from '../../../ports/limits/request-queue.ts';
import type { CountedSoFar } from '../counts/counts.ts';
import type { DurationCounts } from '../counts/durations.ts';
import type { Tally } from '../counts/tally.ts';
import type { ServerLoad } from '../server/connections.ts';
import { maxCounted, type NamedQueue, type Readings } from './readings.ts';
import type { RequestCounts } from './requests.ts';

/** Everything that metrics show, at one moment. */
export interface MetricsSnapshot {
  readonly version: string;
  readonly readings: Readings;
  /** Undefined until the server listens. */
  readonly load: ServerLoad | undefined;
  readonly counted: CountedSoFar;
  readonly requests: RequestCounts;
  /** Requests by the names of the busiest instances. */
  readonly instances: readonly (readonly [name: string, requests: number])[];
}

/** A number, with the values of the labels of its metric. */
export type Sample<Value = number> = readonly [values: readonly string[], value: Value];

interface Described {
  /** Without the prefix of all names. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** A metric that consists of numbers. */
export interface NumberMetric extends Described {
  readonly kind: 'counter' | 'gauge';
  readonly read: (snapshot: MetricsSnapshot) => Iterable<Sample>;
}

/** A metric that consists of durations. */
export interface DurationMetric extends Described {
  readonly kind: 'histogram';
  readonly read: (snapshot: MetricsSnapshot) => Iterable<Sample<DurationCounts>>;
}

/** A metric of the server. */
export type Metric = NumberMetric | DurationMetric;

const one = (value: number): readonly Sample[] => [[[], value]];
const readTally = (tally: Tally): Iterable<Sample> => tally.read();
const totalOf = ({ counts }: DurationCounts) => counts.reduce((sum, count) => sum + count, 0);

/** Adds the memory for bodies, and the queue for it, to those of the platform. */
function queuesOf({ readings, load }: MetricsSnapshot): readonly NamedQueue[] {
  if (load === undefined) return readings.queues;
  const sum = (of: (state: QueueState) => number) =>
    load.bodies.reduce((total, state) => total + of(state), 0);
  const bodies: QueueState = {
    waiting: sum(({ waiting }) => waiting),
    inside: sum(({ inside }) => inside),
    rejected: {
      full: sum(({ rejected }) => rejected.full),
      late: sum(({ rejected }) => rejected.late),
    },
  };
  return [...readings.queues, ['bodies', bodies]];
}

const requestMetrics: readonly Metric[] = [
  {
    kind: 'counter',
    name: 'http_requests_total',
    help: 'Requests by family of paths and class of status.',
    labels: ['family', 'status'],
    read: function* ({ requests }) {
      for (const [family, status, durations] of requests.read()) {
        yield [[family, status], totalOf(durations.read())];
      }
    },
  },
  {
    kind: 'histogram',
    name: 'http_request_duration_seconds',
    help: 'Durations of requests until the response was made, by family of paths and class of status.',
    labels: ['family', 'status'],
    read: function* ({ requests }) {
      for (const [family, status, durations] of requests.read()) {
        const counts = durations.read();
        if (totalOf(counts) > 0) yield [[family, status], counts];
      }
    },
  },
  {
    kind: 'gauge',
    name: 'http_requests_running',
    help: 'Requests that are served now.',
    labels: [],
    read: ({ load }) => one(load?.running ?? 0),
  },
  {
    kind: 'gauge',
    name: 'http_requests_waiting',
    help: 'Requests that wait for earlier ones on their connections.',
    labels: [],
    read: ({ load }) => one(load?.waiting ?? 0),
  },
  {
    kind: 'gauge',
    name: 'http_connections',
    help: 'Open connections.',
    labels: [],
    read: ({ load }) => one(load?.connections ?? 0),
  },
  {
    kind: 'counter',
    name: 'instance_requests_total',
    help: 'Requests of the busiest instances, if GROUNDWORK_METRICS_INSTANCES is yes.',
    labels: ['instance'],
    read: ({ instances }) => instances.map(([name, count]) => [[name], count]),
  },
];

const queueMetrics: readonly Metric[] = [
  {
    kind: 'gauge',
    name: 'queue_waiting',
    help: 'Entries that wait in a queue.',
    labels: ['queue'],
    read: (snapshot) => queuesOf(snapshot).map(([name, { waiting }]) => [[name], waiting]),
  },
  {
    kind: 'gauge',
    name: 'queue_running',
    help: 'Entries that have left a queue and still run.',
    labels: ['queue'],
    read: (snapshot) => queuesOf(snapshot).map(([name, { inside }]) => [[name], inside]),
  },
  {
    kind: 'counter',
    name: 'queue_rejections_total',
    help: 'Entries that a queue has rejected: it was full, or they were late.',
    labels: ['queue', 'reason'],
    read: (snapshot) =>
      queuesOf(snapshot).flatMap(([name, { rejected }]): Sample[] => [
        [[name, 'full'], rejected.full],
        [[name, 'late'], rejected.late],
      ]),
  },
];

const backgroundMetrics: readonly Metric[] = [
  {
    kind: 'counter',
    name: 'script_runs_total',
    help: 'Runs of scripts by language, origin and result.',
    labels: ['runtime', 'origin', 'result'],
    read: ({ counted }) => readTally(counted.runs),
  },
  {
    kind: 'histogram',
    name: 'script_run_duration_seconds',
    help: 'Durations of runs that have started, by language.',
    labels: ['runtime'],
    read: ({ counted }) =>
      counted.runDurations.map(([runtime, durations]) => [[runtime], durations.read()]),
  },
  {
    kind: 'gauge',
    name: 'script_processes',
    help: 'Processes of scripts, templates and certificates.',
    labels: [],
    read: ({ readings }) => one(readings.processes),
  },
  {
    kind: 'gauge',
    name: 'change_feed_waiting',
    help: 'Changes that wait for their consumers: for counts, which readers wait for, and for all others.',
    labels: ['consumers'],
    read: ({ readings: { lag } }) => [
      [['counts'], lag.awaited],
      [['others'], lag.others],
    ],
  },
  {
    kind: 'gauge',
    name: 'jobs_due',
    help: `Jobs that are due; at most ${maxCounted} of each of 16 shards are counted.`,
    labels: [],
    read: ({ readings }) => one(readings.jobs.count),
  },
  {
    kind: 'gauge',
    name: 'jobs_lag_seconds',
    help: 'Time for which the oldest due job waits.',
    labels: [],
    read: ({ readings }) => one(readings.jobs.oldestMs / 1000),
  },
  {
    kind: 'gauge',
    name: 'dead_letters',
    help: `Changes that could not be processed; at most ${maxCounted} are counted.`,
    labels: [],
    read: ({ readings }) => one(readings.deadLetters),
  },
];

const storeMetrics: readonly Metric[] = [
  {
    kind: 'gauge',
    name: 'store_file_bytes',
    help: 'Size of the file of the store, which does not shrink.',
    labels: [],
    read: ({ readings }) => one(readings.store.fileBytes),
  },
  {
    kind: 'gauge',
    name: 'store_reserve_bytes',
    help: 'Part of the file of the store that holds no data, and is written before the file grows.',
    labels: [],
    read: ({ readings: { store } }) => one(Math.max(0, store.fileBytes - store.usedBytes)),
  },
  {
    kind: 'gauge',
    name: 'store_disk_free_bytes',
    help: 'Free bytes of the disk of the store.',
    labels: [],
    read: ({ readings }) => one(readings.store.freeDiskBytes),
  },
  {
    kind: 'histogram',
    name: 'store_commit_duration_seconds',
    help: 'Durations of commits to the disk; writes that arrive together share one.',
    labels: [],
    read: ({ readings }) => [[[], readings.store.commits]],
  },
  {
    kind: 'gauge',
    name: 'store_log_bytes',
    help: 'Committed data in the log that the file of the store does not have yet.',
    labels: [],
    read: ({ readings }) => one(readings.store.pendingBytes),
  },
  {
    kind: 'counter',
    name: 'store_applications_total',
    help: 'Times that the data in the log was written to the file of the store.',
    labels: [],
    read: ({ readings }) => one(readings.store.applications),
  },
];

const deliveryMetrics: readonly Metric[] = [
  {
    kind: 'counter',
    name: 'mails_total',
    help: 'Attempts to send mails by result.',
    labels: ['result'],
    read: ({ counted }) => readTally(counted.mails),
  },
  {
    kind: 'counter',
    name: 'pushes_total',
    help: 'Pushes to devices by service and result.',
    labels: ['service', 'result'],
    read: ({ counted }) => readTally(counted.pushes),
  },
  {
    kind: 'counter',
    name: 'backups_total',
    help: 'Backups that the server has made, by result.',
    labels: ['result'],
    read: ({ counted }) => readTally(counted.backups),
  },
  {
    kind: 'gauge',
    name: 'backup_last_success_timestamp_seconds',
    help: 'Time of the last backup that is complete, in seconds since 1970; 0 when none is known.',
    labels: [],
    read: ({ counted }) => one(counted.lastBackupMs / 1000),
  },
];

/** THE METRICS of the server, in addition to those of its process, which come from prom-client. */
export const catalogue: readonly Metric[] = [
  {
    kind: 'gauge',
    name: 'build_info',
    help: 'Is 1; its labels are the versions of Groundwork and of Node.',
    labels: ['version', 'node'],
    read: ({ version }) => [[[version, process.versions.node], 1]],
  },
  ...requestMetrics,
  ...queueMetrics,
  ...backgroundMetrics,
  ...storeMetrics,
  ...deliveryMetrics,
];
