import type { ScriptRun } from '../ports/script-runner.ts';

/** Maximum number of runs of an instance (docs/reference/scripts.md#concurrency). */
export const instanceLimits = {
  running: 8,
  waiting: 400, // 50 for each running one
};

/** Slots for runs: a limit on running ones in each instance, and on waiting ones. */
export interface Slots {
  /**
   * Takes a slot, or waits for one: first come first served in an instance, as far as the platform can determine, but
   * awaited runs before all others there.
   *
   * @returns the release of the slot; `late` when none was free in time, `full` at once when the queue is full
   */
  enter(run: Entrant): Promise<ReleaseSlot | 'late' | 'full'>;
}

/** Run that needs a slot. */
export type Entrant = Pick<ScriptRun, 'instance' | 'isAwaited' | 'waitMs' | 'timeoutMs'>;

/** Releases a slot, without waiting for the end of the release. */
export type ReleaseSlot = () => void;
