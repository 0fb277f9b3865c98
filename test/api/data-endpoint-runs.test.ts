import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type Credentials, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing, noMethod } from '../support/responses.ts';

/** Runs of data endpoints: `get/` and `post/`. Their records are in data-endpoints.test.ts. */

/** Two users, 1 and 2; two authors, 3 and 4 (hidden from others), and five books, 5 to 9. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const keys: Record<string, Credentials> = {};
const indexed = { filter_index: true, order_index: true };

describe('the objects of an endpoint', () => {
  it('are those of its class', async ({ world, given: { run } }) => {
    const { status, body } = await run({});

    const list = await world.own('GET', 'classes/book/objects/');
    expect([status, body]).toEqual([200, list.body]);
    expect(body.objects[0].links).toEqual({ self: `${world.base}classes/book/objects/5/` });
  });

  const rows: readonly [what: string, stored: object, query: string, wanted: number[]][] = [
    ['its query', { query: { pages: { _gt: 3 } } }, '', [8, 9]],
    [
      'its query and that of a call',
      { query: { pages: { _gt: 2 } } },
      'query={"pages":{"_lt":4}}',
      [7],
    ],
    ['its order', { order_by: '-pages' }, '', [9, 8, 7, 6, 5]],
    ['the order of a call', { order_by: '-pages' }, 'order_by=title', [6, 7, 5, 8, 9]],
    ['its order for an empty one', { order_by: '-pages' }, 'order_by=', [9, 8, 7, 6, 5]],
    ['its page size', { page_size: 2 }, '', [5, 6]],
    ['the page size of a call', { page_size: 2 }, 'page_size=3', [5, 6, 7]],
    ['its page size for an empty one', { page_size: 2 }, 'page_size=', [5, 6]],
    ['no page size where it has 0', { page_size: 0 }, '', [5, 6, 7, 8, 9]],
    ['the page size 0 of a call', { page_size: 2 }, 'page_size=0', []],
    ['the last copy of a parameter', { page_size: 2 }, 'page_size=1&page_size=3', [5, 6, 7]],
    ['a cache key that says nothing', { page_size: 2 }, 'cache_key=x', [5, 6]],
    ['`_is`', { query: { author: { _is: { name: { _eq: 'Ada' } } } } }, '', [5, 8]],
  ];
  it.for(rows)('follow %s', async ([_, stored, query, wanted], { given: { run } }) => {
    const { status, body } = await run({ stored, query });

    expect([status, ids(body)]).toEqual([200, wanted]);
  });

  const projections: readonly [what: string, stored: object, query: string, wanted: string[]][] = [
    ['excluded fields', { excluded_fields: 'id,links' }, 'fields=id,title,links', ['title']],
    ['those of a call', { excluded_fields: 'id' }, 'fields=id,title&excluded_fields=title', ['id']],
    ['fields of a call', {}, 'fields=links,id', ['id', 'links']],
  ];
  it.for(projections)('omit %s', async ([_, stored, query, wanted], { given: { run } }) => {
    const { body } = await run({ stored, query });

    for (const object of body.objects) expect(Object.keys(object)).toEqual(wanted);
  });

  it('are counted after filtering', async ({ given: { run } }) => {
    const stored = { query: { pages: { _gt: 2 } }, page_size: 1 };

    const { body } = await run({ stored, query: 'include_count=true&fields=id' });

    expect(body).toMatchObject({ objects: [{ id: 7 }], objects_count: 3 });
  });

  it('are paged with links that keep the parameters of the request, also after the endpoint changes', async ({
    api,
    world,
    given: { endpoint },
  }) => {
    const filter = { query: { pages: { _lt: 5 } } };
    const stored = { order_by: '-title', page_size: 2, ...filter, expand: 'sequel' };
    const path = await endpoint(stored);
    const query = encodeURIComponent('{"pages":{"_gt":0}}');

    const call = `${path}get/?query=${query}&fields=id,sequel`;
    const first = await world.call(keys.reading, 'GET', call);
    const link = new URL(first.body.next, api.url);
    expected(await world.own('PATCH', path, { order_by: 'id', page_size: 9 }), 200);
    const second = await api.send({ as: keys.reading, path: first.body.next });
    const back = await api.send({ as: keys.reading, path: second.body.prev });

    expect(link.pathname).toBe(`${world.base}${path}get/`);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      order_by: '-title',
      page_size: '2',
      query: '{"pages":{"_gt":0}}',
      fields: 'id,sequel',
      expand: 'sequel',
      direction: '1',
      last_pk: '7',
      last_value: 'b',
    });
    expect([first, second, back].map(({ body }) => ids(body))).toEqual([[5, 7], [6], [5, 7]]);
    expect(second.body.objects[0].sequel).toMatchObject({ id: 5, title: 'c' });
  });

  /** All errors are those of any list of objects. */
  const errors: readonly [stored: object, query: string, body: object][] = [
    [{ query: { f: {} } }, '', { query: 'Invalid field name defined: "f".' }],
    [{}, 'query=[]', { query: ['Query passed in invalid format.'] }],
    [{ order_by: 'f' }, '', { detail: 'Incorrect order_by parameter provided.' }],
    [{}, 'page_size=x', { detail: 'Incorrect page parameter provided.' }],
  ];
  it.for(errors)('%j with "%s" are rejected', async ([stored, query, body], { given: { run } }) => {
    const response = await run({ stored, query });

    expect([response.status, response.body]).toEqual([400, body]);
  });

  it('are read with the current schema of the class', async ({ world, given: { endpoint } }) => {
    await world.dataClass('moving', [{ name: 'a', type: 'string', ...indexed }]);
    const path = await endpoint({ class: 'moving', query: { a: { _eq: 'x' } }, expand: 'a' });
    const before = await world.own('GET', `${path}get/`);
    const schema = [{ name: 'b', type: 'string' }];
    expected(await world.own('PATCH', 'classes/moving/', { schema }), 200);

    const after = await world.own('GET', `${path}get/`);
    expected(await world.own('PATCH', path, { class: 'book', query: {} }), 200);
    const bound = await world.own('GET', `${path}get/`);

    expect([before.status, after.status]).toEqual([200, 400]);
    expect(after.body).toEqual({ query: 'Invalid field name defined: "a".' });
    expect(ids(bound.body)).toEqual([5, 6, 7, 8, 9]);
  });
});

