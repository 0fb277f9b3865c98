import { beforeAll, describe, expect, it } from 'vitest';
import { expected, openWorld, plantGroup, plantUser, type World } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { forbidden, missing, time } from '../support/responses.ts';
import { type Lazy, scenarios } from '../support/scenarios.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

let bare: string;
let ignoring: string;
let member: { key: string; user: string };
const list = '/v1.1/instances/blog-1/classes/';

beforeAll(async () => {
  bare = await world.apiKey();
  ignoring = await world.apiKey({ ignore_acl: true });
  member = { key: bare, user: await plantUser(world, 7, [3]) };
  await plantGroup(world, 4);
});

const owner = () => ({ as: world.owner });

/** A class as responses show it when only its name was sent. */
function fresh(name: string, more: object = {}): unknown {
  const self = `${list}${name}/`;
  return {
    name,
    description: '',
    schema: [],
    status: 'ready',
    created_at: time,
    updated_at: time,
    objects_count: 0,
    revision: 1,
    group: null,
    group_permissions: 'create_objects',
    other_permissions: 'create_objects',
    metadata: {},
    links: { self, objects: `${self}objects/` },
    ...more,
  };
}

const startMessage = 'Value has to start with a letter.';
const endMessage = 'Value has to end with a letter or a number.';
const charactersMessage = 'Enter a valid value consisting of letters, numbers, underscores.';
const invalidMetadata = { metadata: ['Metadata passed in invalid format.'] };

