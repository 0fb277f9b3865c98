import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { missing } from '../support/responses.ts';

/** The records of data endpoints; their runs are in data-endpoint-runs.test.ts. */

const it = newWorldTest('blog').extend('given', { auto: true }, ({ world }) => setUp(world));

const plain = {
  description: '',
  class: 'book',
  query: {},
  excluded_fields: null,
  order_by: null,
  page_size: null,
  expand: null,
};
const start = 'Value has to start with a letter.';
const end = 'Value has to end with a letter or a number.';
const characters = 'Enter a valid value consisting of letters, numbers, underscores, hyphens.';

describe('a data endpoint', () => {
  it('is created with a name and a class', async ({ world }) => {
    const { status, body } = await call(world, 'POST', '', { name: ' Long-Books ', class: 'Book' });

    expect(status).toBe(201);
    expect(body).toEqual({ name: 'long-books', ...plain, links: linksOf(world, 'long-books') });
    expect((await call(world, 'GET', 'LONG-books/')).body).toEqual(body);
    expect((await call(world, 'GET', '')).body).toEqual({
      next: null,
      prev: null,
      objects: [body],
    });
  });

  it('is created with all of its fields', async ({ world }) => {
    const sent = {
      name: 'a_1',
      description: 'd',
      class: 'user_profile',
      query: { a: { _gt: 1 } },
      excluded_fields: 'id,created_at',
      order_by: '-a',
      page_size: 4,
      expand: 'a,b',
    };

    const { body } = await call(world, 'POST', '', sent);

    expect(body).toEqual({ ...sent, links: linksOf(world, 'a_1') });
  });

  it('accepts forms, where JSON is text', async ({ world }) => {
    const form = new FormData();
    const text = '{"a": {"_gt": 1}}';
    const sent = { name: 'a', class: 'book', query: text, page_size: '7', expand: 'a' };
    for (const [name, value] of Object.entries(sent)) form.set(name, value);

    const made = await call(world, 'POST', '', form);
    form.set('page_size', '');
    const changed = await call(world, 'PATCH', 'a/', form);

    expect(made.body).toMatchObject({ query: { a: { _gt: 1 } }, page_size: 7, expand: 'a' });
    expect(changed.body).toMatchObject({ query: { a: { _gt: 1 } }, page_size: null });
  });

  it('is changed in part by PATCH; PUT empties the query and keeps the rest', async ({ world }) => {
    await make(world, 'a', { query: { a: { _gt: 1 } }, order_by: 'a', page_size: 3 });
    await world.dataClass('film', []);

    const patched = await call(world, 'PATCH', 'a/', { page_size: null, class: 'FILM', name: 'b' });
    const replaced = await call(world, 'PUT', 'a/', { name: 'c', class: 'book', expand: 'x' });
    const refused = await call(world, 'PUT', 'a/', {});

    const links = linksOf(world, 'a');
    const before = { name: 'a', ...plain, query: { a: { _gt: 1 } }, order_by: 'a', links };
    expect(patched.body).toEqual({ ...before, class: 'film' });
    expect(replaced.body).toEqual({ ...before, query: {}, expand: 'x' });
    expect([refused.status, refused.body]).toEqual([400, { class: ['This field is required.'] }]);
    expect((await call(world, 'GET', 'a/')).body).toEqual(replaced.body);
  });

  it('is deleted, and its name is free', async ({ world }) => {
    await make(world, 'a', { description: 'old' });

    const removed = await call(world, 'DELETE', 'a/');

    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const path of ['a/', 'a/get/']) {
      expect([path, (await call(world, 'GET', path)).body]).toEqual([path, missing]);
    }
    expect((await call(world, 'GET', '')).body.objects).toEqual([]);
    expect((await make(world, 'a')).description).toBe('');
  });

  it('has another path in version 1', async ({ api, world }) => {
    await make(world, 'a');
    const path = `/v1/instances/${world.instance}/api/objects/`;

    const { body } = await api.send({ as: world.owner, path });
    const run = await api.send({ as: world.owner, path: `${path}a/get/` });

    expect(body.objects).toEqual([{ name: 'a', ...plain, links: linksOf(world, 'a', path) }]);
    expect(run.body).toEqual({ next: null, prev: null, objects: [] });
  });

  it('has an empty response when its cache is cleared, as it has no cache', async ({ world }) => {
    await make(world, 'a');

    const cleared = await call(world, 'POST', 'a/clear_cache/');
    const unknown = await call(world, 'POST', 'b/clear_cache/');

    expect([cleared.status, unknown.status]).toEqual([204, 404]);
  });
});

