import { beforeAll, describe, expect, it } from 'vitest';
import { expected } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

beforeAll(async () => {
  await world.dataClass('author', []);
});

const field = (name: string, type: string, more: object = {}) => ({ name, type, ...more });
const fields = (count: number, type: string, more: object = {}) =>
  Array.from({ length: count }, (_, i) => field(`f${i}`, type, more));
const problem = (message: string, name = 'a', position = 0) =>
  `Error processing field definition "${name}" #${position}: ${message}`;

const types =
  'string, text, integer, float, boolean, datetime, file, reference, relation, array, object, geopoint';

/** One row per kind of error; test/domain/class-schema.test.ts has all rules. */
describe('a schema is rejected', () => {
  it.each<[string, unknown, string]>([
    ['when it is no list', {}, 'Schema passed in invalid format.'],
    ['when its text is no JSON', '[', 'Not a valid JSON string.'],
    ['when it is null', null, 'This field may not be null.'],
    ['with 33 fields', fields(33, 'text'), 'Too many fields defined (exceeds 32).'],
    [
      'with the reserved name id',
      [field('id', 'text')],
      problem('Field name "id" is reserved.', 'id'),
    ],
    [
      'with an index flag on text, even a false one',
      [field('a', 'text', { filter_index: false })],
      problem('Field text definition can only consist of name, type.'),
    ],
    [
      'with a name twice',
      [field('a', 'text'), field('a', 'string')],
      problem('Field "a" defined more than once.', 'a', 1),
    ],
    [
      'with 17 indexes',
      [
        ...fields(8, 'integer', { filter_index: true, order_index: true }),
        field('z', 'string', { unique: true }),
      ],
      problem('Too many indexes defined (exceeds 16).', 'z', 8),
    ],
    [
      'with a target that is not there',
      [field('a', 'reference', { target: 'nowhere' })],
      problem('Class specified by target is missing.'),
    ],
    [
      'with itself by name before it is there',
      [field('a', 'reference', { target: 'probe' })],
      problem('Class specified by target is missing.'),
    ],
    [
      'with the name of every object as target',
      [field('a', 'reference', { target: 'constructor' })],
      problem('Class specified by target is missing.'),
    ],
  ])('%s', async (_, schema, message) => {
    const answer = await world.call(world.owner, 'POST', 'classes/', { name: 'probe', schema });

    expect([answer.status, answer.body]).toEqual([400, { schema: [message] }]);
  });

  it('with a unique on an existing field', async () => {
    await world.dataClass('late', [field('a', 'string')]);

    const answer = await world.call(world.owner, 'PATCH', 'classes/late/', {
      schema: [field('a', 'string', { unique: true })],
    });

    const message = 'Unique index can only be set on a new field. Delete field first.';
    expect([answer.status, answer.body]).toEqual([400, { schema: [problem(message)] }]);
  });
});

describe('a schema is stored', () => {
  it.each<[string, unknown, unknown, object?]>([
    ['with every type', ...twice(types.split(', ').map(everyType))],
    ['in its order', ...twice([field('b', 'text'), field('a', 'text'), field('aA', 'text')])],
    ['with 32 fields', ...twice(fields(32, 'text'))],
    ['with 16 indexes', ...twice(fields(8, 'integer', { order_index: true, filter_index: true }))],
    ['with the types in lower case', [field('a', 'TEXT')], [field('a', 'text')]],
    [
      'without false index flags, with a false unique',
      [field('a', 'string', { filter_index: false, order_index: false, unique: false })],
      [field('a', 'string', { unique: false })],
    ],
    [
      'with a filter index on what is unique, whatever kind of truth says so',
      [field('a', 'string', { unique: 'yes', filter_index: false })],
      [field('a', 'string', { unique: true, filter_index: true })],
    ],
    [
      'with targets as they were typed',
      ...twice([
        field('a', 'reference', { target: 'Author' }),
        field('b', 'relation', { target: 'self' }),
        field('c', 'reference', { target: 'user' }),
        field('d', 'reference', { target: 'user_profile' }),
      ]),
    ],
    [
      'with targets that shall not be looked for',
      ...twice([field('a', 'reference', { target: 'Later' })]),
      { ignored_target_classes: ['later'] },
    ],
    [
      'with such targets as text',
      ...twice([field('a', 'reference', { target: 'later' })]),
      { ignored_target_classes: '["LATER"]' },
    ],
  ])('%s', async (_, schema, stored, more = {}) => {
    await world.call(world.owner, 'DELETE', 'classes/kept/');

    const answer = await world.call(world.owner, 'POST', 'classes/', {
      name: 'kept',
      schema,
      ...more,
    });
    const read = await world.call(world.owner, 'GET', 'classes/kept/');

    expect([answer.status, answer.body.schema]).toEqual([201, stored]);
    expect(read.body.schema).toEqual(stored);
  });
});

