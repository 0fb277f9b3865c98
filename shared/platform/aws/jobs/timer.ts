import { setTimeout as pause } from 'node:timers/promises';

/** What waits, and says how long. Tests give their own. */
export interface Timer {
  /** Milliseconds since any moment, never going back. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

/** The timer of the process. */
export const realTimer: Timer = { now: () => performance.now(), sleep: (ms) => pause(ms) };
