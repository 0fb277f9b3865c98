import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { scenarios } from '../support/scenarios.ts';

/** Seven objects, 1 to 7; a user may read 2, 4 and 6. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const list = '/v1.1/instances/blog-1/classes/book/objects/';
const ids = (...numbers: number[]) => numbers.map((id) => ({ id }));
const link = (query: string) => `${list}?${query}`;
const pages: readonly Page[] = [
  ['fields=id', ids(1, 2, 3, 4, 5, 6, 7), null, null],
  ['fields=id&order_by=id', ids(1, 2, 3, 4, 5, 6, 7), null, null],
  ['fields=id&order_by=pages&order_by=id', ids(1, 2, 3, 4, 5, 6, 7), null, null],
  ['fields=id&query=', ids(1, 2, 3, 4, 5, 6, 7), null, null],
  ['fields=id&unknown=1', ids(1, 2, 3, 4, 5, 6, 7), null, null],
  ['fields=id&page_size=1000', ids(1, 2, 3, 4, 5, 6, 7), null, null],
  ['fields=id&page_size=0', [], null, null],
  ['fields=id&last_pk=3', ids(1, 2, 3, 4, 5, 6, 7), null, null],
  [
    'fields=id&page_size=3',
    ids(1, 2, 3),
    link('fields=id&page_size=3&direction=1&last_pk=3'),
    null,
  ],
  [
    'fields=id&page_size=3&direction=1&last_pk=3',
    ids(4, 5, 6),
    link('fields=id&page_size=3&direction=1&last_pk=6'),
    link('fields=id&page_size=3&direction=0&last_pk=4'),
  ],
  [
    'fields=id&page_size=3&direction=1&last_pk=6',
    ids(7),
    null,
    link('fields=id&page_size=3&direction=0&last_pk=7'),
  ],
  [
    'fields=id&page_size=3&direction=1&last_pk=7',
    [],
    null,
    link('fields=id&page_size=3&direction=0'),
  ],
  [
    'fields=id&page_size=3&direction=0',
    ids(5, 6, 7),
    null,
    link('fields=id&page_size=3&direction=0&last_pk=5'),
  ],
  [
    'fields=id&page_size=3&direction=0&last_pk=4',
    ids(1, 2, 3),
    link('fields=id&page_size=3&direction=1&last_pk=3'),
    link('fields=id&page_size=3&direction=0&last_pk=1'),
  ],
  ['fields=id&page_size=3&direction=0&last_pk=3', ids(1, 2), link('fields=id&page_size=3'), null],
];
const incorrectPage = { detail: 'Incorrect page parameter provided.' };

describe('a page', () => {
  it.for(pages)('%s', async ([query, objects, next, prev], { api, world }) => {
    const { status, body } = await api.send({ as: world.owner, path: `${list}?${query}` });

    expect([status, body.objects]).toEqual([200, objects]);
    expect([sorted(body.next), sorted(body.prev)]).toEqual([sorted(next), sorted(prev)]);
  });

  /** The order of parameters is not part of the interface. */
  function sorted(path: string | null): string | null {
    if (path === null) return null;
    const [start, query = ''] = path.split('?');
    return `${start}?${query.split('&').sort().join('&')}`;
  }

  it('of a user is full as far as there are readable objects', async ({ api, world }) => {
    const user = { key: await world.apiKey(), user: await plantUser(world, 8) };
    for (const id of [1, 3, 5]) {
      const path = `classes/book/objects/${id}/`;
      expected(await world.own('PATCH', path, { owner: 8 }), 200);
    }
    api.settle();

    const first = await api.send({ as: user, path: `${list}?fields=id&page_size=2` });
    const second = await api.send({ as: user, path: first.body.next });
    const back = await api.send({ as: user, path: second.body.prev });

    expect([first, second, back].map(({ body }) => body.objects)).toEqual([
      ids(1, 3),
      ids(5),
      ids(1, 3),
    ]);
  });
});

scenarios(it, 'the list of objects', [
  {
    name: 'is empty for an empty class',
    path: '/v1.1/instances/blog-1/classes/empty/objects/',
    status: 200,
    response: { next: null, prev: null, objects: [] },
    given: (world: World) => owner(world),
  },
  {
    name: 'leaves out what is excluded',
    path: `${list}?page_size=1&fields=id,title,links&excluded_fields=links`,
    status: 200,
    response: {
      next: expect.stringContaining('excluded_fields=links'),
      prev: null,
      objects: [{ id: 1, title: 't1' }],
    },
    given: (world: World) => owner(world),
  },
  {
    name: 'has links of version 1 in version 1',
    path: '/v1/instances/blog-1/classes/Book/objects/?fields=links&page_size=1',
    status: 200,
    response: {
      next: expect.stringMatching(/^\/v1\/instances\/blog-1\/classes\/book\/objects\/\?/),
      prev: null,
      objects: [
        {
          links: { self: '/v1/instances/blog-1/classes/book/objects/1/', owner: expect.anything() },
        },
      ],
    },
    given: (world: World) => owner(world),
  },
  ...[
    'page_size=-1',
    'page_size=x',
    'page_size=',
    'direction=2',
    'direction=',
    'last_pk=x',
    'last_pk=-1',
    'last_pk=2147483648',
    'direction=1&last_pk=',
  ].map((query) => ({
    name: `refuses ${query}`,
    path: `${list}?${query}`,
    status: 400,
    response: incorrectPage,
    given: (world: World) => owner(world),
  })),
  {
    name: 'refuses a filter on a field without index',
    path: `${list}?query=&query=${encodeURIComponent('{"title":{"_eq":"t1"}}')}`,
    status: 400,
    given: (world: World) => owner(world),
  },
  {
    name: 'refuses the order of a field without index; the last one counts',
    path: `${list}?order_by=id&order_by=title`,
    status: 400,
    given: (world: World) => owner(world),
  },
]);

it('HEAD responds like GET without a body', async ({ api, world }) => {
  const response = await api.send({ as: world.owner, method: 'HEAD', path: list });

  expect([response.status, response.body]).toEqual([200, '']);
});

async function setUp(world: World) {
  await world.dataClass('book', [{ name: 'title', type: 'string' }]);
  await plantUser(world, 7);
  for (let id = 1; id <= 7; id += 1) {
    const values = { title: `t${id}`, ...(id % 2 === 0 && { owner: 7 }) };
    await world.create('classes/book/objects/', values);
  }
  await world.dataClass('empty', []);
}

type Page = readonly [query: string, objects: object[], next: string | null, prev: string | null];

const owner = (world: World) => ({ as: world.owner });
