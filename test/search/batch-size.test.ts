import { expect, test } from 'vitest';
import { openBatchSize } from '../../shared/search/batch-size.ts';

const page = { limit: 101, isSorted: true };

test.each([
  { name: 'nothing is known', usedBefore: undefined, objects: 101, isLast: false },
  { name: 'the previous scan needed less', usedBefore: 60, objects: 101, isLast: true },
  { name: 'the previous scan needed more', usedBefore: 400, objects: 500, isLast: true },
  { name: 'it needed all that one step reads', usedBefore: 1000, objects: 1250, isLast: true },
  { name: 'it needed more than one step reads', usedBefore: 1001, objects: 101, isLast: false },
])('the first batch of a page when $name', ({ usedBefore, objects, isLast }) => {
  const batch = openBatchSize({ ...page, usedBefore });

  expect({ objects: batch.objects(), isLast: batch.isLast() }).toEqual({ objects, isLast });
});

test('a short page trusts at most 16 times its own size', () => {
  const trusts = (usedBefore: number) =>
    openBatchSize({ limit: 20, isSorted: true, usedBefore }).isLast();

  expect([320, 321].map(trusts)).toEqual([true, false]);
});

test('a batch is twice as large as the previous scan needed where reading stops in time', () => {
  expect(openBatchSize({ ...page, usedBefore: 400, stopsInTime: true }).objects()).toBe(800);
});
