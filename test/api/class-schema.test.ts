import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const field = (name: string, type: string, more: object = {}) => ({ name, type, ...more });
const fields = (count: number, type: string, more: object = {}) =>
  Array.from({ length: count }, (_, i) => field(`f${i}`, type, more));
const problem = (message: string, name = 'a', position = 0) =>
  `Error processing field definition "${name}" #${position}: ${message}`;
const target = { target: 'self' };
const everyType: Readonly<Record<string, object>> = { reference: target, relation: target };
const types =
  'string text integer float boolean datetime file reference relation array object geopoint'.split(
    ' ',
  );

/** One row per kind of error; test/classes/class-schema.test.ts has all rules. */
describe('a schema is rejected', () => {
  it.for<[string, unknown, string]>([
    ['when its text is no JSON', '[', 'Not a valid JSON string.'],
    ['when it is null', null, 'This field may not be null.'],
    ['with 33 fields', fields(33, 'text'), 'Too many fields defined (exceeds 32).'],
    [
      'with a target that does not exist yet: itself by name',
      [field('a', 'reference', { target: 'probe' })],
      problem('Class specified by target is missing.'),
    ],
  ])('%s', async ([_, schema, message], { world }) => {
    const response = await world.own('POST', 'classes/', { name: 'probe', schema });

    expect([response.status, response.body]).toEqual([400, { schema: [message] }]);
  });

  it('with a unique on an existing field', async ({ world }) => {
    await world.dataClass('late', [field('a', 'string')]);

    const response = await world.own('PATCH', 'classes/late/', {
      schema: [field('a', 'string', { unique: true })],
    });

    const message = 'Unique index can only be set on a new field. Delete field first.';
    expect([response.status, response.body]).toEqual([400, { schema: [problem(message)] }]);
  });
});

it('a schema is stored in its order, with every type', async ({ world }) => {
  const schema = [
    ...types.map((type) => field(`of_${type}`, type, everyType[type])),
    field('a', 'reference', { target: 'Author' }),
    field('later', 'reference', { target: 'Later' }),
  ];
  const unique = field('b', 'STRING', { unique: 'yes', order_index: false });

  const response = await world.own('POST', 'classes/', {
    name: 'kept',
    schema: [...schema, unique],
    ignored_target_classes: ['later'],
  });
  const read = await world.own('GET', 'classes/kept/');

  const stored = [...schema, field('b', 'string', { unique: true, filter_index: true })];
  expect([response.status, response.body.schema]).toEqual([201, stored]);
  expect(read.body.schema).toEqual(stored);
});

describe('a changed schema', () => {
  const text = field('a', 'string');

  it.for<[string, readonly object[], readonly object[], object]>([
    ['keeps values of a field that stays', [text], [field('b', 'text'), text], { b: null, a: 'x' }],
    [
      'keeps values when an index comes',
      [text],
      [field('a', 'string', { filter_index: true })],
      { a: 'x' },
    ],
    ['loses values with the type', [text], [field('a', 'text')], { a: null }],
    ['hides a field at once', [text, field('b', 'text')], [field('b', 'text')], { b: null }],
    ['tells another case of a name apart', [text], [field('A', 'string')], { A: null }],
  ])('%s', async ([_, before, after, values], { world }) => {
    const read = await oneObject(world, before, { a: 'x' });

    const response = await change(world, after);

    expect([response.status, response.body.revision]).toEqual([200, 2]);
    expect(await read()).toEqual(values);
    await world.ready('book');
  });

  it('does not restore values of a field that was removed before', async ({ world }) => {
    const read = await oneObject(world, [text], { a: 'x' });

    await change(world, []);
    await change(world, [text]);

    expect(await read()).toEqual({ a: null });
  });

  it('counts a new order of fields as a change', async ({ world }) => {
    const read = await oneObject(world, [text, field('b', 'text')], { a: 'x' });

    const response = await change(world, [field('b', 'text'), text]);

    expect(response.body.revision).toBe(2);
    expect(Object.keys(await read())).toEqual(['b', 'a']);
  });

  it('applies to the next write', async ({ api, world }) => {
    const read = await oneObject(world, [text], { a: 'x' });
    const page = await world.own('GET', 'classes/book/objects/');
    const self = page.body.objects[0].links.self;
    await change(world, [field('a', 'integer'), field('b', 'boolean')]);

    const patch = { as: world.owner, method: 'PATCH', path: self };
    const refused = await api.send({ ...patch, body: { a: 'y' } });
    const taken = await api.send({ ...patch, body: { a: 5, b: 'on' } });

    expect([refused.status, refused.body]).toEqual([400, { a: ['A valid integer is required.'] }]);
    expect(taken.status).toBe(200);
    expect(await read()).toEqual({ a: 5, b: true });
  });

  it('frees its indexes: 16 others fit', async ({ world }) => {
    const indexed = { filter_index: true, order_index: true };
    await world.dataClass('wide', fields(8, 'integer', indexed));
    for (const type of ['float', 'string', 'datetime']) {
      const schema = fields(16, type, { order_index: true });

      const response = await world.own('PATCH', 'classes/wide/', { schema });

      expect([response.status, response.body.schema]).toEqual([200, schema]);
    }
  });

  it('may reference its own class', async ({ world }) => {
    await world.dataClass('tree', []);

    const response = await world.own('PATCH', 'classes/tree/', {
      schema: [field('up', 'reference', { target: 'tree' })],
    });

    expect(response.status).toBe(200);
  });
});

async function setUp(world: World) {
  await world.dataClass('author', []);
}

const change = (world: World, schema: readonly object[], path = 'classes/book/') =>
  world.own('PATCH', path, { schema });

/** Creates a class with one object, and a function that reads its fields. */
async function oneObject(world: World, schema: readonly object[], values: object) {
  await world.own('DELETE', 'classes/book/');
  await world.dataClass('book', schema);
  const response = await world.own('POST', 'classes/book/objects/', values);
  const made = expected(response, 201);
  const excluded =
    'id,created_at,updated_at,revision,owner,owner_permissions,group,group_permissions,other_permissions,channel,channel_room,links';
  const path = `${made.links.self}?excluded_fields=${excluded}`;
  return async () => (await world.api.send({ as: world.owner, path })).body;
}