describe('rejected values', () => {
  const form = 'Query passed in invalid format.';
  const list = 'Enter a comma separated list.';
  const rows: readonly [field: string, value: unknown, messages: readonly string[]][] = [
    ['name', undefined, ['This field is required.']],
    ['name', '', ['This field may not be blank.']],
    ['name', null, ['This field may not be null.']],
    ['name', '-', [start, end]],
    ['name', 'a b', [characters]],
    ['name', 'a'.repeat(65), ['Ensure this value has at most 64 characters (it has 65).']],
    ['description', 'a'.repeat(257), ['Ensure this field has no more than 256 characters.']],
    ['class', undefined, ['This field is required.']],
    ['class', '', ['This field may not be null.']],
    ['class', 'Film', ['Object with name=Film does not exist.']],
    ['class', 'toString', ['Object with name=toString does not exist.']],
    ['class', 7, ['Object with name=7 does not exist.']],
    ['class', ['book'], ['Object with name=list does not exist.']],
    ['query', null, ['This field may not be null.']],
    ['query', '{', ['Not a valid JSON string.']],
    ['query', [], [form]],
    ['query', { a: { _is: { b: { _is: {} } } } }, ['Double nested queries are not allowed.']],
    ['excluded_fields', 'a, b', [list]],
    ['excluded_fields', 'a,', [list]],
    ['excluded_fields', '1a', [list]],
    ['expand', 'a.b', [list]],
    ['expand', `${'a,'.repeat(128)}a`, ['Ensure this field has no more than 256 characters.']],
    ['expand', true, ['Not a valid string.']],
    ['order_by', 'a'.repeat(51), ['Ensure this field has no more than 50 characters.']],
    ['page_size', 101, ['Ensure this value is less than or equal to 100.']],
    ['page_size', -1, ['Ensure this value is greater than or equal to 0.']],
  ];

  it.for(rows)('%s of %j', async ([field, value, messages], { world }) => {
    const { status, body } = await call(world, 'POST', '', {
      name: 'a',
      class: 'book',
      [field]: value,
    });

    expect([status, body]).toEqual([400, { [field]: messages }]);
    expect((await call(world, 'GET', '')).body.objects).toEqual([]);
  });

  it('a list of millions of names', async ({ world }) => {
    const expand = `${'a,'.repeat(2_900_000)}a`;

    const { status, body } = await call(world, 'POST', '', { name: 'a', class: 'book', expand });

    const messages = ['Ensure this field has no more than 256 characters.'];
    expect([status, body]).toEqual([400, { expand: messages }]);
  });

  it('all errors are reported together, except for a taken name', async ({ world }) => {
    await make(world, 'a');

    const wrong = await call(world, 'POST', '', { name: 'a', class: 'film', page_size: 101 });
    const taken = await call(world, 'POST', '', { name: 'A', class: 'book' });

    expect(Object.keys(wrong.body).sort()).toEqual(['class', 'page_size']);
    expect([taken.status, taken.body]).toEqual([400, { name: ['This field must be unique.'] }]);
  });

  it('fields and lookups of a query are checked only when it runs', async ({ world }) => {
    await make(world, 'a', {
      query: { nothing: { _foo: 1 } },
      order_by: 'nothing',
      expand: 'nothing',
    });

    const { status, body } = await call(world, 'GET', 'a/get/');

    expect([status, body]).toEqual([400, { detail: 'Incorrect order_by parameter provided.' }]);
  });
});

