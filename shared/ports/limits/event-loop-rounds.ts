import { setImmediate } from 'node:timers/promises';

let last = Promise.resolve();

/**
 * Waits for a separate round of the event loop, first come first served. Code that blocks for milliseconds waits for
 * one, so that other requests run in between.
 */
export function nextRound(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}
