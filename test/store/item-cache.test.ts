import { expect, test } from 'vitest';
import { createItemCache } from '../../shared/platform/local/store/cache.ts';
import { itemKey } from '../../shared/platform/local/store/keys.ts';

const keyOf = (sk: string, pk = 'a') => ({ pk, sk });
const itemAt = (sk: string, pk?: string) => ({
  stored: { key: keyOf(sk, pk), kind: 'k', version: 'v', data: {} },
  expiresAt: Infinity,
});
const names = Array.from({ length: 1000 }, (_, n) => `item-${n}`);

test('a cache holds at most its bytes, of the items that were used last', () => {
  const cache = createItemCache(100_000);

  for (const name of names) cache.set(itemAt(name), 300);

  const kept = names.filter((name) => cache.get(keyOf(name)) !== undefined);
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThanOrEqual(50); // of 2,000 bytes each: 300 characters and its place
  expect(kept).toEqual(names.slice(-kept.length));
});

test('partitions of a cache count as well', () => {
  const cache = createItemCache(100_000);

  for (const name of names) cache.set(itemAt('only', name), 300);

  const kept = names.filter((name) => cache.get(keyOf('only', name)) !== undefined);
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThanOrEqual(42); // of 2,400 bytes each
});

test('a large item takes the place of many', () => {
  const cache = createItemCache(100_000);
  for (const name of names.slice(0, 20)) cache.set(itemAt(name), 300);

  cache.set(itemAt('large'), 9_000);
  const larger = itemAt('larger');
  cache.set(larger, 9_000);

  expect(names.filter((name) => cache.get(keyOf(name)) !== undefined)).toEqual([]);
  expect(cache.get(keyOf('larger'))).toBe(larger);
});

test('an item that is about to change leaves the cache, and returns after its commit', () => {
  const cache = createItemCache(100_000);
  const item = itemAt('b');
  cache.set(item, 300);

  cache.lock(itemKey(keyOf('b')));
  cache.set(item, 300); // of a reader that began before
  const during = [cache.get(keyOf('b')), cache.partition('a')('b')];
  cache.unlock();
  cache.set(item, 300);

  expect(during).toEqual([undefined, undefined]);
  expect(cache.get(keyOf('b'))).toBe(item);
  expect(cache.partition('a')('b')).toBe(item);
});

test('an item of the older generation is found as well, and changes like any other', () => {
  const cache = createItemCache(100_000);
  for (const name of names.slice(0, 26)) cache.set(itemAt(name), 300); // the last one begins a generation

  const find = cache.partition('a');
  const before = [find('item-0'), find('item-25')];
  cache.lock(itemKey(keyOf('item-0')));

  expect(before.every((item) => item !== undefined)).toBe(true);
  expect([find('item-0'), cache.get(keyOf('item-0'))]).toEqual([undefined, undefined]);
});
