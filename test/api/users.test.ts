import { describe, expect } from 'vitest';
import { expected, openWorld, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import {
  blank,
  isNull,
  newKey,
  noChoice,
  noInteger,
  noPk,
  notObject,
  rejections,
  required,
  taken,
  time,
  tooLong,
} from '../support/responses.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

describe('registration', () => {
  it('creates a user with profile and key, and returns the name as it was typed', async ({
    world,
    given: { bare },
  }) => {
    const body = { username: ' Ann Lee ', password: 's3cret', profile: { nick: 'al' } };

    const made = await world.own('POST', 'users/', body);

    const { id, user_key, profile } = made.body;
    const self = `/v1.1/instances/blog-1/users/${id}/`;
    const profilePath = `/v1.1/instances/blog-1/classes/user_profile/objects/${profile.id}/`;
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(Number),
      username: 'Ann Lee',
      profile: {
        id: expect.any(Number),
        created_at: time,
        updated_at: time,
        revision: 1,
        owner: id,
        owner_permissions: 'full',
        group: null,
        group_permissions: 'none',
        other_permissions: 'none',
        channel: null,
        channel_room: null,
        nick: 'al',
        badge: null,
        friend: null,
        visits: null,
        links: { self: profilePath, owner: self },
      },
      groups: [],
      user_key: newKey,
      links: {
        self,
        groups: `${self}groups/`,
        'reset-key': `${self}reset_key/`,
        profile: profilePath,
      },
    });
    const later = await world.own('GET', `users/${id}/`);
    expect(later.body).toEqual({ ...made.body, username: 'ann lee' });
    const object = await world.own('GET', `classes/user_profile/objects/${profile.id}/`);
    expect(object.body).toEqual(profile);
    const self_ = await world.call({ key: bare, user: user_key }, 'GET', 'user/');
    expect(self_.body).toEqual(later.body);
  });

  it('sets permissions of the profile, whose owner is the user whatever the body contains', async ({
    given: { register },
  }) => {
    const { id: other } = await register();
    const profile = { owner: other, other_permissions: 'read', owner_permissions: 'write', id: 9 };

    const made = await register({ profile });

    expect(made.profile).toMatchObject({
      owner: made.id,
      owner_permissions: 'write',
      other_permissions: 'read',
    });
  });

  it('creates one of two users of one name at the same time', async ({ world }) => {
    const sent = ['Twin', 'twin', ' TWIN', 'tWIN'].map((username) =>
      world.own('POST', 'users/', { username, password: 'p' }),
    );

    const responses = await Promise.all(sent);

    const statuses = responses.map(({ status }) => status).sort();
    const errors = responses.filter(({ status }) => status === 400).map(({ body }) => body);
    expect(statuses).toEqual([201, 400, 400, 400]);
    expect(errors).toEqual(errors.map(() => ({ username: taken })));
    const { body } = await world.own('GET', 'users/?username__startswith=twin');
    expect(body.objects).toHaveLength(1);
  });

  it('creates nothing when the profile is rejected', async ({ world, given: { register } }) => {
    await register({ profile: { badge: 'one' } });
    const body = { username: 'late', password: 'p', profile: { badge: 'one' } };

    const refused = await world.own('POST', 'users/', body);
    const again = await world.own('POST', 'users/', { ...body, profile: { badge: 'two' } });

    expect([refused.status, refused.body]).toEqual([400, { profile: { badge: taken } }]);
    expect(again.status).toBe(201);
  });

  rejections(it, 'rejects', (body, world) => world.own('POST', 'users/', body), [
    ['nothing', {}, { username: required, password: required }],
    [
      'null',
      { username: null, password: null, profile: null },
      { username: isNull, password: isNull, profile: isNull },
    ],
    ['blanks', { username: '  ', password: '' }, { username: blank, password: blank }],
    [
      'long values',
      { username: 'x'.repeat(65), password: 'x'.repeat(129) },
      { username: tooLong(64), password: tooLong(128) },
    ],
    [
      'a profile that is no object',
      { username: 'u', password: 'p', profile: [1] },
      { profile: notObject() },
    ],
    [
      'a profile that is text',
      { username: 'u', password: 'p', profile: 'nick' },
      { profile: notObject('str') },
    ],
    [
      'fields of user and profile together',
      { password: 'p', profile: { visits: 'x', friend: 9999, other_permissions: 'furry' } },
      {
        username: required,
        profile: {
          visits: noInteger,
          friend: ['Target with specified id does not exist.'],
          other_permissions: noChoice('furry'),
        },
      },
    ],
    [
      'a name that is taken, in other letters',
      { username: 'ANN lee', password: 'p' },
      { username: taken },
    ],
  ]);

  it.for(['ann@example.com', 'Ünï cödé 😀', 'a\u0000b', '../x', '#', '%'] as const)(
    'accepts %j as a name',
    async (username, { world, given: { register } }) => {
      const made = await register({ username });
      const found = await world.own('POST', 'user/auth/', { username, password: 'a password' });

      expect(made.username).toBe(username);
      expect([found.status, found.body.id]).toEqual([200, made.id]);
    },
  );
});

