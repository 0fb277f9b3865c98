import { beforeAll, describe, expect, it } from 'vitest';
import { expected, plantUser } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

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

/** Ids: three authors, then a probe, then one of a deleted class. */
beforeAll(async () => {
  await world.dataClass('author', []);
  await world.dataClass('lost', []);
  await world.dataClass('probe', schema);
  for (const name of ['author', 'author', 'author', 'probe', 'lost']) {
    expected(await world.call(world.owner, 'POST', `classes/${name}/objects/`, {}), 201);
  }
  await world.call(world.owner, 'DELETE', 'classes/lost/');
  await plantUser(world, 7);
});

const create = (body: object) => api.send({ as: world.owner, path: objects, body });
const patch = (path: string, body: object) =>
  api.send({ as: world.owner, method: 'PATCH', path, body });

const time = { type: 'datetime', value: '2001-05-06T07:08:09.120000Z' };
const ref = (target: string, value: unknown) => ({ type: 'reference', target, value });
const rel = (target: string, value: unknown) => ({ type: 'relation', target, value });

type Row = readonly [title: string, field: string, input: unknown, shown: unknown];

const accepted: readonly Row[] = [
  ['text', 'string', ' a\tä😀 ', ' a\tä😀 '],
  ['128 characters, surrogate pairs counted once', 'string', '😀'.repeat(128), '😀'.repeat(128)],
  ['text that looks like JSON', 'text', '{"_increment":1}', '{"_increment":1}'],
  ['an integer', 'integer', -5, -5],
  ['a float', 'float', 3.25, 3.25],
  ['a boolean', 'boolean', false, false],
  ['empty text for null', 'boolean', '', null],
  ['a time', 'datetime', '2001-05-06T07:08:09.12Z', time],
  ['a time as it is shown', 'datetime', time, time],
  ['a list', 'array', ['a', 1, 1.5, true], ['a', 1, 1.5, true]],
  ['an object', 'object', { a: { b: [null, {}] } }, { a: { b: [null, {}] } }],
  [
    'a point as it is shown',
    'geopoint',
    { type: 'geopoint', longitude: '1.5', latitude: 0 },
    {
      type: 'geopoint',
      longitude: 1.5,
      latitude: 0,
    },
  ],
  ['an id, its target in any case', 'author', 2, ref('Author', 2)],
  ['the text of an id', 'author', '2', ref('Author', 2)],
  ['a reference as it is shown', 'author', ref('Author', 2), ref('Author', 2)],
  ['an object of the same class', 'other', 4, ref('self', 4)],
  ['a user', 'person', 7, ref('user', 7)],
  ['ids, sorted and each once', 'authors', [3, 1, 3], rel('author', [1, 3])],
  ['ids as they are shown', 'authors', rel('author', [1]), rel('author', [1])],
  ['the text of ids', 'authors', '[2]', rel('author', [2])],
  ['ids, those of nothing left out', 'authors', [2, 4, 99, -1, 0], rel('author', [2])],
  ['ids of nothing at all', 'authors', [99], null],
  ['no ids', 'authors', [], null],
  ['users', 'people', [7, 8], rel('user', [7])],
  ['no ids of a class that is gone', 'losts', [], null],
  ...['string', 'integer', 'datetime', 'file', 'array', 'geopoint', 'author', 'lost', 'losts'].map(
    (field): Row => [`null for ${field}`, field, null, null],
  ),
];

const notInteger = 'A valid integer is required.';
const notNumber = 'A valid number is required.';
const notArray = 'Not a valid array.';
const notPoint = 'Not a valid geopoint.';
const notTime =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm:ss.uuuuuuZ.';
const notMember = 'Array can only contain strings, booleans, integers and floats.';
const notIds = 'Relation can only contain integers (object ids).';

