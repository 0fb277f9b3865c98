import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CachedItem,
  createItemCache,
  type ItemCache,
} from '../../shared/platforms/local/store/cache/item-cache.ts';
import { itemKey } from '../../shared/platforms/local/store/keys.ts';
import { TextItem } from '../../shared/store/text-item.ts';

const keyOf = (sk: string, pk = 'a') => ({ pk, sk });
const itemAt = (sk: string, { pk = 'a', size = 300 } = {}) =>
  new CachedItem(
    new TextItem({ key: keyOf(sk, pk), kind: 'k', version: 'v' }, '{}'),
    Infinity,
    size,
  );
const names = Array.from({ length: 1000 }, (_, n) => `item-${n}`);

/** Reads an item that is not cached, twice: a full cache takes it then. */
function read(cache: ItemCache, item: CachedItem): void {
  if (!cache.set(item)) cache.set(item);
}

test('a cache holds at most its bytes, of the items that were used last', () => {
  const cache = createItemCache(100_000);

  for (const name of names) read(cache, itemAt(name));

  const kept = names.filter((name) => cache.get(keyOf(name)) !== undefined);
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThanOrEqual(50); // of 2,000 bytes each: 300 characters and its place
  expect(kept).toEqual(names.slice(-kept.length));
});

test('partitions of a cache count as well', () => {
  const cache = createItemCache(100_000);

  for (const name of names) read(cache, itemAt('only', { pk: name }));

  const kept = names.filter((name) => cache.get(keyOf('only', name)) !== undefined);
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThanOrEqual(42); // of 2,400 bytes each
});

test('a large item takes the place of many', () => {
  const cache = createItemCache(100_000);
  for (const name of names.slice(0, 20)) cache.set(itemAt(name));

  read(cache, itemAt('large', { size: 9_000 }));
  const larger = itemAt('larger', { size: 9_000 });
  read(cache, larger);

  expect(names.filter((name) => cache.get(keyOf(name)) !== undefined)).toEqual(
    names.slice(16, 20), // of 2,000 bytes each, beside two of 45,500
  );
  expect(cache.get(keyOf('larger'))).toBe(larger);
});

test('a full cache takes only what was read shortly before', () => {
  const cache = createItemCache(100_000);
  const often = names.slice(60, 70);
  for (const name of names.slice(0, 60)) cache.set(itemAt(name)); // fills it
  const find = cache.partition('a');
  const first = names.filter((name) => find(name) !== undefined);
  for (const name of often) read(cache, itemAt(name));

  const scanned = Array.from({ length: 100_000 }, (_, n) => `scanned-${n}`);
  const taken = scanned.filter((name) => cache.set(itemAt(name)));

  expect(first).toEqual(names.slice(1, 50)); // those that it had before it was full
  expect(taken.length).toBeLessThan(20); // names whose hashes are equal
  expect(often.map((name) => cache.get(keyOf(name)) !== undefined)).toEqual(often.map(() => true));
  expect([cache.set(itemAt('scanned-0')), cache.set(itemAt('scanned-99999'))]).toEqual([
    false, // too long ago
    true,
  ]);
});

test('an item that is about to change leaves the cache, and returns after its commit', () => {
  const cache = createItemCache(100_000);
  const item = itemAt('b');
  cache.set(item);

  cache.lock(itemKey(keyOf('b')));
  cache.set(item); // of a reader that began before
  const during = [cache.get(keyOf('b')), cache.partition('a')('b')];
  cache.unlock();
  cache.set(item);

  expect(during).toEqual([undefined, undefined]);
  expect(cache.get(keyOf('b'))).toBe(item);
  expect(cache.partition('a')('b')).toBe(item);
});

test('an item that is read and changed all the time takes one place', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const cache = createItemCache(100_000);
  const item = itemAt('b');
  collect();
  const before = process.memoryUsage().heapUsed;

  for (let time = 0; time < 2_000_000; time += 1) {
    cache.set(item);
    cache.lock(itemKey(item.stored.key));
    cache.unlock();
  }

  collect();
  const grown = process.memoryUsage().heapUsed - before;
  expect(cache.get(item.stored.key)).toBeUndefined(); // it is there until here
  expect(grown).toBeLessThan(8e6); // 16 MB are a word for each time
});

test('a cache holds the newest items that fit, whatever leaves it', () => {
  const keys = names.slice(0, 80);
  const change = fc.record({ name: fc.constantFrom(...keys), size: fc.nat(2_000) });
  const step = fc.oneof({ weight: 3, arbitrary: change }, fc.constantFrom(...keys));
  fc.assert(
    fc.property(fc.array(step, { minLength: 3_000, maxLength: 3_000 }), (steps) => {
      const cache = createItemCache(100_000);
      const expected = new Map<string, CachedItem>();

      for (const each of steps) {
        const name = typeof each === 'string' ? each : each.name;
        cache.lock(itemKey(keyOf(name)));
        cache.unlock();
        expected.delete(name);
        if (typeof each === 'string') continue;
        const item = itemAt(name, each);
        read(cache, item);
        expected.set(name, item);
        dropOldest(expected, 100_000);
      }

      const find = cache.partition('a');
      expect(keys.map((name) => [cache.get(keyOf(name)), find(name)])).toEqual(
        keys.map((name) => [expected.get(name), expected.get(name)]),
      );
    }),
    { numRuns: 20 },
  );
});

function dropOldest(items: Map<string, CachedItem>, maxBytes: number): void {
  const bytes = () => [...items.values()].reduce((sum, { size }) => sum + 500 + 5 * size, 0);
  const partition = 400;
  while (items.size > 0 && bytes() + partition > maxBytes) items.delete([...items.keys()][0] ?? '');
}
