import { describe, expect, test } from 'vitest';
import { availableBytes, planMemory } from '../../shared/platforms/local/memory.ts';

const megabyte = 2 ** 20;

describe('memory', () => {
  test.each([
    ['a small machine has a small cache, and most is for the server', 512, 32, 30, 153],
    ['one GB', 1024, 64, 30, 307],
    ['from 2 GB on the cache has its usual size', 2048, 128, 70, 1024],
    ['the server needs no more on a large machine', 65_536, 128, 70, 64_512],
  ])('%s', (_name, total, cache, growth, child) => {
    const { cacheBytes, heapGrowingPercent, childBytes } = planMemory(total * megabyte);

    expect(cacheBytes / megabyte).toBe(cache);
    expect(heapGrowingPercent).toBe(growth);
    expect(Math.floor(childBytes / megabyte)).toBe(child);
  });

  test('the limit of the operator lowers what is available', () => {
    expect(availableBytes(64 * megabyte)).toBe(64 * megabyte);
  });

  test('the limit of the operator is not more than the machine has', () => {
    expect(availableBytes(Number.MAX_SAFE_INTEGER)).toBe(availableBytes());
  });
});