const refused: readonly Row[] = [
  ['no text', 'string', true, 'Not a valid string.'],
  [
    '129 characters',
    'string',
    'x'.repeat(129),
    'Ensure this field has no more than 128 characters.',
  ],
  ['no integer', 'integer', '5.5', notInteger],
  ['endless text', 'integer', '1'.repeat(1001), 'String value too large.'],
  ['too large', 'integer', 2147483648, 'Ensure this value is less than or equal to 2147483647.'],
  ['no number', 'float', 'NaN', notNumber],
  ['no boolean', 'boolean', 'Yes', 'Not a valid boolean.'],
  ['no time', 'datetime', '2001-05-06', notTime],
  ['no file', 'file', 5, 'The submitted data was not a file. Check the encoding type on the form.'],
  ['a strange address', 'file', 'http://example.com/a.png', 'File URL is invalid.'],
  ['no list', 'array', 5, notArray],
  ['no members', 'array', [null], notMember],
  ['no object', 'object', [], 'Not a valid object.'],
  ['no point', 'geopoint', { longitude: 181, latitude: 0 }, notPoint],
  ['no id', 'author', 'x', notInteger],
  ...[0, -1, 4, 99, 2147483648].map(
    (input): Row => [
      `no author ${input}`,
      'author',
      input,
      'Target with specified id does not exist.',
    ],
  ),
  ['no user', 'person', 8, 'Target with specified id does not exist.'],
  ['an object of a class that is gone', 'lost', 5, 'Target class does not exist.'],
  ['objects of a class that is gone', 'losts', [5], 'Target class does not exist.'],
  ['no ids', 'authors', 5, 'Not a valid relation.'],
  ['no list of ids', 'authors', 'x', notArray],
  ['other members', 'authors', ['1'], notIds],
  [
    'too many ids',
    'authors',
    Array.from({ length: 1001 }, (_, i) => i + 1),
    'Relation length limit exceeded (1000).',
  ],
  ['an operator on a create', 'authors', { _add: 1 }, 'Not a valid relation.'],
];

describe('a field accepts', () => {
  it.each(accepted)('%s: %s %j', async (_, field, input, shown) => {
    const made = await create({ [field]: input });
    const read = await api.send({ as: world.owner, path: made.body.links?.self ?? '' });

    expect([made.status, made.body[field]]).toEqual([201, shown]);
    expect(read.body).toEqual(made.body);
  });
});

describe('a field rejects', () => {
  it.each(refused)('%s: %s %j', async (_, field, input, message) => {
    const answer = await create({ [field]: input });

    expect([answer.status, answer.body]).toEqual([400, { [field]: [message] }]);
  });
});