const creates: readonly (Lazy & { body: unknown })[] = [
  {
    name: 'a name is enough; it is trimmed and put into lower case',
    body: { name: ' Book ' },
    status: 201,
    response: fresh('book'),
  },
  {
    name: 'everything that may be written is kept, read-only and unknown members are read past',
    body: {
      name: 'full',
      description: 'All of it',
      group: 3,
      group_permissions: 'read',
      other_permissions: 0,
      metadata: { color: 'red' },
      revision: 9,
      status: 'migrating',
      objects_count: 5,
      created_at: 'x',
      links: {},
      instanceName: 'blog-1',
      id: 1,
      schema: [{ name: 'title', type: 'STRING', filter_index: true, order_index: false }],
    },
    status: 201,
    response: fresh('full', {
      description: 'All of it',
      group: 3,
      group_permissions: 'read',
      other_permissions: 'none',
      metadata: { color: 'red' },
      schema: [{ name: 'title', type: 'string', filter_index: true }],
      links: {
        self: `${list}full/`,
        objects: `${list}full/objects/`,
        group: '/v1.1/instances/blog-1/groups/3/',
      },
    }),
  },
  {
    name: 'schema and metadata may be JSON text, numbers their text',
    body: {
      name: 'texts',
      schema: '[{"name":"a","type":"text"}]',
      metadata: '{"a":1}',
      group: '3',
      group_permissions: '1',
      other_permissions: 2,
    },
    status: 201,
    response: fresh('texts', {
      schema: [{ name: 'a', type: 'text' }],
      metadata: { a: 1 },
      group: 3,
      group_permissions: 'read',
      links: {
        self: `${list}texts/`,
        objects: `${list}texts/objects/`,
        group: '/v1.1/instances/blog-1/groups/3/',
      },
    }),
  },
  {
    name: 'empty texts of JSON fields are their defaults',
    body: { name: 'empty', schema: '', metadata: '' },
    status: 201,
    response: fresh('empty'),
  },
  {
    name: 'a name must be there',
    body: {},
    status: 400,
    response: { name: ['This field is required.'] },
  },
  {
    name: 'a name must not be null',
    body: { name: null },
    status: 400,
    response: { name: ['This field may not be null.'] },
  },
  {
    name: 'a name must not be blank',
    body: { name: '  ' },
    status: 400,
    response: { name: ['This field may not be blank.'] },
  },
  {
    name: 'a name must be text',
    body: { name: ['a'] },
    status: 400,
    response: { name: ['Not a valid string.'] },
  },
  {
    name: 'all that is wrong with a name is said, in order',
    body: { name: `1${'x'.repeat(50)}-` },
    status: 400,
    response: {
      name: [
        startMessage,
        endMessage,
        'Ensure this value has at most 50 characters (it has 52).',
        charactersMessage,
      ],
    },
  },
  {
    name: 'a name of 50 characters is the longest',
    body: { name: 'x'.repeat(50) },
    status: 201,
    response: fresh('x'.repeat(50)),
  },
  ...['self', 'user', 'Users', 'acl'].map((name) => ({
    name: `a class cannot be called ${name}`,
    body: { name },
    status: 400,
    response: { name: ['Unable to use that value. Please choose a different one.'] },
  })),
  {
    name: 'a name is taken in any case, and that is said alone',
    body: { name: 'BOOK' },
    status: 400,
    response: { name: ['This field must be unique.'] },
  },
  {
    name: 'other faults are told before a name is looked for',
    body: { name: 'book', description: 'x'.repeat(257) },
    status: 400,
    response: { description: ['Ensure this field has no more than 256 characters.'] },
  },
  {
    name: 'the built-in class is taken too',
    body: { name: 'user_profile' },
    status: 400,
    response: { name: ['This field must be unique.'] },
  },
  { name: 'names of every object are names', body: { name: 'constructor' }, status: 201 },
  {
    name: 'all failing fields are told together',
    body: {
      name: 'a b',
      description: null,
      schema: 5,
      group: 'x',
      group_permissions: 'write',
      other_permissions: null,
      metadata: [],
    },
    status: 400,
    response: {
      name: [charactersMessage],
      description: ['This field may not be null.'],
      schema: ['Schema passed in invalid format.'],
      group: ['Incorrect type. Expected pk value, received str.'],
      group_permissions: ['"write" is not a valid choice.'],
      other_permissions: ['This field may not be null.'],
      ...invalidMetadata,
    },
  },
  {
    name: 'a group must be there',
    body: { name: 'grouped', group: 9 },
    status: 400,
    response: { group: ['Invalid pk "9" - object does not exist.'] },
  },
  {
    name: 'metadata has eight keys at most',
    body: { name: 'm', metadata: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 } },
    status: 400,
    response: { metadata: ['Too many keys defined (exceeds 8).'] },
  },
  {
    name: 'metadata has keys of 16 characters at most',
    body: { name: 'm', metadata: { ['x'.repeat(17)]: 1 } },
    status: 400,
    response: { metadata: ['Too long key defined (exceeds 16).'] },
  },
  {
    name: 'metadata has values of 4096 characters at most',
    body: { name: 'm', metadata: { key: 'x'.repeat(4095) } },
    status: 400,
    response: { metadata: ['Too long value defined for key key (exceeds 4096).'] },
  },
  {
    name: 'metadata that is text must be JSON',
    body: { name: 'm', metadata: '{' },
    status: 400,
    response: { metadata: ['Not a valid JSON string.'] },
  },
  {
    name: 'a body must be an object',
    body: [],
    status: 400,
    response: { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] },
  },
];

scenarios(
  'creating a class',
  () => api,
  creates.map((row) => ({ ...row, path: list, method: 'POST', given: owner })),
);

