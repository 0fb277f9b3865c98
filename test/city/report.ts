/** The kind of a request, which determines its time bound: `bulk` are batches and uploads; `odd` has none. */
export type Kind = 'read' | 'write' | 'bulk' | 'run' | 'render' | 'odd';

/** A completed request. */
export interface Ended {
  readonly citizen: string;
  readonly kind: Kind;
  /** Times of a hostile citizen are not counted. */
  readonly isHostile: boolean;
  /** 0 if the client disconnected before the response. */
  readonly status: number;
  readonly ms: number;
}

/** A time above its bound. */
export interface Excess {
  readonly what: string;
  readonly ms: number;
  readonly boundMs: number;
}

/** Thrown when an invariant is broken, which ends the city. */
export class Broken extends Error {}

/** Events of a city. */
export interface Report {
  record(ended: Ended): void;
  /** Compares one time with its bound. */
  time(what: string, ms: number, boundMs: number): void;
  /** Times above their bound so far, including those of requests. */
  excesses(): readonly Excess[];
  /** Renders the table of requests by citizen. */
  table(): string;
  readonly requests: () => number;
}

/** Times of the 99th percentile of bystanders, on two loaded cores. */
const boundsMs: Readonly<Record<Exclude<Kind, 'odd'>, number>> = {
  read: 1_000,
  write: 1_500,
  bulk: 8_000,
  run: 10_000, // the hogs of three hostile tenants take that long, and 512 MB have four slots
  render: 5_000,
};
/** Minimum number of times for a percentile. */
const fewest = 20;

interface Row {
  readonly statuses: Map<number, number>;
  readonly times: Times;
}

/** Creates a report without entries. */
export function createReport(): Report {
  const rows = new Map<string, Row>();
  const kinds = new Map<Kind, Times>();
  const single: Excess[] = [];
  let count = 0;
  return {
    record: ({ citizen, kind, isHostile, status, ms }) => {
      count += 1;
      const row = reach(rows, citizen, () => ({ statuses: new Map(), times: createTimes() }));
      row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
      row.times.add(ms);
      if (!isHostile && status !== 0) reach(kinds, kind, createTimes).add(ms);
    },
    time: (what, ms, boundMs) => {
      if (ms > boundMs) single.push({ what, ms, boundMs });
    },
    excesses: () => [...single, ...percentileExcesses(kinds)],
    table: () => table(rows),
    requests: () => count,
  };
}

function percentileExcesses(kinds: ReadonlyMap<Kind, Times>): readonly Excess[] {
  return [...kinds].flatMap(([kind, times]) => {
    if (kind === 'odd' || times.count() < fewest) return [];
    const [ms, boundMs] = [times.percentile(0.99), boundsMs[kind]];
    return ms > boundMs ? [{ what: `p99 of ${kind} requests of bystanders`, ms, boundMs }] : [];
  });
}

/** A histogram of times in steps of 5 %, whose memory does not grow with the number of requests. */
interface Times {
  add(ms: number): void;
  percentile(share: number): number;
  count(): number;
}

function createTimes(): Times {
  const step = Math.log(1.05);
  const buckets = new Map<number, number>();
  let count = 0;
  return {
    add: (ms) => {
      const bucket = Math.ceil(Math.log(Math.max(ms, 0.01)) / step);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      count += 1;
    },
    percentile: (share) => {
      let below = 0;
      for (const [bucket, held] of [...buckets].sort(([a], [b]) => a - b)) {
        below += held;
        if (below >= share * count) return Math.exp(bucket * step);
      }
      return 0;
    },
    count: () => count,
  };
}

function table(rows: ReadonlyMap<string, Row>): string {
  const lines = [...rows].map(([citizen, { statuses, times }]) => [
    citizen,
    String(times.count()),
    times.percentile(0.5).toFixed(1),
    times.percentile(0.99).toFixed(1),
    [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, held]) => `${status === 0 ? 'left' : status}:${held}`)
      .join(' '),
  ]);
  const all = [['citizen', 'requests', 'p50 ms', 'p99 ms', 'statuses'], ...lines];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...all.map((cells) => cells[column]?.length ?? 0)),
  );
  return all
    .map((cells) => cells.map((cell, at) => pad(cell, at, widths[at] ?? 0)).join('  '))
    .join('\n');
}

function pad(cell: string, column: number, width: number): string {
  return column === 0 || column > 3 ? cell.padEnd(width) : cell.padStart(width);
}

function reach<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const held = map.get(key) ?? make();
  map.set(key, held);
  return held;
}