describe('a rename', () => {
  it('keeps everything except name and links', async ({ world }) => {
    const made = await make(world, 'a', { description: 'd', page_size: 3 });

    const { status, body } = await call(world, 'POST', 'a/rename/', { new_name: ' B ' });

    expect([status, body]).toEqual([200, { ...made, name: 'b', links: linksOf(world, 'b') }]);
    expect((await call(world, 'GET', 'b/')).body).toEqual(body);
    expect((await call(world, 'GET', 'a/')).status).toBe(404);
    expect((await call(world, 'GET', 'a/get/')).status).toBe(404);
    expect((await call(world, 'GET', 'b/get/')).status).toBe(200);
    expect((await call(world, 'GET', '')).body.objects).toEqual([body]);
  });

  it('keeps the list position, and frees the name', async ({ world }) => {
    for (const name of ['a', 'b', 'c']) await make(world, name);

    expected(await call(world, 'POST', 'a/rename/', { new_name: 'z' }), 200);
    await make(world, 'a');

    expect(names((await call(world, 'GET', '')).body)).toBe('zbca');
  });

  const rows: readonly [body: unknown, messages: readonly string[]][] = [
    [{}, ['This field may not be null.']],
    [{ new_name: '' }, ['This field may not be blank.']],
    [{ new_name: '-' }, [start, end]],
    [{ new_name: 'a b' }, [characters]],
    [{ new_name: 'B' }, ['This field must be unique.']],
  ];
  it.for(rows)('with %j is rejected', async ([body, messages], { world }) => {
    const made = [await make(world, 'a'), await make(world, 'b')];

    const refused = await call(world, 'POST', 'a/rename/', body);

    expect([refused.status, refused.body]).toEqual([400, { new_name: messages }]);
    expect((await call(world, 'GET', '')).body.objects).toEqual(made);
  });

  it('to its own name changes nothing', async ({ world }) => {
    const made = await make(world, 'a');

    const { status, body } = await call(world, 'POST', 'a/rename/', { new_name: 'A' });

    expect([status, body]).toEqual([200, made]);
  });

  it('of two endpoints to one name at the same time succeeds for one of them', async ({
    world,
  }) => {
    await make(world, 'a');
    await make(world, 'b');

    const responses = await Promise.all(
      ['a', 'b'].map((name) => call(world, 'POST', `${name}/rename/`, { new_name: 'c' })),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await call(world, 'GET', '')).body.objects).toHaveLength(2);
  });
});

describe('with its class', () => {
  it('it is deleted, also for a later class of the same name', async ({ world }) => {
    await make(world, 'a');
    await world.dataClass('film', []);
    const other = await make(world, 'b', { class: 'film' });
    expected(await call(world, 'GET', 'a/get/'), 200);

    expected(await world.own('DELETE', 'classes/book/'), 204);
    const before = await gone(world, 'a');
    await world.dataClass('book', []);
    const after = await gone(world, 'a');

    expect([before, after]).toEqual([Array(6).fill(404), Array(6).fill(404)]);
    expect((await call(world, 'GET', '')).body.objects).toEqual([other]);
  });

  it('its name becomes free, for a new one and for a rename', async ({ world }) => {
    for (const name of ['a', 'b']) await make(world, name);
    expected(await world.own('DELETE', 'classes/book/'), 204);
    await world.dataClass('book', []);

    const made = await make(world, 'a');
    await make(world, 'c');
    const renamed = expected(await call(world, 'POST', 'c/rename/', { new_name: 'b' }), 200);

    expect((await call(world, 'GET', '')).body.objects).toEqual([made, renamed]);
    expect((await call(world, 'GET', 'b/get/')).status).toBe(200);
  });
});