describe('changing a class', () => {
  const whole = {
    name: 'shelf',
    description: 'Old',
    group: 3,
    group_permissions: 'read',
    other_permissions: 'none',
    metadata: { a: 1 },
    schema: [{ name: 'title', type: 'string' }],
  };
  const shelf = `${list}shelf/`;
  const links = {
    self: shelf,
    objects: `${shelf}objects/`,
    group: '/v1.1/instances/blog-1/groups/3/',
  };

  async function make(): Promise<void> {
    await world.call(world.owner, 'DELETE', 'classes/shelf/');
    expected(await world.call(world.owner, 'POST', 'classes/', whole), 201);
  }

  it.each<[string, string, object, object]>([
    ['PATCH of nothing leaves all as it is', 'PATCH', {}, whole],
    ['PATCH changes what is sent', 'PATCH', { description: 'New' }, { description: 'New' }],
    ['PATCH empties metadata', 'PATCH', { metadata: {} }, { metadata: {} }],
    ['PATCH replaces metadata whole', 'PATCH', { metadata: { b: 2 } }, { metadata: { b: 2 } }],
    [
      'PATCH takes the group away, and its link',
      'PATCH',
      { group: null },
      { group: null, links: { self: links.self, objects: links.objects } },
    ],
    ['PATCH reads past a name', 'PATCH', { name: 'board' }, {}],
    ['PATCH reads past a name that could be none', 'PATCH', { name: [] }, {}],
    ['PATCH with the same schema keeps the revision', 'PATCH', { schema: whole.schema }, {}],
    [
      'PATCH with another schema raises it',
      'PATCH',
      { schema: [{ name: 'title', type: 'string', filter_index: true }] },
      { schema: [{ name: 'title', type: 'string', filter_index: true }], revision: 2 },
    ],
    [
      'PUT resets what has a default of its own and keeps the rest',
      'PUT',
      {},
      {
        schema: [],
        revision: 2,
        metadata: {},
        group_permissions: 'create_objects',
        other_permissions: 'create_objects',
      },
    ],
    ['PUT of the whole record changes nothing', 'PUT', { ...whole, links: {}, revision: 7 }, {}],
    ['an expected revision that fits', 'PATCH', { expected_revision: '1' }, {}],
    ['an expected revision of 0 is none', 'PATCH', { expected_revision: 0 }, {}],
  ])('%s', async (_, method, body, changes) => {
    await make();

    const answer = await world.call(world.owner, method, 'classes/Shelf/', body);
    const after = await world.call(world.owner, 'GET', 'classes/shelf/');

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(fresh('shelf', { ...whole, links, ...changes }));
    expect(after.body).toEqual(answer.body);
  });

  it.each<[string, string, object, object]>([
    [
      'another revision than is expected',
      'PATCH',
      { expected_revision: 2, description: 'New' },
      { expected_revision: 'Revision mismatch. Expected 2, got 1.' },
    ],
    [
      'an expected revision that is no number',
      'PUT',
      { expected_revision: 'x' },
      { expected_revision: ['A valid integer is required.'] },
    ],
    [
      'faults of fields before the revision',
      'PATCH',
      { expected_revision: 2, metadata: [] },
      invalidMetadata,
    ],
    [
      'a schema that is null',
      'PATCH',
      { schema: null },
      { schema: ['This field may not be null.'] },
    ],
  ])('is rejected with %s', async (_, method, body, errors) => {
    await make();

    const answer = await world.call(world.owner, method, 'classes/shelf/', body);
    const after = await world.call(world.owner, 'GET', 'classes/shelf/');

    expect(answer).toMatchObject({ status: 400, body: errors });
    expect(after.body).toEqual(fresh('shelf', { ...whole, links }));
  });

  it('updates the time of change and not that of creation', async () => {
    await make();
    const before = (await world.call(world.owner, 'GET', 'classes/shelf/')).body;

    const { body } = await world.call(world.owner, 'PATCH', 'classes/shelf/', { description: '' });

    expect(body.created_at).toBe(before.created_at);
    expect(body.updated_at > before.updated_at).toBe(true);
  });
});

describe('a class as a form', () => {
  it.each(['multipart/form-data', 'application/x-www-form-urlencoded'])('%s', async (type) => {
    const name = type.startsWith('m') ? 'parts' : 'pairs';
    const values = {
      name,
      description: '',
      group: '',
      metadata: '{"a":"b"}',
      schema: '[{"name":"a","type":"integer","unique":true}]',
      other_permissions: 'read',
    };
    const form = new FormData();
    for (const [field, value] of Object.entries(values)) form.append(field, value);
    const isMultipart = type.startsWith('m');

    const answer = await api.send({
      as: world.owner,
      method: 'POST',
      path: list,
      body: isMultipart ? form : new URLSearchParams(values).toString(),
      ...(isMultipart ? {} : { headers: { 'Content-Type': type } }),
    });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(
      fresh(name, {
        metadata: { a: 'b' },
        other_permissions: 'read',
        schema: [{ name: 'a', type: 'integer', filter_index: true, unique: true }],
      }),
    );
  });

  it('keeps values on PATCH that are empty and cannot be null', async () => {
    await world.dataClass('formed', [{ name: 'a', type: 'text' }], { group: 3 });

    const { body } = await api.send({
      as: world.owner,
      method: 'PATCH',
      path: `${list}formed/`,
      body: 'schema=&metadata=&group=&other_permissions=',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });

    expect(body).toEqual(fresh('formed', { schema: [{ name: 'a', type: 'text' }] }));
  });
});

