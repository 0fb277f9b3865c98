import { describe, expect } from 'vitest';
import { expected, plantUser, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';

const it = worldTest()
  .extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world))
  .extend('notes', { scope: 'file' }, ({ world }) => makeNotes(world));

const books = '/v1.1/instances/blog-1/classes/book/objects/';
const indexed = { filter_index: true, order_index: true };

/** Lookups are in test/search/query-match.test.ts, and all of them on random data in query-model.test.ts. */
const filters: readonly [query: unknown, ids: number[]][] = [
  [{}, [3, 4, 5, 6, 7, 8, 9]],
  [{ pages: { _eq: '5' }, sold: { _eq: 't' } }, [3, 5]],
  [{ pages: { _gt: 5, _lte: 9 } }, [4, 6]],
  [{ title: { _like: '_ %\\%' } }, [9]],
  [{ out: { _gte: '2024-03-02', _lt: '2024-03-03' } }, [4, 8]],
  [{ id: { _in: [9, 3, 999] } }, [3, 9]],
  [{ revision: { _eq: 1 }, created_at: { _gt: '2000-01-01' } }, [3, 4, 5, 6, 7, 8, 9]],
  [{ author: { _eq: 1 } }, [3, 5]],
  [{ authors: { _contains: [2] } }, [3, 5]],
  [{ author: { _is: { secret: { _eq: 'x' } } } }, [3, 5]],
  [{ author: { _is: {} } }, [3, 4, 5]],
  [{ author: { _is: { name: { _eq: 'nobody' } } } }, []],
  [{ author: { _is: { name: { _exists: true } }, _neq: 1 } }, [4]],
  [{ authors: { _is: { name: { _eq: 'Ada' } } } }, [3]],
  [{ author: { _is: {} }, sequel: { _is: {} } }, [4]],
  [{ user: { _eq: 7 } }, [8]],
];

describe('a query', () => {
  it.for(filters)('%j', async ([query, ids], { world }) => {
    expect(await listed(world, { query })).toEqual(ids);
    expect(await listed(world, { query, order_by: '-id' })).toEqual(ids.toReversed());
    expect(await listed(world, { query, order_by: 'created_at' })).toEqual(ids);
  });

  it('applies with all its copies, which are not mixed, and is ignored when it is empty', async ({
    api,
    world,
  }) => {
    const copies = ['{"pages":{"_gt":0}}', '{"pages":{"_lt":6}}'];
    expect(await listed(world, { query: [copies[0], '', copies[1]] })).toEqual([3, 5, 8]);

    for (const separator of ['\n', '\u0000', ',']) {
      const path = `${books}?query=${encodeURIComponent(copies.join(separator))}`;
      expect((await api.send({ as: world.owner, path })).status).toBe(400);
    }
  });

  it('may be sent in a body when it is long', async ({ api, world }) => {
    const many = (make: (at: number) => unknown) =>
      Array.from({ length: 128 }, (_, at) => make(at));
    const query = {
      title: { _nin: many((at) => 'é'.repeat(50) + at) },
      out: { _nin: many((at) => `2020-01-01T00:00:00.${at}Z`) },
      pages: { _nin: [9, ...many((at) => 2147483000 + at).slice(1)] },
    };
    const body = { _method: 'GET', query, fields: 'id', page_size: 3 };

    const sent = await api.send({
      as: world.owner,
      path: books,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'text/plain' },
    });

    expect(new URLSearchParams({ query: JSON.stringify(query) }).toString().length).toBeGreaterThan(
      10_240,
    );
    expect([sent.status, sent.body.objects]).toEqual([200, [{ id: 3 }, { id: 5 }, { id: 6 }]]);
    expect(sent.body.next).toContain('last_pk=6');
  });
});

