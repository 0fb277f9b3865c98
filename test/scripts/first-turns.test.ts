import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFirstTurns } from '../../shared/platforms/local/scripts/first-turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes turns. Returns the numbers of the started ones, and a function that ends each. */
function takeMany(turns: ReturnType<typeof openFirstTurns>, count: number) {
  const ends = new Map<number, () => void>();
  for (let n = 1; n <= count; n += 1)
    void turns.take({ owner: 'a', instance: '1' }).then((end) => ends.set(n, end));
  return { begun: () => [...ends.keys()], end: (n: number) => ends.get(n)?.() };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('as many runs start as there are turns, and another one at each end, in order', async () => {
  const { begun, end } = takeMany(openFirstTurns(2), 4);
  await settle();
  expect(begun()).toEqual([1, 2]);

  end(2);
  end(2);
  await settle();
  expect(begun()).toEqual([1, 2, 3]);

  end(1);
  await settle();
  expect(begun()).toEqual([1, 2, 3, 4]);
});

test('a long run delays others by 10 ms at most', async () => {
  const { begun } = takeMany(openFirstTurns(2), 5);
  await vi.advanceTimersByTimeAsync(9);
  expect(begun()).toEqual([1, 2]);

  await vi.advanceTimersByTimeAsync(1);

  expect(begun()).toEqual([1, 2, 3, 4, 5]);
});
