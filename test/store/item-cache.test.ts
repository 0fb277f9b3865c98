import { expect, test } from 'vitest';
import { createItemCache } from '../../shared/platform/local/store/cache.ts';

const item = {
  stored: { key: { pk: 'a', sk: 'b' }, kind: 'k', version: 'v', data: {} },
  expiresAt: Infinity,
};
const names = Array.from({ length: 1000 }, (_, n) => `item-${n}`);

test('a cache holds at most its bytes, of the items that were used last', () => {
  const cache = createItemCache(100_000);

  for (const name of names) cache.set(name, item, 300);

  const kept = names.filter((name) => cache.get(name) !== undefined);
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThanOrEqual(50); // of 2,000 bytes each: 300 characters and its place
  expect(kept).toEqual(names.slice(-kept.length));
});

test('a large item takes the place of many', () => {
  const cache = createItemCache(100_000);
  for (const name of names.slice(0, 20)) cache.set(name, item, 300);

  cache.set('large', item, 9_000);
  cache.set('larger', item, 9_000);

  expect(names.filter((name) => cache.get(name) !== undefined)).toEqual([]);
  expect(cache.get('larger')).toBe(item);
});

test('an item that is about to change leaves the cache, and returns after its commit', () => {
  const cache = createItemCache(100_000);
  cache.set('a', item, 300);

  cache.lock('a');
  cache.set('a', item, 300); // of a reader that began before
  const during = cache.get('a');
  cache.unlock();
  cache.set('a', item, 300);

  expect(during).toBeUndefined();
  expect(cache.get('a')).toBe(item);
});