describe('expand', () => {
  it('replaces a reference with the whole target, with or without field projection', async ({
    world,
    given: { run },
  }) => {
    const { body } = await run({ stored: { expand: 'author' }, query: 'fields=id,author' });

    const [ada, bob] = [await objectOf(world, 'author', 3), await objectOf(world, 'author', 4)];
    expect(body.objects).toEqual([
      { id: 5, author: ada },
      { id: 6, author: bob },
      { id: 7, author: null },
      { id: 8, author: ada },
      { id: 9, author: null },
    ]);
    expect(ada.links).toEqual({ self: `${world.base}classes/author/objects/3/` });
  });

  it('replaces a relation with whole targets, in the order of their ids', async ({
    world,
    given: { run },
  }) => {
    const { body } = await run({
      stored: { expand: 'authors' },
      query: 'fields=authors&page_size=2',
    });

    const authors = [await objectOf(world, 'author', 3), await objectOf(world, 'author', 4)];
    expect(body.objects).toEqual([{ authors }, { authors: null }]);
  });

  it('is one level deep, also into the same class', async ({ world, given: { run } }) => {
    const { body } = await run({ stored: { expand: 'sequel' }, query: 'fields=sequel' });

    expect(body.objects[1].sequel).toEqual(await objectOf(world, 'book', 5));
  });

  it('accepts several fields, and ignores those that are no references', async ({
    world,
    given: { run },
  }) => {
    const expand = 'nothing,sequel,title,author,author,author.name,,id';

    const { status, body } = await run({ query: `expand=${expand}&fields=sequel,author,title` });

    expect([status, body.objects[1]]).toEqual([
      200,
      {
        title: 'a',
        sequel: await objectOf(world, 'book', 5),
        author: await objectOf(world, 'author', 4),
      },
    ]);
  });

  it('of a request replaces that of the endpoint', async ({ given: { run } }) => {
    const { body } = await run({ stored: { expand: 'author' }, query: 'expand=sequel' });

    expect(body.objects[1]).toMatchObject({
      author: { type: 'reference', target: 'Author', value: 4 },
      sequel: { id: 5 },
    });
  });

  it('keeps a reference to an object that the caller may not read, and drops it from a relation', async ({
    world,
    given: { run },
  }) => {
    const { status, body } = await run({ as: 'reading', query: 'expand=author,authors' });

    const hidden = { type: 'reference', target: 'Author', value: 4 };
    expect(status).toBe(200);
    expect(ids(body)).toEqual([5, 6, 7, 9]);
    expect(body.objects[1].author).toEqual(hidden);
    expect(body.objects[0].author).toEqual(await objectOf(world, 'author', 3));
    expect(ids({ objects: body.objects[0].authors })).toEqual([3]);
  });

  it('keeps references to deleted objects', async ({ world, given: { run } }) => {
    await world.dataClass('part', [
      { name: 'of', type: 'reference', target: 'self' },
      { name: 'all', type: 'relation', target: 'self' },
    ]);
    const objects = 'classes/part/objects/';
    const post = (body: object) => world.create(objects, body);
    const { id } = await post({});
    const { id: other } = await post({});
    await post({ of: id, all: [id, other] });
    expected(await world.own('DELETE', `${objects}${id}/`), 204);

    const { body } = await run({ stored: { class: 'part', expand: 'of,all' } });
    const lost = await run({ query: 'expand=lost&fields=lost' });

    expect(body.objects[1].of).toEqual({ type: 'reference', target: 'self', value: id });
    expect(ids({ objects: body.objects[1].all })).toEqual([other]);
    expect(lost.status).toBe(200);
    expect(lost.body.objects[4].lost).toMatchObject({ type: 'reference', target: 'gone' });
  });

  it('is rejected as a whole if the caller may not list the target class', async ({
    given: { run },
  }) => {
    const refused = await run({ as: 'reading', query: 'expand=secret' });
    const nothing = await run({ as: 'reading', query: 'expand=secret&page_size=2' });
    const unseen = await run({ as: 'reading', query: 'expand=secret&excluded_fields=secret' });
    const free = await run({ as: 'ignoring', query: 'expand=secret' });

    expect([refused.status, refused.body]).toEqual([403, forbidden]);
    expect([nothing.status, unseen.status]).toEqual([200, 200]);
    expect(free.body.objects[4].secret).toHaveProperty('links');
  });

  const users: readonly [who: string, reader: unknown, readers: readonly number[]][] = [
    ['owner', { id: 1, username: 'ann', user_key: expect.any(String) }, [1, 2]],
    ['read', { id: 1, username: 'ann' }, [1, 2]],
    ['ignoring', { id: 1, username: 'ann', user_key: expect.any(String) }, [1, 2]],
    ['ann and ignoring', { id: 1, username: 'ann', user_key: expect.any(String) }, [1]],
    ['ann', { id: 1, username: 'ann' }, [1]],
  ];
  it.for(users)('returns users to %s', async ([as, reader, readers], { world, given: { run } }) => {
    const { body } = await run({ as, query: 'expand=reader,readers' });

    const [, , book] = body.objects;
    const ann = await world.read('users/1/');
    const { user_key, ...shown } = ann;
    const hasKey = Object.hasOwn(reader as object, 'user_key');
    expect(book.reader).toEqual(hasKey ? ann : shown);
    expect(book.reader.profile.links).toHaveProperty('self');
    expect(ids({ objects: book.readers })).toEqual(readers);
    if (!hasKey) expect(JSON.stringify(body)).not.toContain(user_key);
  });

  it('returns no users to a key without user', async ({ given: { run } }) => {
    const { status, body } = await run({ as: 'reading', query: 'expand=reader' });

    expect([status, body]).toEqual([403, forbidden]);
  });

  it('embeds a thousand objects per field and keeps further references as they are', async ({
    world,
    given: { run },
  }) => {
    await world.dataClass('leaf', []);
    await world.dataClass('tree', [{ name: 'leaves', type: 'relation', target: 'leaf' }]);
    const made: number[] = [];
    for (let part = 0; part < 10; part += 1) {
      const posts = Array.from({ length: 40 }, () =>
        world.own('POST', 'classes/leaf/objects/', {}),
      );
      for (const response of await Promise.all(posts)) made.push(expected(response, 201).id);
    }
    for (let tree = 0; tree < 4; tree += 1) {
      const body = { leaves: tree < 3 ? made : made.slice(0, 1) };
      await world.create('classes/tree/objects/', body);
    }

    const { body } = await run({ stored: { class: 'tree', expand: 'leaves' } });

    const kept = (value: readonly number[]) => ({ type: 'relation', target: 'leaf', value });
    const leaves = body.objects.map((tree: { readonly leaves: unknown }) => tree.leaves);
    expect([leaves[0].length, leaves[1].length]).toEqual([400, 400]);
    expect(leaves.slice(2)).toEqual([kept(made.toSorted((a, b) => a - b)), kept(made.slice(0, 1))]);
  });

  it('embeds 4,194,304 characters in a page, and keeps further references as they are', async ({
    world,
    given: { run },
  }) => {
    await world.dataClass('poster', [{ name: 'text', type: 'text' }]);
    const names = ['front', 'back', 'side'];
    const schema = names.map((name) => ({ name, type: 'relation', target: 'poster' }));
    await world.dataClass('pillar', schema);
    const made: number[] = [];
    for (let count = 0; count < 70; count += 1) {
      made.push((await world.create('classes/poster/objects/', { text: 'x'.repeat(30_000) })).id);
    }
    const last = made.slice(0, 1);
    await world.create('classes/pillar/objects/', { front: made, back: made, side: last });

    const { status, body } = await run({ stored: { class: 'pillar', expand: names.join() } });

    const [{ front, back, side }] = body.objects;
    const kept = (value: readonly number[]) => ({ type: 'relation', target: 'poster', value });
    expect([status, front.length, back, side]).toEqual([200, 70, kept(made), kept(last)]);
  });
});