const orders: readonly [order: string, ids: number[]][] = [
  ['id', [3, 4, 5, 6, 7, 8, 9]],
  ['-id', [9, 8, 7, 6, 5, 4, 3]],
  ['created_at', [3, 4, 5, 6, 7, 8, 9]],
  ['-created_at', [9, 8, 7, 6, 5, 4, 3]],
  ['-updated_at', [9, 8, 7, 6, 5, 4, 3]],
  ['pages', [9, 3, 5, 8, 6, 4, 7]],
  ['-pages', [7, 4, 6, 8, 5, 3, 9]],
  ['title', [7, 4, 8, 5, 3, 9, 6]],
  ['-title', [6, 9, 3, 5, 8, 4, 7]],
  ['sold', [4, 8, 3, 5, 9, 6, 7]],
  ['-out', [9, 7, 6, 5, 8, 4, 3]],
];

describe('order_by', () => {
  it('alone orders a list of objects, whatever `ordering` is', async ({ world }) => {
    expect(await listed(world, { ordering: 'desc' })).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(await listed(world, { order_by: 'pages', ordering: 'desc' })).toEqual([
      9, 3, 5, 8, 6, 4, 7,
    ]);
  });

  it.for(orders)('%s is paged forth and back', async ([order, ids], { world }) => {
    for (const size of [1, 2, 3, 7]) {
      const path = `${books}?fields=id&order_by=${order}&page_size=${size}`;
      const pages = await walk(world, path, 'next');
      const last = pages.at(-1)?.prev ?? null; // absent where one page has all
      const back = last === null ? [] : await walk(world, last, 'prev');

      expect(pages.flatMap(({ objects }) => objects)).toEqual(ids);
      expect([
        ...back.toReversed().flatMap(({ objects }) => objects),
        ...(pages.at(-1)?.objects ?? []),
      ]).toEqual(ids);
    }
  });

  it('an object that is changed is the newest by updated_at', async ({ api, world }) => {
    await world.own('PATCH', 'classes/book/objects/5/', { note: 'new' });
    api.settle();

    expect(await listed(world, { order_by: '-updated_at', page_size: 2 })).toEqual([5, 9]);
    expect(await listed(world, { order_by: 'created_at', page_size: 3 })).toEqual([3, 4, 5]);
  });
});

const cannotUse = { detail: 'Cannot use specified order_by field.' };
const needsIndex = {
  detail: 'Cannot use specified order_by field. Set required index on schema first.',
};
const incorrectOrder = { detail: 'Incorrect order_by parameter provided.' };
const incorrectPage = { detail: 'Incorrect page parameter provided.' };

const errors: readonly [query: string, answer: object][] = [
  ...['-', '--id', 'Title', 'title,pages', 'constructor'].map((order): [string, object] => [
    `order_by=${order}`,
    incorrectOrder,
  ]),
  ...['revision', '-owner', 'group', 'channel', 'channel_room', 'other_permissions'].map(
    (order): [string, object] => [`order_by=${order}`, cannotUse],
  ),
  ...['note', '-author', 'authors'].map((order): [string, object] => [
    `order_by=${order}`,
    needsIndex,
  ]),
  ...[
    'pages&last_value=x',
    'pages&last_value=',
    'pages&direction=1&last_pk=1&last_value=1.5',
    'sold&last_value=true',
    'out&last_value=2024-03-01',
    'updated_at&last_value=1',
    'created_at&last_value=1',
    `title&last_value=${'a'.repeat(129)}`,
  ].map((order): [string, object] => [`order_by=${order}`, incorrectPage]),
  ['query=[]', { query: ['Query passed in invalid format.'] }],
  [
    'query={"author":{"_is":{"pages":{"_eq":1}}}}',
    { query: 'Invalid field name defined: "pages".' },
  ],
];