describe('changes', () => {
  it('PATCH changes the fields that are sent and echoes the name; later it is in lower case', async ({
    world,
    given: { register },
  }) => {
    const made = await register({ profile: { nick: 'a', other_permissions: 'read' } });
    const path = `users/${made.id}/`;

    const named = await world.own('PATCH', path, { username: 'dummyTest' });
    const later = await world.own('GET', path);
    const profile = await world.own('PATCH', path, { profile: { visits: { _increment: 2 } } });

    expect(named.body).toEqual({ ...made, username: 'dummyTest' });
    expect(later.body).toEqual({ ...made, username: 'dummytest' });
    expect(profile.body).toEqual({
      ...later.body,
      profile: { ...made.profile, visits: 2, revision: 2, updated_at: time },
    });
    expect((await world.own('GET', path)).body).toEqual(profile.body);
  });

  it('a whole user sent back changes nothing except the permissions in it', async ({
    world,
    given: { register },
  }) => {
    const made = await register({ profile: { nick: 'a' } });

    const put = await world.own('PUT', `users/${made.id}/`, {
      ...made,
      password: 'p',
      groups: [7],
    });

    expect([put.status, put.body]).toEqual([200, made]);
  });

  it('PUT resets permissions of the profile that are not sent; PATCH keeps them', async ({
    world,
    given: { register },
  }) => {
    const rights = { owner_permissions: 'write', other_permissions: 'read' };
    const { id } = await register({ profile: { nick: 'a', ...rights } });
    const body = { username: `u-${id}`, password: 'p' };

    const patched = await world.own('PATCH', `users/${id}/`, { profile: { nick: 'b' } });
    const without = await world.own('PUT', `users/${id}/`, body);
    const put = await world.own('PUT', `users/${id}/`, { ...body, profile: {} });

    expect(patched.body.profile).toMatchObject({ nick: 'b', ...rights });
    expect(without.body.profile).toMatchObject({ nick: 'b', ...rights });
    expect(put.body.profile).toMatchObject({
      nick: 'b',
      owner_permissions: 'full',
      other_permissions: 'none',
    });
  });

  it('a former name is free, also for its former user', async ({ world, given: { register } }) => {
    const { id } = await register({ username: 'first' });
    await world.own('PATCH', `users/${id}/`, { username: 'second' });

    const other = await register({ username: 'FIRST' });
    const back = await world.own('PATCH', `users/${id}/`, { username: 'First' });
    const same = await world.own('PATCH', `users/${id}/`, { username: 'Second' });

    expect(other.username).toBe('FIRST');
    expect([back.status, back.body]).toEqual([400, { username: taken }]);
    expect([same.status, same.body.username]).toEqual([200, 'Second']);
  });

  it('a new password is valid at once, the old one is invalid, and the key is unchanged', async ({
    world,
    given: { register },
  }) => {
    const { id, username, user_key } = await register();
    await world.own('PATCH', `users/${id}/`, { password: 'another' });

    const old = await world.own('POST', 'user/auth/', { username, password: 'a password' });
    const now = await world.own('POST', 'user/auth/', { username, password: 'another' });

    expect([old.status, old.body]).toEqual([401, { detail: 'Invalid password.' }]);
    expect([now.status, now.body.user_key]).toEqual([200, user_key]);
  });

  it('concurrent changes are all kept', async ({ world, given: { register } }) => {
    const { id } = await register({ profile: { visits: 0 } });
    const { id: group } = await world.create('groups/', {});
    const raise = { profile: { visits: { _increment: 1 } } };

    const responses = await Promise.all([
      ...Array.from({ length: 8 }, () => world.own('PATCH', `users/${id}/`, raise)),
      world.own('PATCH', `users/${id}/`, { username: 'raced' }),
      world.own('POST', `users/${id}/groups/`, { group }),
      world.own('POST', `users/${id}/reset_key/`),
    ]);

    expect(responses.filter(({ status }) => status >= 400)).toEqual([]);
    const { body } = await world.own('GET', `users/${id}/`);
    expect(body).toMatchObject({
      username: 'raced',
      profile: { visits: 8 },
      groups: [{ id: group }],
    });
    expect(body.user_key).toBe(responses.at(-1)?.body.user_key);
  });

  rejections(it, 'PATCH rejects', (body, world) => world.own('PATCH', 'users/1/', body), [
    ['blanks', { username: '', password: null }, { username: blank, password: isNull }],
    [
      'a wrong profile and a wrong name',
      { username: [], profile: { visits: 'x' } },
      { username: ['Not a valid string.'], profile: { visits: noInteger } },
    ],
    [
      'a value that another profile has',
      { profile: { badge: 'one' } },
      { profile: { badge: taken } },
    ],
  ]);

  it('PUT rejects nothing', async ({ world }) => {
    const { status, body } = await world.own('PUT', 'users/1/', {});

    expect([status, body]).toEqual([400, { username: required, password: required }]);
  });
});