describe('access to lists and new objects of an endpoint', () => {
  /** Status of the list, the ids in it, and the status of a new object. */
  const rows: readonly [who: string, list: number, seen: readonly number[], made: number][] = [
    ['owner', 200, [5, 6, 7, 8, 9], 201],
    ['read', 200, [5, 6, 7, 8, 9], 403],
    ['ignoring', 200, [5, 6, 7, 8, 9], 201],
    ['ann', 200, [5, 6, 7, 9], 201],
    ['reading', 200, [5, 6, 7, 9], 201],
    ['bare', 403, [], 201],
    ['nobody', 403, [], 403],
  ];
  it.for(rows)('%s', async ([who, list, seen, made], { world, given: { endpoint } }) => {
    const path = await endpoint({ query: { pages: { _gt: 0 } } });

    const listed = await world.call(keys[who], 'GET', `${path}get/`);
    const posted = await world.call(keys[who], 'POST', `${path}post/`, { title: 'new' });

    expect([listed.status, ids({ objects: listed.body.objects ?? [] })]).toEqual([list, seen]);
    expect(posted.status).toBe(made);
  });

  it('a class without permissions for others is closed to them', async ({
    world,
    given: { endpoint },
  }) => {
    const path = await endpoint({ class: 'closed' });

    for (const who of ['bare', 'reading', 'ann']) {
      const listed = await world.call(keys[who], 'GET', `${path}get/`);
      const posted = await world.call(keys[who], 'POST', `${path}post/`, {});
      expect([listed.status, listed.body, posted.status]).toEqual([403, forbidden, 403]);
    }
  });

  it('profiles are returned with their users only', async ({ world, given: { endpoint } }) => {
    const path = await endpoint({ class: 'user_profile' });

    const listed = await world.own('GET', `${path}get/`);
    const posted = await world.own('POST', `${path}post/`, {});

    expect([listed.body.objects.length, posted.status]).toEqual([2, 403]);
  });

  /** Another method is a 403 where the caller may not write, and a 405 where it may. */
  const others: readonly [who: string, path: string, method: string, status: number][] = [
    ['owner', 'get/', 'POST', 405],
    ['owner', 'get/', 'PUT', 405],
    ['owner', 'post/', 'GET', 405],
    ['ignoring', 'get/', 'DELETE', 405],
    ['bare', 'post/', 'GET', 405],
    ['read', 'get/', 'POST', 403],
    ['read', 'post/', 'GET', 403],
    ['reading', 'get/', 'POST', 403],
    ['nobody', 'post/', 'GET', 403],
  ];
  it.for(others)(
    '%s: %s by %s',
    async ([who, below, method, refused], { world, given: { endpoint } }) => {
      const path = `${await endpoint()}${below}`;

      const { status, body } = await world.call(keys[who], method, path);

      expect([status, body]).toEqual([refused, refused === 405 ? noMethod(method) : forbidden]);
    },
  );

  it.for(['get/', 'post/'] as const)(
    '%s of a missing endpoint is a 404',
    async (path, { world }) => {
      const method = path === 'get/' ? 'GET' : 'POST';

      for (const name of ['nothing', 'toString', 'a'.repeat(65), '%00']) {
        const response = await world.own(method, `endpoints/data/${name}/${path}`);
        expect([response.status, response.body]).toEqual([404, missing]);
      }
    },
  );
});

