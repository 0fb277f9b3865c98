import { CounterEnded, type Key, type Store } from '../../../store/store.ts';

/**
 * Reserves numbers for a request before its checks. That a counter has ended must not be its error when it has another
 * one, or would reveal an instance.
 *
 * @returns the first number; NaN when fewer are left
 */
export async function reserveNumbers(
  store: Pick<Store, 'next'>,
  counter: Key,
  count: number,
): Promise<number> {
  try {
    return await store.next(counter, count);
  } catch (error) {
    if (!(error instanceof CounterEnded)) throw error;
    return Number.NaN;
  }
}
