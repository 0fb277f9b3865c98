import { describe, expect } from 'vitest';
import { openWorld, plantGroup, plantUser, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import {
  column,
  forbidden,
  isNull,
  missing,
  noClass,
  noInteger,
  noPk,
  notObject,
  rejections,
  taken,
  time,
  tooLong,
} from '../support/responses.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const list = '/v1.1/instances/blog-1/classes/';
const startMessage = 'Value has to start with a letter.';
const endMessage = 'Value has to end with a letter or a number.';
const charactersMessage = 'Enter a valid value consisting of letters, numbers, underscores.';
const invalidMetadata = { metadata: ['Metadata passed in invalid format.'] };
const inGroup = (name: string) => ({
  self: `${list}${name}/`,
  objects: `${list}${name}/objects/`,
  group: '/v1.1/instances/blog-1/groups/3/',
});

const whole = {
  name: 'shelf',
  description: 'Old',
  group: 3,
  group_permissions: 'read',
  other_permissions: 'none',
  metadata: { a: 1 },
  schema: [{ name: 'title', type: 'string' }],
};

describe('creating a class', () => {
  it.for<[string, { readonly name: string; readonly [field: string]: unknown }, object]>([
    ['a name is enough; it is trimmed and put into lower case', { name: ' Book ' }, {}],
    [
      'everything that may be written is kept, read-only and unknown members are ignored',
      {
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
      {
        description: 'All of it',
        group: 3,
        group_permissions: 'read',
        other_permissions: 'none',
        metadata: { color: 'red' },
        schema: [{ name: 'title', type: 'string', filter_index: true }],
        links: inGroup('full'),
      },
    ],
    [
      'schema and metadata may be JSON text, numbers their text',
      {
        name: 'texts',
        schema: '[{"name":"a","type":"text"}]',
        metadata: '{"a":1}',
        group: '3',
        group_permissions: '1',
        other_permissions: 2,
      },
      {
        schema: [{ name: 'a', type: 'text' }],
        metadata: { a: 1 },
        group: 3,
        group_permissions: 'read',
        links: inGroup('texts'),
      },
    ],
    [
      'empty texts of JSON fields are their defaults',
      { name: 'empty', schema: '', metadata: '' },
      {},
    ],
    ['a name of 50 characters is the longest', { name: 'x'.repeat(50) }, {}],
  ])('%s', async ([_, body, more], { world }) => {
    const { status, body: made } = await world.own('POST', 'classes/', body);

    expect([status, made]).toEqual([201, fresh(body.name.trim().toLowerCase(), more)]);
  });

  rejections(it, 'is rejected:', (body, world) => world.own('POST', 'classes/', body), [
    ['a name must not be null', { name: null }, { name: isNull }],
    [
      'a name has all messages that apply, in order',
      { name: `1${'x'.repeat(50)}-` },
      {
        name: [
          startMessage,
          endMessage,
          'Ensure this value has at most 50 characters (it has 52).',
          charactersMessage,
        ],
      },
    ],
    ...['self', 'user', 'Users', 'acl'].map(
      (name) =>
        [
          `a class cannot be called ${name}`,
          { name },
          { name: ['Unable to use that value. Please choose a different one.'] },
        ] as const,
    ),
    ['a name is taken in any case, which is the only message', { name: 'BOOK' }, { name: taken }],
    [
      'other messages come before that of a name that is taken',
      { name: 'book', description: 'x'.repeat(257) },
      { description: tooLong(256) },
    ],
    ['the built-in class is taken too', { name: 'user_profile' }, { name: taken }],
    [
      'all fields have their messages together',
      {
        name: 'a b',
        description: null,
        schema: 5,
        group: 'x',
        group_permissions: 'write',
        other_permissions: null,
        metadata: [],
      },
      {
        name: [charactersMessage],
        description: isNull,
        schema: ['Schema passed in invalid format.'],
        group: ['Incorrect type. Expected pk value, received str.'],
        group_permissions: ['"write" is not a valid choice.'],
        other_permissions: isNull,
        ...invalidMetadata,
      },
    ],
    ['a group must exist', { name: 'grouped', group: 9 }, { group: noPk(9) }],
    [
      'metadata has eight keys at most',
      { name: 'm', metadata: Object.fromEntries([...'abcdefghi'].map((name) => [name, 1])) },
      { metadata: ['Too many keys defined (exceeds 8).'] },
    ],
    ['a body must be an object', [], notObject()],
  ]);
});

describe('changing a class', () => {
  const links = inGroup('shelf');

  it.for<[string, string, object, object]>([
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
  ])('%s', async ([_, method, body, changes], { world }) => {
    await make(world);

    const response = await world.own(method, 'classes/Shelf/', body);
    const after = await world.own('GET', 'classes/shelf/');

    expect(response.status).toBe(200);
    expect(response.body).toEqual(fresh('shelf', { ...whole, links, ...changes }));
    expect(after.body).toEqual(response.body);
  });

  it.for<[string, string, object, object]>([
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
      { expected_revision: noInteger },
    ],
    [
      'faults of fields before the revision',
      'PATCH',
      { expected_revision: 2, metadata: [] },
      invalidMetadata,
    ],
    ['a schema that is null', 'PATCH', { schema: null }, { schema: isNull }],
  ])('is rejected with %s', async ([_, method, body, errors], { world }) => {
    await make(world);

    const response = await world.own(method, 'classes/shelf/', body);
    const after = await world.own('GET', 'classes/shelf/');

    expect(response).toMatchObject({ status: 400, body: errors });
    expect(after.body).toEqual(fresh('shelf', { ...whole, links }));
  });

  it('updates the time of change and not that of creation', async ({ world }) => {
    await make(world);
    const before = (await world.own('GET', 'classes/shelf/')).body;

    const { body } = await world.own('PATCH', 'classes/shelf/', { description: '' });

    expect(body.created_at).toBe(before.created_at);
    expect(body.updated_at > before.updated_at).toBe(true);
  });
});

describe('a class as a form', () => {
  it.for(['multipart/form-data', 'application/x-www-form-urlencoded'] as const)(
    '%s',
    async (type, { world }) => {
      const name = type.startsWith('m') ? 'parts' : 'pairs';
      const values = {
        name,
        description: '',
        group: '',
        metadata: '{"a":"b"}',
        schema: '[{"name":"a","type":"integer","unique":true}]',
        other_permissions: 'read',
      };
      const form = name === 'parts' ? new FormData() : new URLSearchParams();
      for (const [field, value] of Object.entries(values)) form.append(field, value);

      const response = await world.own('POST', 'classes/', form);

      expect(response.status).toBe(201);
      expect(response.body).toEqual(
        fresh(name, {
          metadata: { a: 'b' },
          other_permissions: 'read',
          schema: [{ name: 'a', type: 'integer', filter_index: true, unique: true }],
        }),
      );
    },
  );

  it('keeps values on PATCH that are empty and cannot be null', async ({ world }) => {
    await world.dataClass('formed', [{ name: 'a', type: 'text' }], { group: 3 });

    const form = new URLSearchParams('schema=&metadata=&group=&other_permissions=');
    const { body } = await world.own('PATCH', 'classes/formed/', form);

    expect(body).toEqual(fresh('formed', { schema: [{ name: 'a', type: 'text' }] }));
  });
});

describe('deleting a class', () => {
  it('returns 204, and the class no longer exists', async ({ world }) => {
    await world.dataClass('gone', []);

    const removed = await world.own('DELETE', 'classes/GONE/');
    const again = await world.own('DELETE', 'classes/gone/');
    const read = await world.own('GET', 'classes/gone/');
    const objects = await world.own('GET', 'classes/gone/objects/');

    expect([removed.status, removed.body]).toEqual([204, '']);
    expect([again.status, again.body]).toEqual([404, missing]);
    expect([read.status, read.body]).toEqual([404, missing]);
    expect([objects.status, objects.body]).toEqual([404, noClass]);
  });

  it('deletes its metadata and its revision too: the name can be reused', async ({ world }) => {
    await world.dataClass('phoenix', [], { metadata: { a: 1 } });
    await world.own('PATCH', 'classes/phoenix/', {
      schema: [{ name: 'a', type: 'text' }],
    });
    await world.own('DELETE', 'classes/phoenix/');

    const response = await world.own('POST', 'classes/', { name: 'phoenix' });

    expect(response.body).toEqual(fresh('phoenix'));
  });

  it('is rejected for the built-in class, which may be changed', async ({ world }) => {
    const removed = await world.own('DELETE', 'classes/user_profile/');
    const changed = await world.own('PATCH', 'classes/user_profile/', {
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

  it.beforeAll(async ({ world }) => {
    for (const [name, other_permissions, group_permissions, group] of rights) {
      await world.dataClass(name, [], { other_permissions, group_permissions, group });
    }
  });

  it.for([
    ['the owner', ({ world }: Given) => world.owner, names],
    ['an ignore_acl key', ({ ignoring }: Given) => ignoring, names],
    ['a bare key', ({ bare }: Given) => bare, ['open', 'creatable']],
    ['a user', ({ member }: Given) => member, ['open', 'creatable', 'ours']],
    ['an unknown user', ({ bare }: Given) => ({ key: bare, user: 'abc' }), ['open', 'creatable']],
  ] as const)(
    '%s sees the classes it may read, in lists and by name',
    async ([_, as, visible], { given, world }) => {
      const page = await world.call(as(given), 'GET', 'classes/?fields=name');
      const alone = await Promise.all(
        names.map(
          async (name) => [name, await world.call(as(given), 'GET', `classes/${name}/`)] as const,
        ),
      );

      const listed = column(page, 'name');
      expect(listed.filter((name) => names.includes(name as 'open'))).toEqual(visible);
      expect(alone.filter(([, { status }]) => status === 200).map(([name]) => name)).toEqual(
        visible,
      );
      for (const [, { status, body }] of alone) {
        if (status !== 200) expect([status, body]).toEqual([404, missing]);
      }
    },
  );

  it('a change of permissions applies to the next request', async ({ world, given: { bare } }) => {
    await world.dataClass('fickle', [], { other_permissions: 'read' });
    const before = await world.call(bare, 'GET', 'classes/fickle/');

    await world.own('PATCH', 'classes/fickle/', { other_permissions: 'none' });
    const after = await world.call(bare, 'GET', 'classes/fickle/');

    expect([before.status, after.status]).toEqual([200, 404]);
  });
});

describe('the list of classes', () => {
  const instance = '/v1.1/instances/shelves/classes/';
  let shelves: World;

  it.beforeAll(async ({ api }) => {
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
    const { body } = await shelves.own('GET', `classes/${query}`);

    expect(body).toEqual({ next: null, prev: null, objects: names.map((name) => ({ name })) });
  });

  it('is followed by its links in the order of creation, and back', async ({ api }) => {
    const first = await shelves.own('GET', 'classes/?fields=name&page_size=2');
    const second = await api.send({ as: shelves.owner, path: first.body.next });
    const last = await api.send({ as: shelves.owner, path: second.body.next });
    const back = await api.send({ as: shelves.owner, path: last.body.prev });

    expect([first, second, last, back].map((page) => column(page, 'name'))).toEqual([
      ['user_profile', 'zeta'],
      ['alpha', 'beta'],
      ['alpine'],
      ['alpha', 'beta'],
    ]);
    expect(first.body.next.startsWith(`${instance}?`)).toBe(true);
    expect(last.body.next).toBeNull();
  });
});

async function setUp(world: World) {
  const bare = await world.apiKey();
  const ignoring = await world.apiKey({ ignore_acl: true });
  const member: { key: string; user: string } = { key: bare, user: await plantUser(world, 7, [3]) };
  await plantGroup(world, 4);
  return { ignoring, bare, member, world };
}

type Given = Awaited<ReturnType<typeof setUp>>;

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

async function make(world: World): Promise<void> {
  await world.own('DELETE', 'classes/shelf/');
  await world.create('classes/', whole);
}