describe('a new object', () => {
  it('belongs to the class and is owned by its creator', async ({ world, given: { endpoint } }) => {
    const path = await endpoint();

    const { status, body } = await world.call(keys.ann, 'POST', `${path}post/`, {
      title: 'e',
      pages: '0',
      author: 3,
      owner: 2,
      other_permissions: 'none',
    });

    expect(status).toBe(201);
    expect(body).toEqual(await objectOf(world, 'book', body.id));
    expect(body).toMatchObject({ title: 'e', pages: 0, owner: 1, other_permissions: 'none' });
    expect(body.links.self).toBe(`${world.base}classes/book/objects/${body.id}/`);
  });

  it('is validated like any other', async ({ world, given: { endpoint } }) => {
    const path = await endpoint();

    const sent = { pages: 'x', author: 99 };
    const { status, body } = await world.own('POST', `${path}post/`, sent);

    const pages = ['A valid integer is required.'];
    const author = ['Target with specified id does not exist.'];
    expect([status, body]).toEqual([400, { pages, author }]);
  });

  it('is described with the fields of the class', async ({ world, given: { endpoint } }) => {
    const path = await endpoint();

    const post = await world.own('OPTIONS', `${path}post/`);
    const list = await world.own('OPTIONS', 'classes/book/objects/');
    const get = await world.own('OPTIONS', `${path}get/`);

    expect(post.body.actions).toEqual(list.body.actions);
    expect(get.body).not.toHaveProperty('actions');
  });

  it('belongs to the new class once an earlier item of the same batch has changed it', async ({
    world,
    given: { endpoint },
  }) => {
    const path = await endpoint();
    const item = (method: string, below: string, body: object) => ({
      method,
      path: `${world.base}${path}${below}`,
      body,
    });

    const { status, body } = await world.own('POST', 'batch/', {
      requests: [
        item('POST', 'post/', { title: 'f' }),
        item('PATCH', '', { class: 'author' }),
        item('POST', 'post/', { name: 'Cy' }),
      ],
    });

    expect(status).toBe(200);
    expect(body).toMatchObject([
      { code: 201, content: { title: 'f' } },
      { code: 200, content: { class: 'author' } },
      { code: 201, content: { name: 'Cy' } },
    ]);
  });
});