describe('deletion', () => {
  it('makes user, profile, name, password, key and memberships inaccessible at once', async ({
    world,
    given: { register, bare },
  }) => {
    const profile = { badge: 'gone' };
    const made = await register({ username: 'leaver', profile });
    const { id: group } = await world.create('groups/', {});
    await world.create(`groups/${group}/users/`, { user: made.id });
    const as = { key: bare, user: made.user_key };
    expected(await world.call(as, 'GET', 'user/'), 200);

    const removed = await world.own('DELETE', `users/${made.id}/`);

    const after = await Promise.all([
      world.own('GET', `users/${made.id}/`),
      world.own('DELETE', `users/${made.id}/`),
      world.own('GET', `classes/user_profile/objects/${made.profile.id}/`),
      world.call(as, 'GET', 'user/'),
      world.own('POST', 'user/auth/', { username: 'leaver', password: 'a password' }),
      world.own('GET', `groups/${group}/users/${made.id}/`),
      world.own('GET', `users/${made.id}/groups/`),
    ]);
    expect(removed.status).toBe(204);
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 403, 401, 404, 404]);
    expect((await world.own('GET', `groups/${group}/users/`)).body.objects).toEqual([]);
    const again = await register({ username: 'leaver', profile });
    expect(again.id).not.toBe(made.id);
    expect(again.groups).toEqual([]);
  });

  it('ends access of the user to its objects, and ownership of them', async ({
    world,
    given: { register, bare },
  }) => {
    const objects = `${await world.dataClass('note', [])}objects/`.replace(world.base, '');
    const { id, user_key } = await register();
    const as = { key: bare, user: user_key };
    const { id: object } = expected(await world.call(as, 'POST', objects, {}), 201);
    expected(await world.own('DELETE', `users/${id}/`), 204);

    const read = await world.call(as, 'GET', `${objects}${object}/`);

    expect(read.status).toBe(403);
    expect((await world.own('POST', objects, { owner: id })).body).toEqual({ owner: noPk(id) });
  });
});

describe('keys', () => {
  it('a reset returns another one and invalidates the previous one at once', async ({
    world,
    given: { register, bare },
  }) => {
    const made = await register();
    const old = { key: bare, user: made.user_key };

    const reset = await world.own('POST', `users/${made.id}/reset_key/`);

    expect([reset.status, reset.body]).toEqual([200, { ...made, user_key: expect.any(String) }]);
    expect(reset.body.user_key).not.toBe(made.user_key);
    const next = { key: bare, user: reset.body.user_key };
    expect((await world.call(old, 'GET', 'user/')).status).toBe(403);
    expect((await world.call(next, 'GET', 'user/')).body.id).toBe(made.id);
    expect((await world.own('GET', `users/${made.id}/`)).body).toEqual(reset.body);
  });
});