describe('a list is rejected', () => {
  it.for(errors)('%s', async ([query, response], { api, world }) => {
    const { status, body } = await api.send({ as: world.owner, path: `${books}?${query}` });

    expect([status, body]).toEqual([400, response]);
  });

  it('when a nested query is about a deleted class', async ({ api, world }) => {
    await world.dataClass('gone', []);
    const schema = [{ name: 'ref', type: 'reference', target: 'gone', filter_index: true }];
    const path = await world.dataClass('left', schema);
    await world.own('DELETE', 'classes/gone/');

    const { status, body } = await api.send({
      as: world.owner,
      path: `${path}objects/?query={"ref":{"_is":{}}}`,
    });

    expect([status, body]).toEqual([400, { query: 'Referenced class "gone" does not exist.' }]);
  });
});

describe('links of a page', () => {
  const [a, b] = [{ pages: { _gt: 0 } }, { id: { _gt: 0 } }];
  const time = encodeURIComponent('2024-03-01T00:00:00.000001Z');

  it.for<[what: string, query: string, ids: number[], last: string, kept?: string]>([
    [
      'keep each copy of the query once, and tell the value',
      `${parameters({ query: [a, b, a] })}&order_by=-pages&page_size=2`,
      [4, 6],
      'last_pk=6&last_value=7',
      `${parameters({ query: [a, b] })}&order_by=-pages&page_size=2`,
    ],
    ['tell a boolean', 'order_by=sold&page_size=1', [4], 'last_pk=4&last_value=False'],
    ['have no value where it is null', 'order_by=-title&page_size=1', [6], 'last_pk=6'],
    ['tell a time', 'order_by=out&page_size=1', [3], `last_pk=3&last_value=${time}`],
  ])('%s', async ([_, query, ids, last, kept = query], { api, world }) => {
    const { body } = await api.send({ as: world.owner, path: `${books}?${query}&fields=id` });

    const next = `${books}?${kept}&fields=id&direction=1&${last}`;
    expect(body).toEqual({ next, prev: null, objects: ids.map((id) => ({ id })) });
  });
});

describe('include_count', () => {
  it.for([
    ['include_count=true&page_size=0', 7],
    ['include_count=t&query={"pages":{"_eq":5}}', 3],
    ['include_count=True&query={"pages":{"_eq":5},"sold":{"_eq":true}}&page_size=1', 2],
    ['include_count=on&order_by=title&direction=0&page_size=2', 7],
    ['include_count=true&query={"id":{"_in":[]}}', 0],
    ['include_count=false', undefined],
    ['include_count=maybe', undefined],
  ])('%s', async ([query, count], { api, world }) => {
    const { body } = await api.send({ as: world.owner, path: `${books}?${query}` });

    expect(body.objects_count).toBe(count);
    expect(Object.keys(body)).toEqual([
      'next',
      'prev',
      'objects',
      ...(count === undefined ? [] : ['objects_count']),
    ]);
  });

  it('counts the objects that the caller may read', async ({ api, world }) => {
    const key = await world.apiKey({ allow_anonymous_read: true });
    const path = `${books}?include_count=true&fields=id`;

    const { body } = await api.send({ as: key, path });

    expect(body).toEqual({ next: null, prev: null, objects: [{ id: 7 }], objects_count: 1 });
  });
});

describe('a query through a reference', () => {
  it('also matches objects that the caller may not read, and reveals only whether one matches', async ({
    api,
    world,
  }) => {
    const key = await world.apiKey({ allow_anonymous_read: true });
    const path = `${books}?fields=id&query={"author":{"_is":{"secret":{"_eq":"x"}}}}`;
    await world.own('PATCH', 'classes/book/objects/3/', { other_permissions: 'read' });
    api.settle();

    const { body } = await api.send({ as: key, path });

    expect(body.objects).toEqual([{ id: 3 }]);
  });
});

