import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/** Ids: three authors, then a probe, then one of a deleted class. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const objects = '/v1.1/instances/blog-1/classes/probe/objects/';
const schema = [
  ...['string', 'text', 'integer', 'float', 'boolean', 'datetime', 'file', 'array', 'object'].map(
    (type) => ({ name: type, type }),
  ),
  { name: 'geopoint', type: 'geopoint' },
  { name: 'author', type: 'reference', target: 'Author' },
  { name: 'other', type: 'reference', target: 'self' },
  { name: 'person', type: 'reference', target: 'user' },
  { name: 'authors', type: 'relation', target: 'author' },
  { name: 'people', type: 'relation', target: 'user' },
  { name: 'lost', type: 'reference', target: 'lost' },
  { name: 'losts', type: 'relation', target: 'lost' },
];
const time = { type: 'datetime', value: '2001-05-06T07:08:09.120000Z' };
const notInteger = 'A valid integer is required.';
const noTarget = 'Target with specified id does not exist.';
const noClass = 'Target class does not exist.';

/** What values and operators are read as, field type by field type, is in test/objects/object-values.test.ts. */
describe('references', () => {
  it('may be to objects and users that exist; a relation loses other ids', async ({ world }) => {
    const made = await create(world, {
      author: '2',
      other: 4,
      person: 7,
      authors: [3, 1, 3, 4, 99, -1, 0],
      people: [7, 8],
      lost: null,
      losts: [],
    });

    expect(expected(made, 201)).toMatchObject({
      author: ref('Author', 2),
      other: ref('self', 4),
      person: ref('user', 7),
      authors: rel('author', [1, 3]),
      people: rel('user', [7]),
      lost: null,
      losts: null,
    });
    expect((await create(world, { authors: [99] })).body.authors).toBe(null);
  });

  it('to others, or into a deleted class, are rejected', async ({ world }) => {
    const body = { author: 4, other: 2147483648, person: 8, lost: 5, losts: [5] };

    const response = await create(world, body);

    const errors = {
      author: [noTarget],
      other: [noTarget],
      person: [noTarget],
      lost: [noClass],
      losts: [noClass],
    };
    expect([response.status, response.body]).toEqual([400, errors]);
  });
});

describe('operators', () => {
  const before = { integer: 5, float: 0.5, array: ['a'], authors: [1] };

  it('change stored values', async ({ api, world }) => {
    const made = expected(await create(world, before), 201);

    const patched = await patch(world, made.links.self, {
      integer: { _increment: -7 },
      float: '{"_increment":0.25}',
      array: { _add: ['a', 1], _addunique: [1, 2], _remove: 'a' },
      authors: { _add: [2, 99], _remove: 1 },
    });
    const read = await api.send({ as: world.owner, path: made.links.self });

    const shown = { integer: -2, float: 0.75, array: [1, 2], authors: rel('author', [2]) };
    expect(expected(patched, 200)).toMatchObject(shown);
    expect(read.body).toEqual(patched.body);
  });

  it('that are invalid are rejected together, and change nothing', async ({ api, world }) => {
    const made = expected(await create(world, before), 201);

    const patched = await patch(world, made.links.self, {
      integer: { _increment: 0.5 },
      float: { _increment: 1 },
      array: { _add: [null] },
      authors: { _add: 'x' },
    });
    const read = await api.send({ as: world.owner, path: made.links.self });

    const errors = {
      integer: [notInteger],
      array: ['Array can only contain strings, booleans, integers and floats.'],
      authors: ['Relation can only contain integers (object ids).'],
    };
    expect([patched.status, patched.body]).toEqual([400, errors]);
    expect(read.body).toEqual(made);
  });
});

