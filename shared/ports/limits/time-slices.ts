import { setImmediate } from 'node:timers/promises';
import type { Turns } from '../../store/store.ts';

/** Longest time that one piece of work delays others, in milliseconds. */
export const sliceMs = 4;

/** Creates turns for work that is limited otherwise: it yields to all events that have arrived. */
export function openTurns(): Turns {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > sliceMs,
    pause: async () => {
      await setImmediate();
      since = performance.now();
    },
  };
}
