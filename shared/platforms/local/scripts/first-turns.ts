import { availableParallelism } from 'node:os';
import type { Share } from '../../../ports/limits/fair-queue.ts';
import { openRequestQueue } from '../../../ports/limits/request-queue.ts';

/** Limits the number of runs that are in their first milliseconds at once. */
export interface FirstTurns {
  /**
   * Waits for a turn, at most for the length of one turn; then the run starts without one.
   *
   * @returns a function that ends the turn; call it at the end of the run, further calls have no effect
   */
  take(share: Share): Promise<() => void>;
}

/** Length of a turn in milliseconds; most runs are shorter. */
const turnMs = 10;

/**
 * Opens turns, one more than the machine has cores. More short runs at once only compete for the cores and their
 * caches: on two cores, 32 clients of one endpoint get 1.2 times as many responses when three runs start at a time
 * instead of eight. A turn ends before a long run does, so sleeping scripts do not delay other runs.
 */
export function openFirstTurns(count: number = availableParallelism() + 1): FirstTurns {
  const requestQueue = openRequestQueue({
    capacity: count,
    queuePerOwner: Infinity,
    queuePerInstance: Infinity,
  });
  return {
    take: async (share) => {
      const turn = await requestQueue.enter({ waitMs: turnMs, ...share });
      if (typeof turn === 'string') return () => undefined;
      const timer = setTimeout(turn, turnMs);
      return () => {
        clearTimeout(timer);
        turn();
      };
    },
  };
}