describe('a query through a reference to users', () => {
  it.for([
    [{}, [0, 1, 2]],
    [{ username: { _eq: 'ANN' } }, [0]],
    [{ username: { _in: ['bob', 'Ann', 'ann', 'nobody'] } }, [0, 2]],
    [{ username: { _in: [] } }, []],
    [{ username: { _neq: 'ann' } }, [1, 2]],
    [{ username: { _startswith: 'An' } }, [0, 1]],
    [{ username: { _endswith: 'B' } }, [2]],
    [{ username: { _icontains: '@EXAMPLE' } }, [1]],
    [{ username: { _like: 'b_b' } }, [2]],
    [{ username: { _gt: 'ann', _lt: 'b' } }, [1]],
    [{ username: { _exists: true } }, [0, 1, 2]],
    [{ username: { _startswith: 'an' }, nick: { _eq: 'x' } }, [0]],
    [{ nick: { _eq: 'x' } }, [0, 2]],
    [{ revision: { _eq: 1 }, created_at: { _gt: '2000-01-01' } }, [0, 1, 2]],
  ])('%j', async ([by, expectedPlaces], { notes }) => {
    expect(await notes.fitting({ by: { _is: by } })).toEqual(expectedPlaces);
  });

  it('matches users by their ids', async ({ notes }) => {
    expect(await notes.fitting({ by: { _is: { id: { _eq: notes.ids[1] } } } })).toEqual([1]);
    expect(await notes.fitting({ by: { _is: { id: { _gte: notes.ids[1] } } } })).toEqual([1, 2]);
  });

  it('follows a relation', async ({ notes }) => {
    expect(await notes.fitting({ readers: { _is: { username: { _eq: 'bob' } } } })).toEqual([1]);
    expect(await notes.fitting({ readers: { _is: { nick: { _eq: 'y' } } } })).toEqual([]);
  });

  const notIndexed = (name: string) => ({
    query: `Field "${name}" cannot be used in a query as it is not indexed.`,
  });
  it.for([
    [{ owner: { _eq: 1 } }, notIndexed('owner')],
    [{ group: { _eq: 1 } }, notIndexed('group')],
    [{ age: { _eq: 1 } }, notIndexed('age')],
    [{ password: { _eq: 'p' } }, { query: 'Invalid field name defined: "password".' }],
    [
      { username: { _near: {} } },
      { query: 'Invalid lookup "_near" defined for field "username".' },
    ],
  ])('rejects %j', async ([by, response], { notes }) => {
    expect(await notes.fitting({ by: { _is: by } }, 400)).toEqual([400, response]);
  });
});

// there a changed index is built a minute later
describe.skipIf(isOn('roles'))('an index that came later', () => {
  it('leaves nothing out', async ({ api, world }) => {
    const plain = { name: 'n', type: 'integer' };
    const path = await world.dataClass('late', [plain]);
    const objects = 'classes/late/objects/';
    const ids: number[] = [];
    const make = async (n: number) =>
      ids.push(expected(await world.own('POST', objects, { n }), 201).id);
    for (const n of [2, 1]) await make(n);
    await world.own('PATCH', 'classes/late/', { schema: [{ ...plain, ...indexed }] });
    for (const n of [2, 0]) await make(n);
    await world.ready('late');
    api.settle();

    const equal = await walk(world, `${path}objects/?query={"n":{"_eq":2}}`, 'next');
    const sorted = await walk(world, `${path}objects/?order_by=n`, 'next');

    const [a, b, c, d] = ids;
    expect([equal, sorted].map(([page]) => page?.objects)).toEqual([
      [a, c],
      [d, b, a, c],
    ]);
  });
});