describe('log-in', () => {
  it('returns the user, for the name in any case', async ({ world, given: { register } }) => {
    const made = await register({ username: 'Logger' });

    const found = await logIn(world, { username: ' LOGGER ', password: 'a password' });

    expect([found.status, found.body]).toEqual([200, { ...made, username: 'logger' }]);
  });

  it.for<[string, object, number, object]>([
    ['a wrong name', { username: 'nobody', password: 'x' }, 401, { detail: 'Invalid username.' }],
    [
      'a wrong password',
      { username: 'ann lee', password: 'x' },
      401,
      { detail: 'Invalid password.' },
    ],
    ['nothing', {}, 400, { username: required, password: required }],
    [
      'a name longer than any',
      { username: 'x'.repeat(65), password: 'x' },
      400,
      { username: tooLong(64) },
    ],
  ])('rejects %s', async ([_, body, status, response], { world }) => {
    const refused = await logIn(world, body);

    expect([refused.status, refused.body]).toEqual([status, response]);
  });

  it('is not valid in another instance, and counts its attempts separately', async ({
    api,
    world,
    given: { register },
  }) => {
    const { username } = await register();
    const other = await openWorld(api, 'shop-1');
    const wrong = { username, password: 'a password' };
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await other.own('POST', 'user/auth/', wrong)).status).toBe(401);
    }

    const there = await other.own('POST', 'user/auth/', wrong);
    const here = await logIn(world, wrong);

    expect([there.status, here.status]).toEqual([429, 200]);
  });

  it('is throttled after ten wrong passwords, with the right one as well', async ({
    world,
    given: { register },
  }) => {
    const { username } = await register();
    for (let tries = 0; tries < 10; tries += 1) await logIn(world, { username, password: 'wrong' });

    const right = await logIn(world, { username, password: 'a password' });

    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('lists', () => {
  let lists: World;
  it.beforeAll(async ({ api }) => {
    lists = await openWorld(api, 'lists-1');
    for (const username of ['ann', 'Bob', 'anton', 'an\u0000x', 'carl', 'ANNA']) {
      await lists.create('users/', { username, password: 'p' });
    }
  });

  const idsOf = async (query: string) => {
    const { body } = await lists.own('GET', `users/?${query}`);
    return [body.objects.map(({ id }: { id: number }) => id), body.next, body.prev];
  };
  const at = (query: string) => `/v1.1/instances/lists-1/users/?${query}`;

  it.each<[string, readonly number[], string | null, string | null]>([
    ['', [1, 2, 3, 4, 5, 6], null, null],
    ['page_size=2', [1, 2], at('page_size=2&direction=1&last_pk=2'), null],
    [
      'page_size=2&ordering=desc&direction=1&last_pk=5',
      [4, 3],
      at('page_size=2&ordering=desc&direction=1&last_pk=3'),
      at('page_size=2&ordering=desc&direction=0&last_pk=4'),
    ],
    ['username__startswith=an', [1, 3, 4, 6], null, null],
    [
      'username__startswith=an&page_size=2&direction=1&last_pk=1',
      [3, 4],
      at('username__startswith=an&page_size=2&direction=1&last_pk=4'),
      at('username__startswith=an&page_size=2&direction=0&last_pk=3'),
    ],
    ['username__startswith=An', [], null, null],
    ['username__startswith=an%00', [4], null, null],
    [`username__startswith=${'a'.repeat(2000)}`, [], null, null],
    ['order_by=username&query={"x":1}', [1, 2, 3, 4, 5, 6], null, null],
  ])('?%s', async (query, ids, next, prev) => {
    expect(await idsOf(query)).toEqual([ids, next, prev]);
  });

  it("returns a user as the user's own path does", async () => {
    const { body } = await lists.own('GET', 'users/?page_size=1');
    const alone = await lists.own('GET', 'users/1/');

    expect(body.objects).toEqual([alone.body]);
  });

  it.each<[string, object]>([
    ['fields=id,username', { id: 1, username: 'ann' }],
    ['fields=profile,id,groups', { id: 1, profile: { id: expect.any(Number) }, groups: [] }],
    ['excluded_fields=links,user_key,groups,profile', { id: 1, username: 'ann' }],
  ])('%s applies to nested objects as well', async (query, shown) => {
    const alone = await lists.own('GET', `users/1/?${query}`);
    const list = await lists.own('GET', `users/?page_size=1&${query}`);

    expect([alone.body, list.body.objects]).toEqual([shown, [shown]]);
  });
});

describe('a user on its own path', () => {
  it('changes name, password and profile', async ({ given: { register, own } }) => {
    const { user_key } = await register();

    const patched = await own(user_key, 'PATCH', { username: 'Selfish', profile: { nick: 'me' } });
    const put = await own(user_key, 'PUT', { username: 'Selfless', password: 'other' });
    const read = await own(user_key, 'GET');

    expect([patched.status, patched.body.username, patched.body.profile.nick]).toEqual([
      200,
      'Selfish',
      'me',
    ]);
    expect(put.body).toEqual({ ...patched.body, username: 'Selfless' });
    expect(read.body).toEqual({ ...put.body, username: 'selfless' });
  });

  it('changes no profile that he may not write', async ({
    world,
    given: { register, own, bare },
  }) => {
    const { user_key, id } = await register({ profile: { owner_permissions: 'read' } });

    const own_ = await own(user_key, 'PATCH', { profile: { nick: 'x' } });
    const byId = await world.call({ key: bare, user: user_key }, 'PATCH', `users/${id}/`, {
      profile: { nick: 'x' },
    });
    const name = await own(user_key, 'PATCH', { username: `renamed-${id}` });

    expect([own_.status, byId.status, name.status]).toEqual([403, 403, 200]);
  });
});

describe('OPTIONS', () => {
  it('describes users with their profile and groups', async ({ world }) => {
    const { body } = await world.own('OPTIONS', 'users/');
    const { username, password, profile, groups, user_key, links } = body.actions.POST;

    expect([body.name, Object.keys(body.actions)]).toEqual(['User List', ['POST']]);
    expect(Object.keys(body.actions.POST)).toEqual([
      'id',
      'username',
      'password',
      'profile',
      'groups',
      'user_key',
      'links',
    ]);
    expect(username).toEqual({
      type: 'string',
      required: true,
      read_only: false,
      label: 'Username',
      max_length: 64,
    });
    expect(password).toMatchObject({ required: true, max_length: 128 });
    expect([profile.type, groups.type, user_key.type]).toEqual(['nested object', 'list', 'field']);
    expect(groups.child).toMatchObject({
      type: 'nested object',
      required: false,
      read_only: true,
      children: { name: { type: 'slug', max_length: 64 } },
    });
    expect(groups.child).not.toHaveProperty('label');
    expect(links.links).toEqual([
      { name: 'self', type: 'detail' },
      { name: 'groups', type: 'list' },
      { name: 'reset-key', type: 'key' },
      { name: 'profile', type: 'detail' },
    ]);
  });

  it('describes the fields of the class of profiles in this instance', async ({ world }) => {
    const schema = [{ name: 'city', type: 'string' }];
    await world.own('PATCH', 'classes/user_profile/', { schema });

    const responses = [
      await world.own('OPTIONS', 'users/'),
      await world.own('OPTIONS', 'users/1/'),
    ];

    const [POST, PUT] = responses.map(({ body }) => body.actions.POST ?? body.actions.PUT);
    for (const { profile } of [POST, PUT]) {
      expect(Object.keys(profile.children).slice(-2)).toEqual(['channel_room', 'city']);
      expect(profile.children.city).toMatchObject({ type: 'string', max_length: 128 });
    }
  });

  it('of an entry whose parent is missing is 404', async ({ world }) => {
    const responses = [
      await world.own('OPTIONS', 'users/9999/groups/'),
      await world.own('OPTIONS', 'groups/x/users/'),
      await world.own('OPTIONS', 'users/9999/'),
    ];

    expect(responses.map(({ status, body }) => [status, body.detail])).toEqual([
      [404, 'User was not found.'],
      [404, 'Group was not found.'],
      [200, undefined],
    ]);
  });
});

async function setUp(world: World) {
  let count = 0;
  /** Registers a user and returns the response. */
  async function register(more: object = {}) {
    count += 1;
    const body = { username: `somebody-${count}`, password: 'a password', ...more };
    return world.create('users/', body);
  }
  const own = (user: string, method: string, body?: unknown) =>
    world.call({ key: bare, user }, method, 'user/', body);

  const bare = await world.apiKey();
  const schema = [
    { name: 'nick', type: 'string' },
    { name: 'badge', type: 'string', unique: true },
    { name: 'friend', type: 'reference', target: 'user' },
    { name: 'visits', type: 'integer' },
  ];
  expected(await world.own('PATCH', 'classes/user_profile/', { schema }), 200);
  return { bare, register, own };
}

const logIn = (world: World, body: unknown) => world.own('POST', 'user/auth/', body);
