import type { ScriptRun } from './script-runner.ts';

/** How many runs an instance may have (docs/reference/scripts.md#concurrency). */
export const instanceLimits = {
  running: 8,
  waiting: 400, // 50 for each that runs
};

/** Places for runs: so many at a time in each instance, and so many that wait for one. */
export interface Places {
  /**
   * Takes a place, or waits for one: first come first served in an instance, as far as the platform can tell, but
   * awaited runs before all others there.
   *
   * @returns how to give the place back; `late` when none came in time, `full` at once when too many wait already
   */
  enter(run: Entrant): Promise<Leave | 'late' | 'full'>;
}

/** A run that wants a place. */
export type Entrant = Pick<ScriptRun, 'instance' | 'isAwaited' | 'waitMs' | 'timeoutMs'>;

/** Gives a place back, and does not wait until it is. */
export type Leave = () => void;
