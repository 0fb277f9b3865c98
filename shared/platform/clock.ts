import type { Clock } from './ports.ts';

const toleratedDriftMicros = 20_000;

/** Where a clock takes its time from; a test gives its own. */
export interface TimeSource {
  /** Milliseconds since 1970, as the operator has set them. */
  readonly wallMs: () => number;
  /** Milliseconds since some moment, with fractions, never going back. */
  readonly steadyMs: () => number;
}

const machineTime: TimeSource = { wallMs: Date.now, steadyMs: () => performance.now() };

/**
 * Opens a clock with real microseconds. Between looks at the machine's time it counts by the steady one, and
 * follows the machine's time when that was set or the machine slept. Set back, it goes on by single microseconds
 * until the machine's time has caught up: each call gives more than the one before.
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
