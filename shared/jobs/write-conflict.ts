import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionFailed } from '../store/store.ts';
import { throttled } from '../values/errors/errors.ts';

const patienceMs = 2000;
const minTries = 25; // each loses to at most one of as many other writers, however long a try takes
const firstDelayMs = 4;
const maxDelayMs = 200;

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
      await sleep(Math.random() * Math.min(maxDelayMs, firstDelayMs * 2 ** tries));
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
