import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type Credentials, expected, plantGroup, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import {
  forbidden,
  isNull,
  missing,
  noChoice,
  noClass,
  noInteger,
  noPk,
  notObject,
  time,
  tooLong,
} from '../support/responses.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const list = '/v1.1/instances/blog-1/classes/book/objects/';
const userLink = (id: number) => ({ owner: `/v1.1/instances/blog-1/users/${id}/` });
const groupLink = (id: number) => ({ group: `/v1.1/instances/blog-1/groups/${id}/` });
const cannotChangeOwner = { owner: ['Cannot change owner of Data Object.'] };
const invalidGroup = { group: ['Invalid group specified.'] };

describe('a new object', () => {
  it.for<[string, Who, object, object, object?]>([
    ['may be empty', 'owner', {}, {}],
    [
      'keeps what may be written',
      'owner',
      {
        title: 'Dunes',
        pages: '12',
        owner: 7,
        owner_permissions: 'read',
        group: '4',
        group_permissions: 2,
        other_permissions: '1',
      },
      {
        title: 'Dunes',
        pages: 12,
        owner: 7,
        owner_permissions: 'read',
        group: 4,
        group_permissions: 'write',
        other_permissions: 'read',
      },
      { ...userLink(7), ...groupLink(4) },
    ],
    [
      'reads past what is not its own',
      'owner',
      {
        id: 1,
        revision: 5,
        created_at: 'x',
        updated_at: 'x',
        links: 5,
        unknown: {},
        expected_revision: 'x',
        className: 'book',
        channel: null,
        constructor: 1,
      },
      {},
    ],
    ['has no room without a channel', 'owner', { channel_room: 'lobby' }, {}],
    ['belongs to whom an ignore_acl key says', 'ignoring', { owner: 7 }, { owner: 7 }, userLink(7)],
    ['belongs to the user who makes it', 'user', {}, { owner: 7 }, userLink(7)],
    ['belongs to the user, whatever he says', 'user', { owner: 8 }, { owner: 7 }, userLink(7)],
    ['belongs to the user, even to nobody', 'user', { owner: null }, { owner: 7 }, userLink(7)],
    ['belongs to the user, even of no number', 'user', { owner: 'x' }, { owner: 7 }, userLink(7)],
    [
      'belongs to the user of an ignore_acl key',
      'ignoringUser',
      { owner: 8 },
      { owner: 7 },
      userLink(7),
    ],
    ['of a bare key belongs to nobody', 'bare', { owner: 7 }, {}],
    [
      'may be in a group of the user',
      'user',
      { group: 3 },
      { owner: 7, group: 3 },
      { ...userLink(7), ...groupLink(3) },
    ],
    [
      'may give others more than a user has',
      'bare',
      { other_permissions: 'full', group_permissions: 'full' },
      { other_permissions: 'full', group_permissions: 'full' },
    ],
  ])('%s', async ([_, as, body, values, links], { api, world, given: { keyOf } }) => {
    const made = await api.send({ as: keyOf(as), path: list, body });
    const read = await api.send({ as: world.owner, path: made.body.links?.self ?? '' });

    expect([made.status, made.body]).toEqual([201, fresh(made.body.id, values, links)]);
    expect(read.body).toEqual(made.body);
  });

  it.for<[string, Who, unknown, object]>([
    ['with an owner who does not exist', 'owner', { owner: 9 }, { owner: noPk(9) }],
    ['with a group that does not exist', 'owner', { group: 9 }, { group: noPk(9) }],
    ['with a group of others', 'user', { group: 4 }, invalidGroup],
    ['with a group by a bare key', 'bare', { group: 3 }, invalidGroup],
    [
      'with wrong permissions',
      'owner',
      { other_permissions: 'create_objects', owner_permissions: null },
      { other_permissions: noChoice('create_objects'), owner_permissions: isNull },
    ],
    [
      'with a channel that does not exist',
      'owner',
      { channel: 'news' },
      { channel: ['Object with name=news does not exist.'] },
    ],
    [
      'with a room of 65 characters',
      'owner',
      { channel_room: 'x'.repeat(65) },
      { channel_room: tooLong(64) },
    ],
    ['from a list', 'owner', [], notObject()],
    ['from null', 'owner', 'null', { non_field_errors: ['No data provided'] }],
  ])('is rejected %s', async ([_, as, body, errors], { api, given: { keyOf } }) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await api.send({ as: keyOf(as), method: 'POST', path: list, body, headers });

    expect([response.status, response.body]).toEqual([400, errors]);
  });

  it('has a higher number than all before it, whatever its class', async ({ world }) => {
    await world.dataClass('other', []);

    const ids: number[] = [];
    for (const name of ['book', 'other', 'other', 'book']) {
      ids.push((await world.own('POST', `classes/${name}/objects/`, {})).body.id);
    }

    expect(ids.every((id, i) => i === 0 || id === (ids[i - 1] ?? 0) + 1)).toBe(true);
  });
});