describe('deleting a class', () => {
  it('returns 204, and the class no longer exists', async () => {
    await world.dataClass('gone', []);

    const removed = await world.call(world.owner, 'DELETE', 'classes/GONE/');
    const again = await world.call(world.owner, 'DELETE', 'classes/gone/');
    const read = await world.call(world.owner, 'GET', 'classes/gone/');
    const objects = await world.call(world.owner, 'GET', 'classes/gone/objects/');

    expect([removed.status, removed.body]).toEqual([204, '']);
    expect([again.status, again.body]).toEqual([404, missing]);
    expect([read.status, read.body]).toEqual([404, missing]);
    expect([objects.status, objects.body]).toEqual([404, { detail: 'Class was not found.' }]);
  });

  it('deletes its metadata and its revision too: the name can be reused', async () => {
    await world.dataClass('phoenix', [], { metadata: { a: 1 } });
    await world.call(world.owner, 'PATCH', 'classes/phoenix/', {
      schema: [{ name: 'a', type: 'text' }],
    });
    await world.call(world.owner, 'DELETE', 'classes/phoenix/');

    const answer = await world.call(world.owner, 'POST', 'classes/', { name: 'phoenix' });

    expect(answer.body).toEqual(fresh('phoenix'));
  });

  it('is rejected for the built-in class, which may be changed', async () => {
    const removed = await world.call(world.owner, 'DELETE', 'classes/user_profile/');
    const changed = await world.call(world.owner, 'PATCH', 'classes/user_profile/', {
      schema: [{ name: 'nick', type: 'string' }],
    });

    expect([removed.status, removed.body]).toEqual([403, forbidden]);
    expect(changed.body).toEqual(
      fresh('user_profile', {
        description: 'Class that holds profiles for users.',
        schema: [{ name: 'nick', type: 'string' }],
        revision: 2,
      }),
    );
  });
});

describe('methods and versions', () => {
  scenarios('of classes', () => api, [
    {
      name: 'POST on a class is not allowed',
      method: 'POST',
      path: `${list}book/`,
      status: 405,
      response: { detail: 'Method "POST" not allowed.' },
      given: owner,
    },
    {
      name: 'PUT on the list is not allowed',
      method: 'PUT',
      path: list,
      status: 405,
      response: { detail: 'Method "PUT" not allowed.' },
      given: owner,
    },
    {
      name: 'a name that can be none is not there',
      path: `${list}a-b/`,
      status: 404,
      response: missing,
      given: owner,
    },
    {
      name: 'version 1 has links of version 1',
      path: '/v1/instances/blog-1/classes/book/',
      status: 200,
      response: fresh('book', {
        links: {
          self: '/v1/instances/blog-1/classes/book/',
          objects: '/v1/instances/blog-1/classes/book/objects/',
        },
      }),
      given: owner,
    },
    {
      name: 'fields keeps the named ones',
      path: `${list}book/?fields=name,links,nothing`,
      status: 200,
      response: { name: 'book', links: { self: `${list}book/`, objects: `${list}book/objects/` } },
      given: owner,
    },
    {
      name: 'excluded_fields wins',
      path: `${list}book/?fields=name,metadata&excluded_fields=metadata`,
      status: 200,
      response: { name: 'book' },
      given: owner,
    },
  ]);
});