describe('a whole object', () => {
  const everything = {
    string: 'a',
    text: 'b',
    integer: 1,
    float: 1.5,
    boolean: true,
    datetime: time.value,
    array: [1],
    object: { a: 1 },
    geopoint: { longitude: 1, latitude: 2 },
    author: 1,
    other: 4,
    person: 7,
    authors: [1, 2],
    people: [7],
  };

  it('can be sent back as it was read, without a change', async ({ api, world }) => {
    const made = expected(await create(world, everything), 201);

    const responses = [
      await patch(world, made.links.self, made),
      await api.send({ as: world.owner, method: 'POST', path: made.links.self, body: made }),
      await api.send({ as: world.owner, method: 'PUT', path: made.links.self, body: made }),
    ];

    for (const { status, body } of responses) expect([status, body]).toEqual([200, made]);
    expect(made).toMatchObject({
      ...everything,
      datetime: time,
      geopoint: { type: 'geopoint', ...everything.geopoint },
      author: ref('Author', 1),
      other: ref('self', 4),
      person: ref('user', 7),
      authors: rel('author', [1, 2]),
      people: rel('user', [7]),
      file: null,
    });
  });

  it('can be a form, all values text', async ({ api, world }) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(everything)) {
      form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
    }

    const made = await api.send({ as: world.owner, method: 'POST', path: objects, body: form });
    const same = expected(await create(world, everything), 201);

    expect(made.status).toBe(201);
    for (const { name } of schema) expect([name, made.body[name]]).toEqual([name, same[name]]);
  });

  it('clears all fields that a form empties, except text', async ({ world }) => {
    const made = expected(await create(world, everything), 201);

    const form = schema.map(({ name }) => `${name}=`).join('&');
    const { status, body } = await patchForm(world, made.links.self, form);

    expect(status).toBe(200);
    expect(schema.map(({ name }) => body[name])).toEqual(
      schema.map(({ type }) => (type === 'string' || type === 'text' ? '' : null)),
    );
  });

  it('accepts operators from a form', async ({ world }) => {
    const made = expected(await create(world, { integer: 1, array: ['a'] }), 201);

    const form = new URLSearchParams({ integer: '{"_increment":2}', array: '{"_add":"b"}' });
    const { body } = await patchForm(world, made.links.self, form.toString());

    expect([body.integer, body.array]).toEqual([3, ['a', 'b']]);
  });

  it('is rejected with all of its errors at once, and is not stored', async ({ api, world }) => {
    const before = (await api.send({ as: world.owner, path: `${objects}?direction=0` })).body;

    const { status, body } = await create(world, {
      integer: 'x',
      author: 99,
      owner: 99,
      group: 'x',
      group_permissions: 'some',
      channel: 'nowhere',
    });
    const after = (await api.send({ as: world.owner, path: `${objects}?direction=0` })).body;

    expect([status, body]).toEqual([
      400,
      {
        integer: [notInteger],
        author: [noTarget],
        owner: ['Invalid pk "99" - object does not exist.'],
        group: ['Incorrect type. Expected pk value, received str.'],
        group_permissions: ['"some" is not a valid choice.'],
        channel: ['Object with name=nowhere does not exist.'],
      },
    ]);
    expect(after).toEqual(before);
  });

  it('has room for one long text, not for a text together with an object', async ({ world }) => {
    const fits = await create(world, { text: 'x'.repeat(31_000) });
    const tooLarge = await create(world, {
      text: 'x'.repeat(31_000),
      object: { a: 'x'.repeat(1700) },
    });
    const grown = await patch(world, fits.body.links.self, { object: { a: 'x'.repeat(1700) } });

    const over = { non_field_errors: ['Object maximum size exceeded.'] };
    expect(fits.status).toBe(201);
    expect([tooLarge.status, tooLarge.body]).toEqual([400, over]);
    expect([grown.status, grown.body]).toEqual([400, over]);
  });

  it('keeps references to deleted objects, and does not accept new ones to them', async ({
    api,
    world,
  }) => {
    const target = await world.create('classes/author/objects/');
    const made = expected(await create(world, { author: target.id, authors: [1, target.id] }), 201);
    await api.send({ as: world.owner, method: 'DELETE', path: target.links.self });

    const read = await api.send({ as: world.owner, path: made.links.self });
    const again = await patch(world, made.links.self, { author: target.id });
    const fewer = await patch(world, made.links.self, { authors: { _add: 2 } });

    expect(read.body).toEqual(made);
    expect(again.status).toBe(400);
    expect(fewer.body.authors).toEqual(rel('author', [1, 2]));
  });
});

async function setUp(world: World) {
  await world.dataClass('author', []);
  await world.dataClass('lost', []);
  await world.dataClass('probe', schema);
  for (const name of ['author', 'author', 'author', 'probe', 'lost']) {
    await world.create(`classes/${name}/objects/`, {});
  }
  await world.own('DELETE', 'classes/lost/');
  await plantUser(world, 7);
}

const create = (world: World, body: object) =>
  world.api.send({ as: world.owner, path: objects, body });

const patch = (world: World, path: string, body: object) =>
  world.api.send({ as: world.owner, method: 'PATCH', path, body });

const patchForm = (world: World, path: string, body: string) =>
  world.api.send({
    as: world.owner,
    method: 'PATCH',
    path,
    body,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

const ref = (target: string, value: unknown) => ({ type: 'reference', target, value });

const rel = (target: string, value: unknown) => ({ type: 'relation', target, value });