describe('a changed object', () => {
  let self: string;
  let id: number;
  const start = {
    title: 'Dunes',
    pages: 3,
    owner: 7,
    owner_permissions: 'write',
    group: 3,
    group_permissions: 'read',
    other_permissions: 'read',
  };
  const links = { ...userLink(7), ...groupLink(3) };

  it.beforeEach(async ({ api, world }) => {
    const { body } = await api.send({ as: world.owner, path: list, body: start });
    self = body.links.self;
    id = body.id;
  });

  it.for<[string, string, object, object]>([
    ['PATCH of nothing', 'PATCH', {}, {}],
    ['PATCH of the same values', 'PATCH', { title: 'Dunes', pages: '3', group: 3 }, {}],
    ['PATCH with an increment of 0', 'PATCH', { pages: { _increment: 0 } }, {}],
    ['POST of the same values', 'POST', start, {}],
    ['PUT of the same values', 'PUT', start, {}],
  ])('%s changes neither revision nor time', async ([_, method, body], { api, world }) => {
    const before = (await api.send({ as: world.owner, path: self })).body;

    const response = await api.send({ as: world.owner, method, path: self, body });
    const after = (await api.send({ as: world.owner, path: self })).body;

    expect([response.status, response.body]).toEqual([200, before]);
    expect(after).toEqual(before);
  });

  const defaults = {
    owner_permissions: 'full',
    group_permissions: 'none',
    other_permissions: 'none',
  };

  it.for<[string, string, object, object]>([
    ['PATCH of a value', 'PATCH', { title: 'New' }, { title: 'New' }],
    ['PATCH of a value to null', 'PATCH', { title: null }, { title: null }],
    ['PATCH of a right', 'PATCH', { other_permissions: 'none' }, { other_permissions: 'none' }],
    ['PATCH of the owner', 'PATCH', { owner: 8 }, { owner: 8 }],
    ['PATCH of the owner to nobody', 'PATCH', { owner: null }, { owner: null }],
    ['PATCH of the group', 'PATCH', { group: 4 }, { group: 4 }],
    ['PATCH of the group to none', 'PATCH', { group: null }, { group: null }],
    [
      'PATCH with a channel, read past',
      'PATCH',
      { channel: 'x', channel_room: 'x', pages: 1 },
      { pages: 1 },
    ],
    ['PUT resets rights and nothing else', 'PUT', {}, defaults],
    ['POST resets rights and nothing else', 'POST', {}, defaults],
    ['POST with values', 'POST', { ...start, title: 'New' }, { title: 'New' }],
    ['the expected revision', 'PATCH', { pages: 1, expected_revision: 1 }, { pages: 1 }],
    ['its text', 'PATCH', { pages: 1, expected_revision: '1' }, { pages: 1 }],
    ['a revision of 0, which is none', 'PATCH', { pages: 1, expected_revision: 0 }, { pages: 1 }],
  ])('%s raises the revision by one', async ([_, method, body, changes], { api, world }) => {
    const before = (await api.send({ as: world.owner, path: self })).body;

    const response = await api.send({ as: world.owner, method, path: self, body });
    const after = (await api.send({ as: world.owner, path: self })).body;

    const values = { ...start, ...changes, revision: 2 };
    expect(response.status).toBe(200);
    expect(response.body).toEqual(fresh(id, values, linksOf(values)));
    expect(after).toEqual(response.body);
    expect(after.created_at).toBe(before.created_at);
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  function linksOf({ owner, group }: { owner: number | null; group: number | null }): object {
    return { ...(owner && userLink(owner)), ...(group && groupLink(group)) };
  }

  const mismatch = { expected_revision: 'Revision mismatch. Expected 2, got 1.' };
  it.for<[string, Who, string, object, object]>([
    ['with another revision', 'owner', 'PATCH', { pages: 1, expected_revision: 2 }, mismatch],
    [
      'with another revision, even when nothing changes',
      'owner',
      'POST',
      { ...start, expected_revision: 2 },
      mismatch,
    ],
    [
      'with a revision that is no number',
      'owner',
      'PATCH',
      { expected_revision: 'x' },
      { expected_revision: noInteger },
    ],
    [
      'with a wrong value before a wrong revision',
      'owner',
      'PATCH',
      { pages: 'x', expected_revision: 2 },
      { pages: noInteger },
    ],
    ['with an unknown owner', 'ignoring', 'PATCH', { owner: 9 }, { owner: noPk(9) }],
    ['with an unknown group', 'ignoring', 'POST', { group: 9 }, { group: noPk(9) }],
    ['with another owner by a user', 'user', 'PATCH', { owner: 8 }, cannotChangeOwner],
    ['with no owner by a user', 'user', 'PATCH', { owner: null }, cannotChangeOwner],
    ['with an unknown owner by a user', 'user', 'PATCH', { owner: 9 }, cannotChangeOwner],
    [
      'with another owner by the user of an ignore_acl key',
      'ignoringUser',
      'PATCH',
      { owner: 8 },
      cannotChangeOwner,
    ],
    ['with a group of others by a user', 'user', 'PATCH', { group: 4 }, invalidGroup],
  ])('is rejected %s', async ([_, as, method, body, errors], { api, world, given: { keyOf } }) => {
    const response = await api.send({ as: keyOf(as), method, path: self, body });
    const after = (await api.send({ as: world.owner, path: self })).body;

    expect([response.status, response.body]).toEqual([400, errors]);
    expect(after).toEqual(fresh(id, start, links));
  });

  it('accepts current values from a user', async ({ api, given: { user } }) => {
    const response = await api.send({
      as: user,
      method: 'PATCH',
      path: self,
      body: { owner: 7, group: 3, title: 'New' },
    });

    expect([response.status, response.body.title]).toEqual([200, 'New']);
  });

  it('accepts the current group from a user who is not in it', async ({
    api,
    world,
    given: { user },
  }) => {
    await api.send({ as: world.owner, method: 'PATCH', path: self, body: { group: 4 } });

    const response = await api.send({
      as: user,
      method: 'PATCH',
      path: self,
      body: { group: 4, title: 'New' },
    });

    expect([response.status, response.body.group]).toEqual([200, 4]);
  });
});

describe('a deleted object', () => {
  it('is missing for every request', async ({ api, world, given: { ignoring } }) => {
    const { body } = await api.send({ as: world.owner, path: list, body: { title: 'Dunes' } });
    const path = body.links.self;

    const removed = await api.send({ as: ignoring, method: 'DELETE', path });
    const later = [
      await api.send({ as: world.owner, path }),
      await api.send({ as: world.owner, method: 'PATCH', path, body: {} }),
      await api.send({ as: world.owner, method: 'POST', path, body: {} }),
      await api.send({ as: world.owner, method: 'PUT', path, body: {} }),
      await api.send({ as: world.owner, method: 'DELETE', path }),
    ];

    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const { status, body } of later) expect([status, body]).toEqual([404, missing]);
  });
});

describe('a path of objects', () => {
  it.for([
    ['nothing/objects/', noClass],
    ['constructor/objects/1/', noClass],
    ['book/objects/x/', missing],
    ['book/objects/99999999999/', missing],
    ['book/objects/999999/', missing],
  ] as const)('%s is missing', async ([path, body], { world }) => {
    const response = await world.own('GET', `classes/${path}`);

    expect([response.status, response.body]).toEqual([404, body]);
  });

  it('has the class in any case, and links show it as it is', async ({ api, world }) => {
    const { body } = await api.send({
      as: world.owner,
      path: '/v1.1/instances/Blog-1/classes/BOOK/objects/1/?fields=links',
    });

    expect(body).toEqual({ links: { self: `${list}1/` } });
  });
});

describe('objects of the built-in class', () => {
  const profiles = 'classes/user_profile/objects/';

  it.for([
    ['the owner', ({ world }: Given) => world.owner],
    ['an ignore_acl key', ({ ignoring }: Given) => ignoring],
    ['a user', ({ user }: Given) => user],
    ['a bare key', ({ bare }: Given) => bare],
  ] as const)('%s neither creates nor deletes them', async ([_, as], { given, world }) => {
    const made = await world.call(as(given), 'POST', profiles, {});
    const removed = await world.call(as(given), 'DELETE', `${profiles}1/`);

    expect([made.status, made.body]).toEqual([403, forbidden]);
    expect([removed.status, removed.body]).toEqual([403, forbidden]);
  });
});

it('a response has its members in the order of the reference', async ({ api, world }) => {
  const { body } = await api.send({ as: world.owner, path: list, body: { owner: 7 } });

  expect(Object.keys(body).join()).toBe(
    'id,created_at,updated_at,revision,owner,owner_permissions,group,group_permissions,other_permissions,channel,channel_room,title,pages,links',
  );
  expect(expected(await api.send({ as: world.owner, path: body.links.self }), 200)).toEqual(body);
});

async function setUp(world: World) {
  const keyOf = (who: Who): Credentials =>
    ({ owner: world.owner, bare, ignoring, user, ignoringUser })[who];

  const ignoring = await world.apiKey({ ignore_acl: true });
  const bare = await world.apiKey();
  const user: { key: string; user: string } = { key: bare, user: await plantUser(world, 7, [3]) };
  const ignoringUser: { key: string; user: string } = { key: ignoring, user: user.user };
  await plantUser(world, 8);
  await plantGroup(world, 4);
  await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true },
    { name: 'pages', type: 'integer' },
  ]);
  await world.own('PATCH', 'classes/user_profile/', {
    schema: [{ name: 'nick', type: 'string' }],
  });
  return { keyOf, user, ignoring, bare, world };
}

type Given = Awaited<ReturnType<typeof setUp>>;

type Who = 'owner' | 'bare' | 'ignoring' | 'user' | 'ignoringUser';

/** An object as responses show it when it was created without any value. */
function fresh(id: number, more: object = {}, links: object = {}): unknown {
  return {
    id,
    created_at: time,
    updated_at: time,
    revision: 1,
    owner: null,
    owner_permissions: 'full',
    group: null,
    group_permissions: 'none',
    other_permissions: 'none',
    channel: null,
    channel_room: null,
    title: null,
    pages: null,
    ...more,
    links: { self: `${list}${id}/`, ...links },
  };
}
