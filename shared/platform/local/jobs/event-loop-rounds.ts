import { setImmediate } from 'node:timers/promises';

let last = Promise.resolve();

/**
 * Waits for a round of the event loop of one's own, first come first served. What takes milliseconds at a stretch waits
 * for one, so that requests of others come between.
 */
export function nextRound(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}
