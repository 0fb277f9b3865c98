import type { Clock } from './ports.ts';

const toleratedDriftMicros = 20_000;

/** Source of a clock's time; tests use their own. */
export interface TimeSource {
  /** Milliseconds since 1970, by the clock of the machine, which an operator may set. */
  readonly wallMs: () => number;
  /** Milliseconds since an arbitrary moment, with fractions, never decreasing. */
  readonly steadyMs: () => number;
}

const machineTime: TimeSource = { wallMs: Date.now, steadyMs: () => performance.now() };

/**
 * Opens a clock with real microseconds. Between readings of the machine's time it counts by the steady time, and
 * follows the machine's time when that was set or the machine slept. When that was set back, it advances by single
 * microseconds until the machine's time has caught up: each result is greater than the one before.
 */
export function openClock({ wallMs, steadyMs }: TimeSource = machineTime): Clock {
  let offset = wallMs() * 1000 - Math.floor(steadyMs() * 1000);
  let last = 0;
  return {
    micros: () => {
      const wall = wallMs() * 1000;
      let now = offset + Math.floor(steadyMs() * 1000);
      if (Math.abs(now - wall) > toleratedDriftMicros) {
        offset += wall - now;
        now = wall;
      }
      last = now > last ? now : last + 1;
      return last;
    },
    steadyMs,
  };
}
