import { openClock } from '../../shared/services/clock.ts';
import type { Clock } from '../../shared/services/ports.ts';

/** A clock that can be set forward. */
export interface MovedClock extends Clock {
  forward(seconds: number): void;
}

/** Opens a clock that stands still but for the microsecond that each look at it takes. */
export function openMovedClock(): MovedClock {
  let now = openClock().micros();
  return {
    micros: () => {
      now += 1;
      return now;
    },
    forward: (seconds) => {
      now += seconds * 1_000_000;
    },
  };
}