/** Two authors, 1 and 2, and seven books, 3 to 9. */
async function setUp(world: World) {
  await plantUser(world, 7);
  await world.dataClass('author', [
    { name: 'name', type: 'string', ...indexed },
    { name: 'secret', type: 'string', ...indexed },
  ]);
  await world.dataClass('book', [
    { name: 'title', type: 'string', ...indexed },
    { name: 'pages', type: 'integer', ...indexed },
    { name: 'sold', type: 'boolean', ...indexed },
    { name: 'out', type: 'datetime', ...indexed },
    { name: 'note', type: 'string' },
    { name: 'author', type: 'reference', target: 'Author', filter_index: true },
    { name: 'authors', type: 'relation', target: 'author', filter_index: true },
    { name: 'sequel', type: 'reference', target: 'self', filter_index: true },
    { name: 'user', type: 'reference', target: 'user', filter_index: true },
  ]);
  const make = (name: string, body: object) => world.create(`classes/${name}/objects/`, body);
  await make('author', { name: 'Ada', secret: 'x' });
  await make('author', { name: 'Bob' });
  const out = (day: number) => `2024-03-0${day}T00:00:00.000001Z`;
  await make('book', { title: 'c', pages: 5, sold: true, out: out(1), author: 1, authors: [1, 2] });
  await make('book', { title: 'a', pages: 9, sold: false, out: out(2), author: 2, sequel: 3 });
  await make('book', { title: 'b', pages: 5, sold: true, out: out(3), author: 1, authors: [2] });
  await make('book', { pages: 7, owner: 7 });
  await make('book', { title: 'A', other_permissions: 'read' });
  await make('book', { title: 'a', pages: 5, sold: false, out: out(2), user: 7 });
  await make('book', { title: 'é 100%', pages: -1, sold: true });
  world.api.settle();
}

function parameters(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      (name === 'query' && Array.isArray(value) ? value : [value]).map(
        (one) =>
          `${name}=${encodeURIComponent(typeof one === 'string' ? one : JSON.stringify(one))}`,
      ),
    )
    .join('&');
}

async function listed(world: World, values: Readonly<Record<string, unknown>>): Promise<unknown> {
  const path = `${books}?fields=id&${parameters(values)}`;
  const { objects } = expected(await world.api.send({ as: world.owner, path }), 200);
  return objects.map(({ id }: { readonly id: number }) => id);
}

/** All pages from this one on, each with its ids. */
async function walk(world: World, path: string, link: 'next' | 'prev') {
  const pages: { readonly objects: number[]; readonly prev: string | null }[] = [];
  for (let at: string | null = path; at !== null; ) {
    const { body } = await world.api.send({ as: world.owner, path: at });
    const ids: number[] = body.objects.map(({ id }: { readonly id: number }) => id);
    pages.push({ objects: ids, prev: body.prev });
    at = body[link];
  }
  return pages;
}

/** Notes of and for three users, each with a profile. */
async function makeNotes(world: World) {
  const schema = [
    { name: 'nick', type: 'string', filter_index: true },
    { name: 'age', type: 'integer' },
  ];
  expected(await world.own('PATCH', 'classes/user_profile/', { schema }), 200);
  const path = await world.dataClass('note', [
    { name: 'by', type: 'reference', target: 'user', filter_index: true },
    { name: 'readers', type: 'relation', target: 'user', filter_index: true },
  ]);
  const users = [
    { username: 'Ann', nick: 'x' },
    { username: 'anna@Example.com', nick: 'y' },
    { username: 'Bob', nick: 'x', other_permissions: 'read' },
  ];
  const ids: number[] = [];
  for (const { username, ...profile } of users) {
    ids.push((await world.create('users/', { username, password: 'p', profile })).id);
  }
  const [ann, anna, bob] = ids;
  for (const note of [{ by: ann }, { by: anna, readers: [ann, bob] }, { by: bob }, {}]) {
    await world.create('classes/note/objects/', note);
  }
  world.api.settle();

  /** Positions, among all notes, of those that match. */
  async function fitting(query: unknown, status = 200) {
    const all = await world.read('classes/note/objects/');
    const sent = `${path}objects/?${parameters({ query })}`;
    const { status: got, body } = await world.api.send({ as: world.owner, path: sent });
    if (status !== 200) return [got, body];
    const order = all.objects.map(({ id }: { readonly id: number }) => id);
    return body.objects.map(({ id }: { readonly id: number }) => order.indexOf(id));
  }
  return { ids, fitting };
}
