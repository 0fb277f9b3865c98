import { describe, expect } from 'vitest';
import type { Role } from '../../shared/values/access.ts';
import { type ApiResponse, expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { proofTo } from '../support/mails.ts';
import { forbidden, newKey, noSuchKey } from '../support/responses.ts';

/* Privileges that a member or a user must not gain through others' keys, scripts and addresses. */

const it = newWorldTest('house').extend('given', ({ world }) => openMember(world));

describe('keys of open invitations', () => {
  const path = '/v1.1/account/invitations/accept/';
  const guest = { email: 'guest@example.com', role: 'full' };

  it.for<[Role, boolean]>([
    ['full', true],
    ['write', false],
    ['read', false],
  ])('a member with role %s sees them: %s', async ([role, isShown], { world }) => {
    const member = await joinAs(world, role);
    const { key, ...rest } = await world.create('invitations/', guest);

    const one = await world.call(member, 'GET', `invitations/${rest.id}/`);
    const list = await world.call(member, 'GET', 'invitations/');

    const shown = isShown ? { ...rest, key } : rest;
    expect([one.status, one.body]).toEqual([200, shown]);
    expect(list.body.objects).toContainEqual(shown);
    expect(JSON.stringify([one.body, list.body]).includes(key)).toBe(isShown);
  });

  it('show what they are for, while they are open, to anyone who has one', async ({ world }) => {
    const show = (invitation_key: string, as?: string) =>
      world.api.send({
        path: '/v1.1/account/invitations/show/',
        body: { invitation_key },
        ...(as !== undefined && { as }),
      });
    const { key, id, inviter } = await world.create('invitations/', guest);
    const unknown = [400, { invitation_key: 'Invitation not found.' }];

    const shown = { ...guest, instance: world.instance, inviter };
    for (const as of [undefined, world.owner]) {
      const { status, body } = await show(key, as);
      expect([status, body]).toEqual([200, shown]);
    }
    for (const other of [`${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`, world.owner, 'x']) {
      const { status, body } = await show(other);
      expect([status, body]).toEqual(unknown);
    }
    expected(await world.own('DELETE', `invitations/${id}/`), 204);
    const ended = await show(key);
    expect([ended.status, ended.body]).toEqual(unknown);
  });

  it('do not raise the role of a member who was not invited', async ({ world }) => {
    const member = await joinAs(world, 'read');
    const { key } = await world.create('invitations/', guest);

    await world.api.send({ as: member, path, body: { invitation_key: key } });

    expect((await world.call(member, 'GET', '')).body.role).toBe('read');
    expect((await world.call(member, 'POST', 'classes/', { name: 'book' })).status).toBe(403);
  });
});

describe('a script with full access', () => {
  const scripts = 'snippets/scripts/';
  const body = { runtime_name: 'nodejs_v8', source: 'console.log(1)', label: 'a' };
  const config = { allow_full_access: true };
  const configure = async (world: World, ofInstance: object) =>
    expected(await world.own('PUT', 'snippets/config/', { config: ofInstance }), 200);
  const make = (world: World, more: object) => world.create(scripts, { ...body, ...more });

  it.for<[Role, object, object, number]>([
    ['write', config, {}, 403],
    ['write', {}, config, 403],
    ['write', { allow_full_access: false }, config, 201],
    ['write', {}, {}, 201],
    ['full', config, {}, 201],
  ])(
    'is created by %s with %j, the instance having %j: %i',
    async ([role, own, ofInstance, status], { world }) => {
      const member = await joinAs(world, role);
      await configure(world, ofInstance);

      const response = await world.call(member, 'POST', scripts, { ...body, config: own });

      expect(response.status).toBe(status);
      if (status === 403) expect(response.body).toEqual(forbidden);
    },
  );

  it.for<[string, object, object, object, number]>([
    ['the flag', {}, {}, { config }, 403],
    ['the flag with a source', {}, {}, { config, source: '2' }, 403],
    ['the source', config, {}, { source: '2' }, 403],
    ['the runtime', config, {}, { runtime_name: 'python3' }, 403],
    ['the configuration', config, {}, { config: { ...config, url: 'x' } }, 403],
    ['the flag away', config, {}, { config: {} }, 403],
    ['the source where the instance has the flag', {}, config, { source: '2' }, 403],
    ['an own no away', { allow_full_access: false }, config, { config: {} }, 403],
    ['the source under an own no', { allow_full_access: false }, config, { source: '2' }, 200],
    ['the label', config, {}, { label: 'b' }, 200],
    ['the label in addition to present fields', config, {}, { ...body, config, label: 'b' }, 200],
    ['the source of another', {}, {}, { source: '2' }, 200],
  ])(
    'changed by a member with role write: %s',
    async ([_, own, ofInstance, change, status], { api, world }) => {
      const member = await joinAs(world, 'write');
      const { links } = await make(world, { config: own });
      await configure(world, ofInstance);
      const before = await api.send({ as: world.owner, path: links.self });

      const response = await api.send({
        as: member,
        method: 'PATCH',
        path: links.self,
        body: change,
      });
      const after = await api.send({ as: world.owner, path: links.self });

      expect(response.status).toBe(status);
      if (status === 403) expect([response.body, after.body]).toEqual([forbidden, before.body]);
    },
  );

  it('is changed by a member with role full', async ({ api, world }) => {
    const member = await joinAs(world, 'full');
    const { links } = await make(world, { config });
    const change = { source: '2', config: { ...config, a: 1 } };

    const response = await api.send({
      as: member,
      method: 'PATCH',
      path: links.self,
      body: change,
    });

    expect([response.status, response.body]).toMatchObject([200, change]);
  });

  it('is renamed, run and deleted by a member with role write', async ({ api, world }) => {
    const member = await joinAs(world, 'write');
    const { links } = await make(world, { config });

    const run = await api.send({ as: member, method: 'POST', path: links.run });
    const removed = await api.send({ as: member, method: 'DELETE', path: links.self });

    expect([run.status, removed.status]).toEqual([200, 204]);
  });
});

describe('the token of a script', () => {
  const source = 'console.log(META.token)';

  async function make({ create }: World): Promise<{ self: string; run: string }> {
    const config = { allow_full_access: true };
    const body = { runtime_name: 'nodejs_v8', source, config };
    return (await create('snippets/scripts/', body)).links;
  }

  async function tokenOf({ api, owner }: World, links: { run: string }): Promise<string> {
    const begun = expected(await api.send({ as: owner, method: 'POST', path: links.run }), 200);
    await api.platform.idle();
    const { result } = (await api.send({ as: owner, path: begun.links.self })).body;
    return result.stdout;
  }

  const read = async (world: World, token: string) => {
    const { status, body } = await world.call(token, 'GET', 'classes/');
    return status === 200 ? status : [status, body];
  };

  it('acts with role full', async ({ world }) => {
    const token = await tokenOf(world, await make(world));

    const made = await world.call(token, 'POST', 'invitations/', { email: 'x@example.com' });
    const changed = await world.call(token, 'PATCH', '', { description: 'by a script' });

    expect([made.status, changed.status]).toEqual([201, 200]);
  });

  it.for<[string, string, string, object]>([
    ['delete', 'DELETE', '', {}],
    ['rename', 'POST', 'rename/', { new_name: 'mine' }],
  ])('does not %s the instance', async ([_, method, path, body], { world }) => {
    const token = await tokenOf(world, await make(world));

    const response = await world.call(token, method, path, body);
    const after = await world.own('GET', '');

    expect([response.status, response.body, after.status]).toEqual([403, forbidden, 200]);
  });

  it.for<[string, object, boolean]>([
    ['another source', { source: `${source} ` }, true],
    ['another runtime', { runtime_name: 'nodejs_v6' }, true],
    ['the flag taken away', { config: {} }, true],
    ['another label', { label: 'b' }, false],
    ['another value for CONFIG', { config: { allow_full_access: true, a: 1 } }, false],
  ])('expires with the version of its script: %s', async ([_, change, isOver], { api, world }) => {
    const links = await make(world);
    const token = await tokenOf(world, links);
    const before = await read(world, token);

    expected(
      await api.send({ as: world.owner, method: 'PATCH', path: links.self, body: change }),
      200,
    );

    expect([before, await read(world, token)]).toEqual([200, isOver ? [403, noSuchKey] : 200]);
  });

  it('expires with its script', async ({ api, world }) => {
    const links = await make(world);
    const token = await tokenOf(world, links);

    expected(await api.send({ as: world.owner, method: 'DELETE', path: links.self }), 204);

    expect(await read(world, token)).toEqual([403, noSuchKey]);
  });

  it('expires with a reset of the owner’s key, and not with that of another', async ({
    api,
    world,
  }) => {
    const member = await joinAs(world, 'full');
    const links = await make(world);
    const token = await tokenOf(world, links);
    const path = '/v1.1/account/reset_key/';

    expected(await api.send({ as: member, method: 'POST', path }), 200);
    const between = await read(world, token);
    const { account_key } = expected(
      await api.send({ as: world.owner, method: 'POST', path }),
      200,
    );
    const after = await read(world, token);

    expect([between, after]).toEqual([200, [403, noSuchKey]]);
    const renewed = { ...world, owner: account_key };
    expect(await read(world, await tokenOf(renewed, links))).toBe(200);
  });

  it.for<[string, (token: string) => string]>([
    ['a digit of its head', (token) => flipped(token, 20)],
    ['the last digit of its head', (token) => flipped(token, token.indexOf(':') - 1)],
    ['a digit of its MAC', (token) => flipped(token, token.length - 1)],
    ['its colon away', (token) => token.replace(':', '')],
    ['a digit more', (token) => `${token}0`],
    ['its head cut to that of other keys', (token) => token.replace(/^(.{24})[^:]*/, '$1')],
  ])('is invalid with %s changed', async ([_, change], { world }) => {
    const token = await tokenOf(world, await make(world));

    expect([await read(world, token), await read(world, change(token))]).toEqual([
      200,
      [403, noSuchKey],
    ]);
  });

  function flipped(token: string, at: number): string {
    const digit = (Number.parseInt(token[at] ?? '', 16) ^ 1).toString(16);
    return token.slice(0, at) + digit + token.slice(at + 1);
  }
});

describe('the key of a user is returned', () => {
  it.for<[Role, boolean]>([
    ['full', true],
    ['write', true],
    ['read', false],
  ])('to a member with role %s: %s', async ([role, isShown], { world, given }) => {
    const { made, group, shows } = given;
    const member = await joinAs(world, role);

    const responses = [
      await world.call(member, 'GET', 'users/'),
      await world.call(member, 'GET', `users/${made.id}/`),
      await world.call(member, 'GET', `groups/${group}/users/`),
      await world.call(member, 'GET', `groups/${group}/users/${made.id}/`),
    ];

    expect(responses.map(shows)).toEqual(Array(4).fill([200, isShown]));
    expect(Object.hasOwn(responses[1]?.body, 'user_key')).toBe(isShown);
  });

  it('in no expanded reference to callers who may not change users', async ({
    world,
    given: { made, shows },
  }) => {
    const member = await joinAs(world, 'read');
    await world.dataClass('note', [{ name: 'by', type: 'reference', target: 'user' }]);
    await world.own('POST', 'classes/note/objects/', { by: made.id });
    const endpoint = { name: 'notes', class: 'note', expand: 'by' };
    await world.create('endpoints/data/', endpoint);

    const responses = [
      await world.own('GET', 'endpoints/data/notes/get/'),
      await world.call(member, 'GET', 'endpoints/data/notes/get/'),
    ];

    expect(responses.map(({ body }) => body.objects[0].by.id)).toEqual([made.id, made.id]);
    expect(responses.map(shows)).toEqual([
      [200, true],
      [200, false],
    ]);
  });

  it('to a key that bypasses ACL, to its user, at log-in and at registration', async ({
    world,
    given: { made, shows },
  }) => {
    const ignoring = await world.apiKey({ ignore_acl: true });
    const creating = await world.apiKey({ allow_user_create: true });
    const member = await joinAs(world, 'read');
    const body = { username: 'ann', password: 'p' };

    const responses = [
      await world.call(ignoring, 'GET', 'users/'),
      await world.call({ key: creating, user: made.user_key }, 'GET', 'user/'),
      await world.call({ key: creating, user: made.user_key }, 'GET', 'users/'),
      await world.call(creating, 'POST', 'user/auth/', body),
      await world.call(member, 'POST', 'user/auth/', body),
    ];
    const registered = await world.call(creating, 'POST', 'users/', { ...body, username: 'bob' });

    expect(responses.map(shows)).toEqual(Array(5).fill([200, true]));
    expect(registered.body.user_key).toEqual(newKey);
  });
});

describe('a new password for an account', () => {
  const account = '/v1.1/account/';

  it('by a mail invalidates the old key', async ({ api, world }) => {
    const email = 'forgetful@example.com';
    const before = await world.account(email);
    expected(await api.send({ path: `${account}password/reset/`, body: { email } }), 204);
    const body = { ...proofTo(api, email), new_password: 'b' };

    const { account_key: after } = expected(
      await api.send({ path: `${account}password/reset/confirm/`, body }),
      200,
    );

    const states = [before, after].map(
      async (as) => (await api.send({ as, path: account })).status,
    );
    expect(await Promise.all(states)).toEqual([403, 200]);
  });
});

/** A user in a group, and whether responses show the user's key. */
async function openMember({ create }: World) {
  const made = await create('users/', { username: 'ann', password: 'p' });
  const { id: group } = await create('groups/', { label: 'g' });
  await create(`users/${made.id}/groups/`, { group });
  const shows = ({ status, body }: ApiResponse) => [
    status,
    JSON.stringify(body).includes(made.user_key),
  ];
  return { made, group, shows };
}
