import { afterEach, describe, expect, it, vi } from 'vitest';
import { anyPartOf, longestDelay, mostOf } from '../../shared/values/back-off.ts';

afterEach(() => vi.restoreAllMocks());

describe('the delay between tries', () => {
  it.each([
    [0, 50],
    [1, 100],
    [2, 200],
    [3, 400],
    [4, 500],
    [60, 500],
  ])('after try %d is %d ms', (tries, ms) => {
    expect(longestDelay(tries, { firstMs: 50, maxMs: 500 })).toBe(ms);
  });

  it.each([
    [0, 0, 50],
    [0.5, 50, 75],
    [0.75, 75, 87.5],
  ])('is random: at %d, %d of 100 ms, or %d', (random, part, most) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);

    expect(anyPartOf(100)).toBe(part);
    expect(mostOf(100)).toBe(most);
    expect(anyPartOf(100, () => 0.25)).toBe(25);
  });
});
