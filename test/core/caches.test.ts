import { describe, expect, test } from 'vitest';
import {
  byItem,
  byItemUse,
  byRecord,
  createCache,
  createCaches,
  defineCache,
} from '../../shared/core/routing/caches.ts';
import { byClass } from '../../shared/search/class-use.ts';
import { byQuota } from '../../shared/usage/quotas.ts';

const files = { address: () => '' };
const item = (pk: string, sk: string, version: string) => ({ key: { pk, sk }, version });
const one = item('INSTANCE#1', 'CLASS#a', 'v1');
/** Items of which each differs from the first one in one part, or has its parts divided otherwise. */
const others = [
  item('INSTANCE#1', 'CLASS#b', 'v1'),
  item('INSTANCE#2', 'CLASS#a', 'v1'),
  item('INSTANCE#1', 'CLASS#a', 'v2'),
  item('INSTANCE#1C', 'LASS#a', 'v1'),
  item('INSTANCE#1', 'CLASS#', 'av1'),
];

describe('the key of what an item gives', () => {
  test.each(others)('is of one item in one version: %j', (other) => {
    expect(byItem(other)).not.toBe(byItem(one));
    expect(byItemUse({ item: other, text: '[]' })).not.toBe(byItemUse({ item: one, text: '[]' }));
  });

  test('is the same for each reading of the item', () => {
    expect(byItem({ ...one, key: { ...one.key } })).toBe(byItem(one));
    expect(byItemUse({ item: { ...one }, text: 'x' })).toBe(byItemUse({ item: one, text: 'x' }));
  });

  test('has the text for which the item gives it', () => {
    expect(byItemUse({ item: one, text: 'x' })).not.toBe(byItemUse({ item: one, text: 'y' }));
  });
});

test('keys of records, classes and quotas keep their parts apart', () => {
  expect(byRecord({ pk: 'a/b', sk: 'c' })).not.toBe(byRecord({ pk: 'a', sk: 'b/c' }));
  const place = { instance: 1, classNumber: 12, text: '3' };
  expect(byClass(place)).not.toBe(byClass({ instance: 11, classNumber: 2, text: '3' }));
  expect(byClass(place)).not.toBe(byClass({ ...place, classNumber: 1, text: '23' }));
  expect(byQuota({ instance: 1, kind: '1x' })).not.toBe(byQuota({ instance: 11, kind: 'x' }));
});

test('a cache has no key of another kind', () => {
  // @ts-expect-error: a text that is not made by caches.ts, such as a version, is no key
  const byVersion = defineCache<{ readonly version: string }, number>(({ version }) => version);

  expect(byVersion).toBeTypeOf('function');
});

test('caches of two processes share nothing, and those that keep nothing are used by all features', () => {
  const cacheOf = defineCache<typeof one, number>(byItem);
  const [here, there] = [createCaches(files), createCaches(files)];
  const nowhere = createCaches(files, () => ({ get: () => undefined, set: () => undefined }));
  for (const caches of [here, nowhere]) cacheOf(caches).set(one, 1);

  expect([here, there, nowhere].map((caches) => cacheOf(caches).get(one))).toEqual([
    1,
    undefined,
    undefined,
  ]);
});

test('setting undefined deletes an entry, and a full cache is emptied', () => {
  const cache = createCache<typeof one, number>(byItem);
  cache.set(one, 1);
  cache.set(one, undefined);
  expect(cache.get(one)).toBeUndefined();

  cache.set(one, 1);
  for (let number = 0; number < 10_000; number++) cache.set(item('p', 's', `${number}`), number);

  expect([cache.get(one), cache.get(item('p', 's', '9999'))]).toEqual([undefined, 9999]);
});
