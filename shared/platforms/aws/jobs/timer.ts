import { setTimeout as pause } from 'node:timers/promises';

/** A clock with a pause. Tests pass their own. */
export interface Timer {
  /** Returns milliseconds since an arbitrary moment, never decreasing. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

/** The timer of the process. */
export const realTimer: Timer = { now: () => performance.now(), sleep: (ms) => pause(ms) };