describe('access to classes', () => {
  const rights = [
    ['open', 'read', 'none', null],
    ['creatable', 'create_objects', 'none', null],
    ['closed', 'none', 'create_objects', null],
    ['ours', 'none', 'read', 3],
    ['theirs', 'none', 'create_objects', 4],
    ['mute', 'none', 'none', 3],
  ] as const;
  const names = rights.map(([name]) => name);

  beforeAll(async () => {
    for (const [name, other_permissions, group_permissions, group] of rights) {
      await world.dataClass(name, [], { other_permissions, group_permissions, group });
    }
  });

  it.each([
    ['the owner', () => world.owner, names],
    ['an ignore_acl key', () => ignoring, names],
    ['a bare key', () => bare, ['open', 'creatable']],
    ['a user', () => member, ['open', 'creatable', 'ours']],
    ['an unknown user', () => ({ key: bare, user: 'abc' }), ['open', 'creatable']],
  ])('%s sees the classes it may read, in lists and by name', async (_, as, visible) => {
    const page = await world.call(as(), 'GET', 'classes/?fields=name');
    const alone = await Promise.all(
      names.map(async (name) => [name, await world.call(as(), 'GET', `classes/${name}/`)] as const),
    );

    const listed = page.body.objects.map(({ name }: { name: string }) => name);
    expect(listed.filter((name: string) => names.includes(name as 'open'))).toEqual(visible);
    expect(alone.filter(([, { status }]) => status === 200).map(([name]) => name)).toEqual(visible);
    for (const [, { status, body }] of alone) {
      if (status !== 200) expect([status, body]).toEqual([404, missing]);
    }
  });

  it.each([
    ['a bare key', () => bare],
    ['an ignore_acl key', () => ignoring],
    ['a user', () => member],
    ['nobody', () => undefined],
  ])('%s changes none', async (_, as) => {
    const answers = [
      await world.call(as(), 'POST', 'classes/', { name: 'mine' }),
      await world.call(as(), 'PUT', 'classes/open/', {}),
      await world.call(as(), 'PATCH', 'classes/open/', {}),
      await world.call(as(), 'DELETE', 'classes/open/'),
      await world.call(as(), 'DELETE', 'classes/nothing/'),
    ];

    for (const { status, body } of answers) expect([status, body]).toEqual([403, forbidden]);
  });

  it('anonymous callers and accounts of other instances read none', async () => {
    const stranger = await world.account('stranger@example.com');
    const answers = [
      await world.call(undefined, 'GET', 'classes/'),
      await world.call(undefined, 'GET', 'classes/open/'),
      await world.call(stranger, 'GET', 'classes/'),
      await world.call(stranger, 'GET', 'classes/open/'),
    ];

    for (const { status, body } of answers) expect([status, body]).toEqual([403, forbidden]);
  });

  it('a change of permissions applies to the next request', async () => {
    await world.dataClass('fickle', [], { other_permissions: 'read' });
    const before = await world.call(bare, 'GET', 'classes/fickle/');

    await world.call(world.owner, 'PATCH', 'classes/fickle/', { other_permissions: 'none' });
    const after = await world.call(bare, 'GET', 'classes/fickle/');

    expect([before.status, after.status]).toEqual([200, 404]);
  });
});

describe('the list of classes', () => {
  const instance = '/v1.1/instances/shelves/classes/';
  let shelves: World;

  beforeAll(async () => {
    shelves = await openWorld(api, 'shelves');
    for (const name of ['zeta', 'alpha', 'beta', 'alpine']) await shelves.dataClass(name, []);
  });

  it.each([
    ['?fields=name', ['user_profile', 'zeta', 'alpha', 'beta', 'alpine']],
    ['?fields=name&ordering=desc', ['alpine', 'beta', 'alpha', 'zeta', 'user_profile']],
    ['?fields=name&name__startswith=al', ['alpha', 'alpine']],
    ['?fields=name&name__startswith=AL', []],
    ['?fields=name&name__startswith=', ['user_profile', 'zeta', 'alpha', 'beta', 'alpine']],
  ])('%s', async (query, names) => {
    const { body } = await shelves.call(shelves.owner, 'GET', `classes/${query}`);

    expect(body).toEqual({ next: null, prev: null, objects: names.map((name) => ({ name })) });
  });

  it('is followed by its links in the order of creation, and back', async () => {
    const first = await shelves.call(shelves.owner, 'GET', 'classes/?fields=name&page_size=2');
    const second = await api.send({ as: shelves.owner, path: first.body.next });
    const last = await api.send({ as: shelves.owner, path: second.body.next });
    const back = await api.send({ as: shelves.owner, path: last.body.prev });

    expect(
      [first, second, last, back].map(({ body }) =>
        body.objects.map(({ name }: { name: string }) => name),
      ),
    ).toEqual([['user_profile', 'zeta'], ['alpha', 'beta'], ['alpine'], ['alpha', 'beta']]);
    expect(first.body.next.startsWith(`${instance}?`)).toBe(true);
    expect(last.body.next).toBeNull();
  });
});