async function setUp(world: World) {
  const { api } = world;
  let count = 0;
  /** Creates an endpoint on books and returns its path below the instance. */
  async function endpoint(more: object = {}): Promise<string> {
    count += 1;
    const sent = { name: `e${count}`, class: 'book', ...more };
    await world.create('endpoints/data/', sent);
    return `endpoints/data/e${count}/`;
  }
  async function run({ as = 'owner', stored, query = '' }: Run) {
    const path = await endpoint(stored);
    return world.call(keys[as], 'GET', `${path}get/${query && `?${query}`}`);
  }
  const create = (path: string, body: object) => world.create(path, body);
  const ann = await create('users/', { username: 'ann', password: 'x' });
  await create('users/', { username: 'ben', password: 'x' });
  await world.dataClass('author', [{ name: 'name', type: 'string', ...indexed }]);
  await world.dataClass('closed', [], { other_permissions: 'none' });
  await world.dataClass('gone', []);
  await world.dataClass('book', [
    { name: 'title', type: 'string', ...indexed },
    { name: 'pages', type: 'integer', ...indexed },
    { name: 'author', type: 'reference', target: 'Author', filter_index: true },
    { name: 'authors', type: 'relation', target: 'author' },
    { name: 'sequel', type: 'reference', target: 'self' },
    { name: 'reader', type: 'reference', target: 'user' },
    { name: 'readers', type: 'relation', target: 'user' },
    { name: 'secret', type: 'reference', target: 'closed' },
    { name: 'lost', type: 'reference', target: 'gone' },
  ]);
  const make = async (name: string, body: object): Promise<number> =>
    (await create(`classes/${name}/objects/`, { other_permissions: 'read', ...body })).id;

  expect(await make('author', { name: 'Ada' })).toBe(3);
  await make('author', { name: 'Bob', other_permissions: 'none' });
  await make('book', { title: 'c', pages: 1, author: 3, authors: [4, 3] });
  await make('book', { title: 'a', pages: 2, author: 4, sequel: 5 });
  await make('book', { title: 'b', pages: 3, reader: 1, readers: [1, 2] });
  await make('book', { title: 'd', pages: 4, author: 3, other_permissions: 'none' });
  await make('book', { pages: 5 });
  const rest = { secret: await make('closed', {}), lost: await make('gone', {}) };
  expected(await world.own('PATCH', 'classes/book/objects/9/', rest), 200);
  expected(await world.own('DELETE', 'classes/gone/'), 204);
  api.settle();
  const bare = await world.apiKey();
  const ignoring = await world.apiKey({ ignore_acl: true });
  Object.assign(keys, {
    owner: world.owner,
    bare,
    ignoring,
    nobody: undefined,
    read: await joinAs(world, 'read'),
    reading: await world.apiKey({ allow_anonymous_read: true }),
    ann: { key: bare, user: ann.user_key },
    'ann and ignoring': { key: ignoring, user: ann.user_key },
  });
  return { run, endpoint };
}

interface Run {
  readonly as?: string;
  readonly stored?: object;
  readonly query?: string;
}

interface Listed {
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

const ids = ({ objects }: Listed) => objects.map(({ id }) => id);

const objectOf = (world: World, name: string, id: number) =>
  world.read(`classes/${name}/objects/${id}/`);
