import { openClock } from '../../shared/platform/clock.ts';
import type { Clock } from '../../shared/platform/ports.ts';

/** A clock that can be set forward. */
export interface MovedClock extends Clock {
  forward(seconds: number): void;
}

const second = 1_000_000;

/**
 * Opens a clock that stops, except for one microsecond per read. It starts with a whole second, so that only tests that
 * set it forward enter another one.
 */
export function openMovedClock(): MovedClock {
  let now = Math.floor(openClock().micros() / second) * second;
  return {
    micros: () => {
      now += 1;
      return now;
    },
    steadyMs: () => now / 1000,
    forward: (seconds) => {
      now += seconds * second;
    },
  };
}