describe('the list', () => {
  it('is paged in the order of creation, filtered by name prefix, with field projection', async ({
    api,
    world,
  }) => {
    for (const name of ['e', 'd', 'c', 'db', 'a']) await make(world, name);
    await call(world, 'DELETE', 'c/');

    const first = await call(world, 'GET', '?page_size=2');
    const second = await api.send({ as: world.owner, path: first.body.next });
    const back = await api.send({ as: world.owner, path: second.body.prev });
    const backwards = await call(world, 'GET', '?ordering=desc');
    const filtered = await call(world, 'GET', '?name__startswith=d&page_size=1');
    const trimmed = await call(world, 'GET', 'e/?fields=name,class');

    const pages = [first, second, back, backwards].map(({ body }) => names(body));
    expect(pages).toEqual(['ed', 'dba', 'ed', 'adbde']);
    expect(filtered.body.objects[0].name).toBe('d');
    expect(names((await api.send({ as: world.owner, path: filtered.body.next })).body)).toBe('db');
    expect(trimmed.body).toEqual({ name: 'e', class: 'book' });
  });
});

it('describes itself', async ({ world }) => {
  await make(world, 'a');
  const field = (type: string, label: string, more: object = {}) => ({
    type,
    required: false,
    read_only: false,
    label,
    ...more,
  });
  const limit = { max_length: 256 };
  const fields = {
    name: field('slug', 'Name', { required: true, max_length: 64 }),
    description: field('string', 'Description', limit),
    class: field('field', 'Class', { required: true }),
    query: field('field', 'Query'),
    excluded_fields: field('string', 'Excluded fields', limit),
    order_by: field('string', 'Order by', { max_length: 50 }),
    page_size: field('integer', 'Page size', { min_value: 0, max_value: 100 }),
    expand: field('string', 'Expand', limit),
    links: {
      type: 'links',
      required: false,
      read_only: true,
      label: 'Links',
      links: [
        { name: 'self', type: 'detail' },
        { name: 'get', type: 'get' },
        { name: 'post', type: 'post' },
        { name: 'rename', type: 'rename' },
      ],
    },
  };

  const list = await call(world, 'OPTIONS', '');
  const detail = await call(world, 'OPTIONS', 'a/');
  const rename = await call(world, 'OPTIONS', 'a/rename/');

  expect(list.body).toMatchObject({ name: 'Data Endpoint List', actions: { POST: fields } });
  expect(detail.body.actions).toEqual({
    PUT: { ...fields, name: { ...fields.name, read_only: true } },
  });
  expect(rename.body.actions).toEqual({
    POST: { new_name: { ...fields.name, label: 'New name' } },
  });
});

async function setUp(world: World) {
  await world.dataClass('book', []);
}

const call = (world: World, method: string, path: string, body?: unknown) =>
  world.own(method, `endpoints/data/${path}`, body);

const make = async (world: World, name: string, more: object = {}) =>
  expected(await call(world, 'POST', '', { name, class: 'book', ...more }), 201);

const names = (body: { readonly objects: readonly { readonly name: string }[] }) =>
  body.objects.map(({ name }) => name).join('');

function linksOf(world: World, name: string, list = `${world.base}endpoints/data/`) {
  const self = `${list}${name}/`;
  return { self, get: `${self}get/`, post: `${self}post/`, rename: `${self}rename/` };
}

const gone = async (world: World, name: string) => [
  (await call(world, 'GET', `${name}/`)).status,
  (await call(world, 'GET', `${name}/get/`)).status,
  (await call(world, 'POST', `${name}/post/`, {})).status,
  (await call(world, 'PATCH', `${name}/`, {})).status,
  (await call(world, 'DELETE', `${name}/`)).status,
  (await call(world, 'POST', `${name}/rename/`, { new_name: 'x' })).status,
];
