import { openClock } from '../../shared/ports/clock.ts';
import type { Clock } from '../../shared/ports/ports.ts';

/** A clock that can be set forward. */
export interface MovedClock extends Clock {
  forward(seconds: number): void;
}

const second = 1_000_000;

/**
 * Opens a clock that stops, except for one microsecond per read. It starts with a whole second, so that only tests that
 * set it forward enter another one.
 *
 * @param start its first time; absent: now
 */
export function openMovedClock(start?: string): MovedClock {
  const first = start === undefined ? openClock().micros() : Date.parse(start) * 1000;
  let now = Math.floor(first / second) * second;
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