describe('an operator', () => {
  type Operation = readonly [
    title: string,
    field: string,
    before: unknown,
    operator: unknown,
    shown: unknown,
  ];
  const changes: readonly Operation[] = [
    ['adds to a number', 'integer', 5, { _increment: 2 }, 7],
    ['takes from a number', 'integer', 5, { _increment: -7 }, -2],
    ['counts nothing as 0', 'integer', null, { _increment: 3 }, 3],
    ['may be text', 'integer', 5, '{"_increment":"1"}', 6],
    ['adds to a float', 'float', 0.5, { _increment: 0.25 }, 0.75],
    ['appends a member', 'array', ['a'], { _add: 'a' }, ['a', 'a']],
    ['appends members', 'array', null, { _add: ['a', 1] }, ['a', 1]],
    ['appends what is not there', 'array', ['1', 1], { _addunique: [1, '1', 2] }, ['1', 1, 2]],
    ['tells true from 1', 'array', [1], { _addunique: true }, [1, true]],
    ['takes every equal member away', 'array', [1, '1', 1], { _remove: 1 }, ['1']],
    [
      'works in its order: add, addunique, remove',
      'array',
      ['a'],
      { _remove: 'c', _addunique: ['b', 'c'], _add: 'b' },
      ['a', 'b'],
    ],
    ['may be text on a list', 'array', ['a'], '{"_add":"b"}', ['a', 'b']],
    ['unites ids', 'authors', [2], { _add: [1, 2] }, rel('author', [1, 2])],
    ['adds one id', 'authors', null, { _add: 3 }, rel('author', [3])],
    ['takes ids away', 'authors', [1, 2], { _remove: 1 }, rel('author', [2])],
    ['takes the last id away', 'authors', [1], { _remove: [1] }, null],
    ['adds no id of nothing', 'authors', [1], { _add: 99 }, rel('author', [1])],
    ['adds and takes away', 'authors', [1], { _add: [2, 3], _remove: [1, 2] }, rel('author', [3])],
  ];

  it.each(changes)('%s: %s %j %j', async (_, field, before, operator, shown) => {
    const made = expected(await create({ [field]: before }), 201);

    const patched = await patch(made.links.self, { [field]: operator });
    const read = await api.send({ as: world.owner, path: made.links.self });

    expect([patched.status, patched.body[field]]).toEqual([200, shown]);
    expect(read.body).toEqual(patched.body);
  });

  it.each<Operation>([
    [
      'over the largest',
      'integer',
      2147483647,
      { _increment: 1 },
      'Ensure this value is less than or equal to 2147483647.',
    ],
    ['by half', 'integer', 1, { _increment: 0.5 }, notInteger],
    ['with another key', 'integer', 1, { _increment: 1, _add: 1 }, notInteger],
    ['with an unknown key', 'float', 1, { _add: 1 }, notNumber],
    ['that is empty', 'float', 1, {}, notNumber],
    ['beyond all numbers', 'float', 1e308, { _increment: 1e308 }, notNumber],
    ['that is empty', 'array', [], {}, notArray],
    ['with an unknown key', 'array', [], { _add: 1, _increment: 1 }, notArray],
    ['with no member', 'array', [], { _add: [null] }, notMember],
    ['that ids do not have', 'authors', [1], { _addunique: 2 }, notArray],
    ['with no id', 'authors', [1], { _add: 'x' }, notIds],
  ])('is rejected %s: %s %j %j', async (_, field, before, operator, message) => {
    const made = expected(await create({ [field]: before }), 201);

    const patched = await patch(made.links.self, { [field]: operator });
    const read = await api.send({ as: world.owner, path: made.links.self });

    expect([patched.status, patched.body]).toEqual([400, { [field]: [message] }]);
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

  it('can be sent back as it was read, without a change', async () => {
    const made = expected(await create(everything), 201);

    const answers = [
      await patch(made.links.self, made),
      await api.send({ as: world.owner, method: 'POST', path: made.links.self, body: made }),
      await api.send({ as: world.owner, method: 'PUT', path: made.links.self, body: made }),
    ];

    for (const { status, body } of answers) expect([status, body]).toEqual([200, made]);
  });

  it('can be a form, all values text', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries(everything)) {
      form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
    }

    const made = await api.send({ as: world.owner, method: 'POST', path: objects, body: form });
    const same = expected(await create(everything), 201);

    expect(made.status).toBe(201);
    for (const { name } of schema) expect([name, made.body[name]]).toEqual([name, same[name]]);
  });

  it('clears all fields that a form empties, except text', async () => {
    const made = expected(await create(everything), 201);

    const { status, body } = await api.send({
      as: world.owner,
      method: 'PATCH',
      path: made.links.self,
      body: schema.map(({ name }) => `${name}=`).join('&'),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });

    expect(status).toBe(200);
    expect(schema.map(({ name }) => body[name])).toEqual(
      schema.map(({ type }) => (type === 'string' || type === 'text' ? '' : null)),
    );
  });

  it('accepts operators from a form', async () => {
    const made = expected(await create({ integer: 1, array: ['a'] }), 201);

    const { body } = await api.send({
      as: world.owner,
      method: 'PATCH',
      path: made.links.self,
      body: new URLSearchParams({ integer: '{"_increment":2}', array: '{"_add":"b"}' }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });

    expect([body.integer, body.array]).toEqual([3, ['a', 'b']]);
  });

  it('is rejected with all of its errors at once, and is not stored', async () => {
    const before = (await api.send({ as: world.owner, path: `${objects}?direction=0` })).body;

    const { status, body } = await create({
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
        author: ['Target with specified id does not exist.'],
        owner: ['Invalid pk "99" - object does not exist.'],
        group: ['Incorrect type. Expected pk value, received str.'],
        group_permissions: ['"some" is not a valid choice.'],
        channel: ['Object with name=nowhere does not exist.'],
      },
    ]);
    expect(after).toEqual(before);
  });

  it('has room for one long text, not for a text together with an object', async () => {
    const fits = await create({ text: 'x'.repeat(31_000) });
    const tooLarge = await create({ text: 'x'.repeat(31_000), object: { a: 'x'.repeat(1700) } });
    const grown = await patch(fits.body.links.self, { object: { a: 'x'.repeat(1700) } });

    const over = { non_field_errors: ['Object maximum size exceeded.'] };
    expect(fits.status).toBe(201);
    expect([tooLarge.status, tooLarge.body]).toEqual([400, over]);
    expect([grown.status, grown.body]).toEqual([400, over]);
  });

  it('keeps references to deleted objects, and does not accept new ones to them', async () => {
    const target = expected(await world.call(world.owner, 'POST', 'classes/author/objects/'), 201);
    const made = expected(await create({ author: target.id, authors: [1, target.id] }), 201);
    await api.send({ as: world.owner, method: 'DELETE', path: target.links.self });

    const read = await api.send({ as: world.owner, path: made.links.self });
    const again = await patch(made.links.self, { author: target.id });
    const fewer = await patch(made.links.self, { authors: { _add: 2 } });

    expect(read.body).toEqual(made);
    expect(again.status).toBe(400);
    expect(fewer.body.authors).toEqual(rel('author', [1, 2]));
  });
});
