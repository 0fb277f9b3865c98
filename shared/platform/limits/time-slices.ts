import { setImmediate } from 'node:timers/promises';
import type { Turns } from '../../store/store.ts';

/** The longest that one piece of work keeps others from their turn, in milliseconds. */
export const sliceMs = 4;

/** Makes turns for work that is bounded otherwise: it gives way to whatever has arrived. */
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
