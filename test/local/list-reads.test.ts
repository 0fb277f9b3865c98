import { expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/* Objects that a list reads from the store of one machine, which stops at the end of a page. */

const test = worldTest().extend('list', { scope: 'file' }, ({ world }) => setUp(world));

test('a repeated page reads up to its end, and on to one more object that matches', async ({
  list,
}) => {
  await list(0);

  expect(await list(2)).toEqual({ ns: [2, 4, 6, 8, 10], isMore: true, keysRead: 11 });
});

test('a page at the end of the list reads the rest of it', async ({ list }) => {
  await list(0);

  expect(await list(190)).toEqual({ ns: [190, 192, 194, 196, 198], isMore: false, keysRead: 10 });
});

/** Creates 200 notes; returns what requests the even ones from a number on, in order of their numbers. */
async function setUp(world: World) {
  await world.dataClass('note', [
    { name: 'n', type: 'integer', order_index: true, filter_index: true },
    { name: 'isEven', type: 'boolean', filter_index: true },
  ]);
  for (let start = 0; start < 200; start += mostRequests) {
    const requests = Array.from({ length: mostRequests }, (_, at) => ({
      method: 'POST',
      path: `${world.base}classes/note/objects/`,
      body: { n: start + at, isEven: at % 2 === 0 },
    }));
    expected(await world.call(world.owner, 'POST', 'batch/', { requests }), 200);
  }
  return async (from: number) => {
    const query = JSON.stringify({ isEven: { _eq: true }, n: { _gte: from } });
    const parameters = new URLSearchParams({ query, order_by: 'n', page_size: '5' });
    const path = `classes/note/objects/?${parameters}`;
    const { objects, next } = expected(await world.call(world.owner, 'GET', path), 200);
    const report = world.api.logged.findLast(({ message }) => message === 'objects listed');
    return {
      ns: objects.map(({ n }: { readonly n: number }) => n),
      isMore: next !== null,
      keysRead: report?.keysRead,
    };
  };
}

const mostRequests = 50; // of a batch
