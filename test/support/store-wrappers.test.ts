import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { ConditionFailed, type Key } from '../../shared/store/store.ts';
import { del, getOne, put, write } from '../store/fixture.ts';
import { countRoundTrips } from './counting-store.ts';
import { equalizeVersions } from './equal-versions.ts';
import { makeFaulty, StoreFault } from './faulty-store.ts';
import { makeLate } from './late-store.ts';
import { forgetItems } from './no-caches.ts';
import { temporaryStore } from './temporary.ts';

const it = test.extend('store', { scope: 'file' }, temporaryStore());

it('sequential calls are a round trip each, concurrent calls are one', async ({ store }) => {
  const counting = countRoundTrips(store);
  const key = { pk: 'COUNTED', sk: 'x' };
  await counting.get([key]);
  counting.reset();

  await counting.get([key]);
  await Promise.all([counting.next(key), counting.get([key]), write(counting, put(key))]);
  await counting.query({ pk: key.pk, limit: 1 });

  expect([counting.rounds, counting.calls]).toEqual([3, 5]);
});

it('a call that waits for another one is a round trip of its own', async ({ store }) => {
  const counting = countRoundTrips(store);

  await counting.next({ pk: 'COUNTED', sk: 'a' }).then(() => counting.get([]));

  expect(counting.rounds).toBe(2);
});

it('failures are injected once each, in order', async ({ store }) => {
  const faulty = makeFaulty(store);
  const keys = ['a', 'b', 'c'].map((sk) => ({ pk: 'FAULTY', sk }));
  faulty.failNext('not applied', 'answer lost');

  const outcomes = [];
  for (const key of keys) outcomes.push(await write(faulty, put(key)).catch((error) => error));

  const found = await store.get(keys);
  expect(outcomes.map((outcome) => outcome instanceof StoreFault)).toEqual([true, true, false]);
  expect(found.map((item) => item !== undefined)).toEqual([false, true, true]);
});

it('a competing write is applied before, once', async ({ store }) => {
  const faulty = makeFaulty(store);
  const key = { pk: 'FAULTY', sk: 'raced' };
  faulty.beforeNextWrite(async () => {
    await write(store, put(key, { data: { by: 'other' } }));
  });

  const lost = await write(faulty, put(key, { condition: { kind: 'absent' } })).catch((e) => e);

  expect(lost).toBeInstanceOf(ConditionFailed);
  expect((await getOne(store, key))?.data).toEqual({ by: 'other' });
});

it('the indexes of a late store lack the last writes, and the table none', async ({ store }) => {
  const late = makeLate(store, 1);
  const pk = 'LATE';
  const item = (sk: string, at: string) =>
    put({ pk, sk }, { data: { at }, indexes: { slot0: at, updated: at } });
  const found = async (index?: 'slot0' | 'updated') => {
    const { items } = await late.query({ pk, ...(index && { index }), limit: 10 });
    return items.map(({ key, data }) => [key.sk, data]);
  };
  const [before, now] = [
    ['a', { at: '1' }],
    ['a', { at: '3' }],
  ];
  await write(late, item('a', '1'), item('b', '2'));
  await write(late, item('a', '3'), del({ pk, sk: 'b' }));

  const responses = [await found(), await found('slot0'), await found('updated')];
  late.catchUp();
  const later = await found('slot0');

  expect(responses).toEqual([[now], [before, ['b', { at: '2' }]], [now]]);
  expect(later).toEqual([now]);
});

it('versions can be equal in all items, and still differ in those of one item', async () => {
  const own = await openTemporaryStore({ now: Date.now });
  const equal = equalizeVersions(own);
  const [a, b] = ['a', 'b'].map((sk) => ({ pk: 'EQUAL', sk })) as [Key, Key]; // two
  const versions = async () => (await equal.get([a, b])).map((item) => item?.version);
  const change = { actor: {}, cause: 'maintenance', depth: 0 } as const;
  const first = { id: 'x', change, writes: [put(a, { condition: { kind: 'absent' } })] };

  await equal.write(first);
  await write(equal, put(b));
  const both = await versions();
  await equal.write(first); // a repetition
  const repeated = await versions();
  await write(equal, put(a, { condition: { kind: 'version', version: 'x' } }), put(b));
  const later = await versions();
  await write(equal, del(a));
  await write(equal, put(a));
  const again = await versions();
  const late = put(b, { condition: { kind: 'version', version: '1' } });
  const lost = await write(equal, late).catch((error) => error);
  await own.close();

  expect([both, repeated, later, again]).toEqual([
    ['1', '1'],
    ['1', '1'],
    ['2', '2'],
    ['4', '2'],
  ]);
  expect(lost).toBeInstanceOf(ConditionFailed);
});

it('a store that forgets returns a new item for each read', async () => {
  const own = await openTemporaryStore({ now: Date.now });
  const forgetful = forgetItems(own);
  const key = { pk: 'FORGET', sk: 'a' };
  await write(forgetful, put(key));

  const read = async () => [
    await getOne(own, key),
    (await own.query({ pk: key.pk, limit: 1 })).items[0],
  ];
  const items = [...(await read()), ...(await read())];
  await own.close();

  expect(new Set(items).size).toBe(4);
  expect(new Set(items.map((item) => item?.data)).size).toBe(4);
  expect(items.every((item) => isDeepStrictEqual(item?.data, items[0]?.data))).toBe(true);
});