function everyType(type: string): object {
  const target = type === 'reference' || type === 'relation' ? { target: 'self' } : {};
  return field(`of_${type}`, type, target);
}

/** A schema that is stored as it was sent. */
function twice(schema: unknown): [unknown, unknown] {
  return [schema, schema];
}

describe('a changed schema', () => {
  const text = field('a', 'string');
  const change = (schema: readonly object[], path = 'classes/book/') =>
    world.call(world.owner, 'PATCH', path, { schema });

  /** Creates a class with one object, and a function that reads its fields. */
  async function oneObject(
    schema: readonly object[],
    values: object,
  ): Promise<() => Promise<object>> {
    await world.call(world.owner, 'DELETE', 'classes/book/');
    await world.dataClass('book', schema);
    const made = expected(
      await world.call(world.owner, 'POST', 'classes/book/objects/', values),
      201,
    );
    const excluded =
      'id,created_at,updated_at,revision,owner,owner_permissions,group,group_permissions,other_permissions,channel,channel_room,links';
    return async () =>
      (await api.send({ as: world.owner, path: `${made.links.self}?excluded_fields=${excluded}` }))
        .body;
  }

  it.each<[string, readonly object[], readonly object[], object]>([
    ['keeps values of a field that stays', [text], [field('b', 'text'), text], { b: null, a: 'x' }],
    [
      'keeps values when an index comes',
      [text],
      [field('a', 'string', { filter_index: true })],
      { a: 'x' },
    ],
    [
      'keeps values when an index goes',
      [field('a', 'string', { order_index: true })],
      [text],
      { a: 'x' },
    ],
    ['loses values with the type', [text], [field('a', 'text')], { a: null }],
    ['hides a field at once', [text, field('b', 'text')], [field('b', 'text')], { b: null }],
    ['tells another case of a name apart', [text], [field('A', 'string')], { A: null }],
  ])('%s', async (_, before, after, values) => {
    const read = await oneObject(before, { a: 'x' });

    const answer = await change(after);

    expect([answer.status, answer.body.revision]).toEqual([200, 2]);
    expect(await read()).toEqual(values);
    await world.ready('book');
  });

  it('drops values when the target changes', async () => {
    const read = await oneObject([field('a', 'reference', { target: 'user_profile' })], {});
    await change([field('a', 'reference', { target: 'self' })]);
    await world.call(world.owner, 'PATCH', 'classes/book/', {});
    const page = await world.call(world.owner, 'GET', 'classes/book/objects/');
    const [{ id, links }] = page.body.objects;
    await api.send({ as: world.owner, method: 'PATCH', path: links.self, body: { a: id } });
    const set = await read();

    await change([field('a', 'reference', { target: 'author' })]);
    const other = await read();

    expect(set).toEqual({ a: { type: 'reference', target: 'self', value: id } });
    expect(other).toEqual({ a: null });
  });

  it('does not restore values of a field that was removed before', async () => {
    const read = await oneObject([text], { a: 'x' });

    await change([]);
    await change([text]);

    expect(await read()).toEqual({ a: null });
  });

  it('counts a new order of fields as a change', async () => {
    const read = await oneObject([text, field('b', 'text')], { a: 'x' });

    const answer = await change([field('b', 'text'), text]);

    expect(answer.body.revision).toBe(2);
    expect(Object.keys(await read())).toEqual(['b', 'a']);
  });

  it('applies to the next write', async () => {
    const read = await oneObject([text], { a: 'x' });
    const page = await world.call(world.owner, 'GET', 'classes/book/objects/');
    const self = page.body.objects[0].links.self;
    await change([field('a', 'integer'), field('b', 'boolean')]);

    const refused = await api.send({
      as: world.owner,
      method: 'PATCH',
      path: self,
      body: { a: 'y' },
    });
    const taken = await api.send({
      as: world.owner,
      method: 'PATCH',
      path: self,
      body: { a: 5, b: 'on' },
    });

    expect([refused.status, refused.body]).toEqual([400, { a: ['A valid integer is required.'] }]);
    expect(taken.status).toBe(200);
    expect(await read()).toEqual({ a: 5, b: true });
  });

  it('frees its indexes: 16 others fit', async () => {
    const indexed = { filter_index: true, order_index: true };
    await world.dataClass('wide', fields(8, 'integer', indexed));
    for (const type of ['float', 'string', 'datetime']) {
      const schema = fields(16, type, { order_index: true });

      const answer = await world.call(world.owner, 'PATCH', 'classes/wide/', { schema });

      expect([answer.status, answer.body.schema]).toEqual([200, schema]);
    }
  });

  it('may reference its own class', async () => {
    await world.dataClass('tree', []);

    const answer = await world.call(world.owner, 'PATCH', 'classes/tree/', {
      schema: [field('up', 'reference', { target: 'tree' })],
    });

    expect(answer.status).toBe(200);
  });
});
