import { setImmediate } from 'node:timers/promises';

let last = Promise.resolve();

/**
 * Waits for a turn: one in each round of the event loop. What takes milliseconds is done in turns, so that requests of
 * others come between.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}
