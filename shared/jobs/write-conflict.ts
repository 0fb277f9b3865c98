import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionFailed } from '../store/store.ts';
import { anyPartOf, longestDelay } from '../values/back-off.ts';
import { throttled } from '../values/errors/errors.ts';

const patienceMs = 2000;
const minTries = 25; // each loses to one of so many others at the most, however long a try takes
const backOff = { firstMs: 4, maxMs: 200 };

/**
 * Runs `attempt` until it has no write conflict, with a random delay between tries.
 *
 * @param attempt reads its data again when `isFirst` is false, then writes under conditions
 * @throws ApiError 429 after write conflicts for two seconds, and at least 25 of them
 */
export async function retryOnConflict<Result>(
  attempt: (isFirst: boolean) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries === 0);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (tries >= minTries && performance.now() > deadline) throw throttled(1);
      await sleep(anyPartOf(longestDelay(tries, backOff)));
    }
  }
}

/**
 * Waits for a write that another writer may have made unnecessary.
 *
 * @returns undefined on a write conflict: nothing was written
 */
export async function unlessConflict<Result>(
  written: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await written;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return undefined;
  }
}
