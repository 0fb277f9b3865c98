/** Durations by length, as a histogram of Prometheus has them. */
export interface DurationCounts {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  /** Number of durations up to each bound and above the one before it; the last number is of those above all. */
  readonly counts: readonly number[];
  /** In seconds. */
  readonly sum: number;
}

/** Counts durations. */
export interface Durations {
  add(seconds: number): void;
  read(): DurationCounts;
}

/** Creates counts with upper bounds in seconds, ascending. */
export function countDurations(bounds: readonly number[]): Durations {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    add: (seconds) => {
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += seconds;
    },
    read: () => ({ bounds, counts, sum }),
  };
}
