import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '../../shared/values/access.ts';
import { type ApiResponse, expected, openWorld, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { joinAs } from '../support/join-as.ts';
import { proofTo } from '../support/mails.ts';
import { forbidden, newKey, noSuchKey } from '../support/responses.ts';

useApi();

/** Privileges that a member or a user must not gain through others' keys, scripts and addresses. */

let world: World;
let count = 0;

beforeEach(async () => {
  count += 1;
  world = await openWorld(api, `house-${count}`);
});

describe('keys of open invitations', () => {
  const path = '/v1.1/account/invitations/accept/';
  const invite = async (email: string, role: Role) =>
    expected(await world.call(world.owner, 'POST', 'invitations/', { email, role }), 201);
  const accept = (as: string, invitation_key: string) =>
    api.send({ as, path, body: { invitation_key } });
  const roleOf = async (as: string) => (await world.call(as, 'GET', '')).body.role;

  it.each<[Role, boolean]>([
    ['full', true],
    ['write', false],
    ['read', false],
  ])('a member with role %s sees them: %s', async (role, isShown) => {
    const member = await joinAs(world, role);
    const { key, ...rest } = await invite('guest@example.com', 'full');

    const one = await world.call(member, 'GET', `invitations/${rest.id}/`);
    const list = await world.call(member, 'GET', 'invitations/');

    const shown = isShown ? { ...rest, key } : rest;
    expect([one.status, one.body]).toEqual([200, shown]);
    expect(list.body.objects).toContainEqual(shown);
    expect(JSON.stringify([one.body, list.body]).includes(key)).toBe(isShown);
  });

  it('do not raise the role of a member who was not invited', async () => {
    const member = await joinAs(world, 'read');
    const { key } = await invite('guest@example.com', 'full');

    await accept(member, key);

    expect(await roleOf(member)).toBe('read');
    expect((await world.call(member, 'POST', 'classes/', { name: 'book' })).status).toBe(403);
  });
});

describe('a script with full access', () => {
  const scripts = 'snippets/scripts/';
  const body = { runtime_name: 'nodejs_v8', source: 'console.log(1)', label: 'a' };
  const config = { allow_full_access: true };
  const configure = async (ofInstance: object) =>
    expected(await world.call(world.owner, 'PUT', 'snippets/config/', { config: ofInstance }), 200);
  const make = async (more: object = {}) =>
    expected(await world.call(world.owner, 'POST', scripts, { ...body, ...more }), 201);

  it.each<[Role, object, object, number]>([
    ['write', config, {}, 403],
    ['write', {}, config, 403],
    ['write', { allow_full_access: false }, config, 201],
    ['write', {}, {}, 201],
    ['full', config, {}, 201],
  ])(
    'is created by %s with %j, the instance having %j: %i',
    async (role, own, ofInstance, status) => {
      const member = await joinAs(world, role);
      await configure(ofInstance);

      const response = await world.call(member, 'POST', scripts, { ...body, config: own });

      expect(response.status).toBe(status);
      if (status === 403) expect(response.body).toEqual(forbidden);
    },
  );

  it.each<[string, object, object, object, number]>([
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
  ])('changed by a member with role write: %s', async (_, own, ofInstance, change, status) => {
    const member = await joinAs(world, 'write');
    const { links } = await make({ config: own });
    await configure(ofInstance);
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
  });

  it('is changed by a member with role full', async () => {
    const member = await joinAs(world, 'full');
    const { links } = await make({ config });
    const change = { source: '2', config: { ...config, a: 1 } };

    const response = await api.send({
      as: member,
      method: 'PATCH',
      path: links.self,
      body: change,
    });

    expect([response.status, response.body]).toMatchObject([200, change]);
  });

  it('is renamed, run and deleted by a member with role write', async () => {
    const member = await joinAs(world, 'write');
    const { links } = await make({ config });

    const run = await api.send({ as: member, method: 'POST', path: links.run });
    const removed = await api.send({ as: member, method: 'DELETE', path: links.self });

    expect([run.status, removed.status]).toEqual([200, 204]);
  });
});

describe('the token of a script', () => {
  const source = 'console.log(META.token)';

  async function make(): Promise<{ self: string; run: string }> {
    const config = { allow_full_access: true };
    const body = { runtime_name: 'nodejs_v8', source, config };
    return expected(await world.call(world.owner, 'POST', 'snippets/scripts/', body), 201).links;
  }

  async function tokenOf(links: { run: string }): Promise<string> {
    const begun = expected(
      await api.send({ as: world.owner, method: 'POST', path: links.run }),
      200,
    );
    await api.platform.idle();
    const { result } = (await api.send({ as: world.owner, path: begun.links.self })).body;
    return result.stdout;
  }

  const read = async (token: string) => {
    const { status, body } = await world.call(token, 'GET', 'classes/');
    return status === 200 ? status : [status, body];
  };

  it('acts with role full', async () => {
    const token = await tokenOf(await make());

    const made = await world.call(token, 'POST', 'invitations/', { email: 'x@example.com' });
    const changed = await world.call(token, 'PATCH', '', { description: 'by a script' });

    expect([made.status, changed.status]).toEqual([201, 200]);
  });

  it.each<[string, string, string, object]>([
    ['delete', 'DELETE', '', {}],
    ['rename', 'POST', 'rename/', { new_name: 'mine' }],
  ])('does not %s the instance', async (_, method, path, body) => {
    const token = await tokenOf(await make());

    const response = await world.call(token, method, path, body);
    const after = await world.call(world.owner, 'GET', '');

    expect([response.status, response.body, after.status]).toEqual([403, forbidden, 200]);
  });

  it.each<[string, object, boolean]>([
    ['another source', { source: `${source} ` }, true],
    ['another runtime', { runtime_name: 'nodejs_v6' }, true],
    ['the flag taken away', { config: {} }, true],
    ['another label', { label: 'b' }, false],
    ['another value for CONFIG', { config: { allow_full_access: true, a: 1 } }, false],
  ])('expires with the version of its script: %s', async (_, change, isOver) => {
    const links = await make();
    const token = await tokenOf(links);
    const before = await read(token);

    expected(
      await api.send({ as: world.owner, method: 'PATCH', path: links.self, body: change }),
      200,
    );

    expect([before, await read(token)]).toEqual([200, isOver ? [403, noSuchKey] : 200]);
  });

  it('expires with its script', async () => {
    const links = await make();
    const token = await tokenOf(links);

    expected(await api.send({ as: world.owner, method: 'DELETE', path: links.self }), 204);

    expect(await read(token)).toEqual([403, noSuchKey]);
  });

  it('expires with a reset of the owner’s key, and not with that of another', async () => {
    const member = await joinAs(world, 'full');
    const links = await make();
    const token = await tokenOf(links);
    const path = '/v1.1/account/reset_key/';

    expected(await api.send({ as: member, method: 'POST', path }), 200);
    const between = await read(token);
    const { account_key } = expected(
      await api.send({ as: world.owner, method: 'POST', path }),
      200,
    );
    const after = await read(token);
    world = { ...world, owner: account_key };

    expect([between, after]).toEqual([200, [403, noSuchKey]]);
    expect(await read(await tokenOf(links))).toBe(200);
  });

  it.each([
    ['a digit of its head', (token: string) => flipped(token, 20)],
    ['the last digit of its head', (token: string) => flipped(token, token.indexOf(':') - 1)],
    ['a digit of its MAC', (token: string) => flipped(token, token.length - 1)],
    ['its colon away', (token: string) => token.replace(':', '')],
    ['a digit more', (token: string) => `${token}0`],
    ['its head cut to that of other keys', (token: string) => token.replace(/^(.{24})[^:]*/, '$1')],
  ])('is invalid with %s changed', async (_, change) => {
    const token = await tokenOf(await make());

    expect([await read(token), await read(change(token))]).toEqual([200, [403, noSuchKey]]);
  });

  function flipped(token: string, at: number): string {
    const digit = (Number.parseInt(token[at] ?? '', 16) ^ 1).toString(16);
    return token.slice(0, at) + digit + token.slice(at + 1);
  }
});

describe('the key of a user is returned', () => {
  let made: ApiResponse['body'];
  let group: number;

  beforeEach(async () => {
    const body = { username: 'ann', password: 'p' };
    made = expected(await world.call(world.owner, 'POST', 'users/', body), 201);
    group = expected(await world.call(world.owner, 'POST', 'groups/', { label: 'g' }), 201).id;
    expected(await world.call(world.owner, 'POST', `users/${made.id}/groups/`, { group }), 201);
  });

  const shows = ({ status, body }: ApiResponse) => [
    status,
    JSON.stringify(body).includes(made.user_key),
  ];

  it.each<[Role, boolean]>([
    ['full', true],
    ['write', true],
    ['read', false],
  ])('to a member with role %s: %s', async (role, isShown) => {
    const member = await joinAs(world, role);

    const answers = [
      await world.call(member, 'GET', 'users/'),
      await world.call(member, 'GET', `users/${made.id}/`),
      await world.call(member, 'GET', `groups/${group}/users/`),
      await world.call(member, 'GET', `groups/${group}/users/${made.id}/`),
    ];

    expect(answers.map(shows)).toEqual(Array(4).fill([200, isShown]));
    expect(Object.hasOwn(answers[1]?.body, 'user_key')).toBe(isShown);
  });

  it('in no expanded reference to callers who may not change users', async () => {
    const member = await joinAs(world, 'read');
    await world.dataClass('note', [{ name: 'by', type: 'reference', target: 'user' }]);
    await world.call(world.owner, 'POST', 'classes/note/objects/', { by: made.id });
    const endpoint = { name: 'notes', class: 'note', expand: 'by' };
    expected(await world.call(world.owner, 'POST', 'endpoints/data/', endpoint), 201);

    const answers = [
      await world.call(world.owner, 'GET', 'endpoints/data/notes/get/'),
      await world.call(member, 'GET', 'endpoints/data/notes/get/'),
    ];

    expect(answers.map(({ body }) => body.objects[0].by.id)).toEqual([made.id, made.id]);
    expect(answers.map(shows)).toEqual([
      [200, true],
      [200, false],
    ]);
  });

  it('to a key that bypasses ACL, to its user, at log-in and at registration', async () => {
    const ignoring = await world.apiKey({ ignore_acl: true });
    const creating = await world.apiKey({ allow_user_create: true });
    const member = await joinAs(world, 'read');
    const body = { username: 'ann', password: 'p' };

    const answers = [
      await world.call(ignoring, 'GET', 'users/'),
      await world.call({ key: creating, user: made.user_key }, 'GET', 'user/'),
      await world.call({ key: creating, user: made.user_key }, 'GET', 'users/'),
      await world.call(creating, 'POST', 'user/auth/', body),
      await world.call(member, 'POST', 'user/auth/', body),
    ];
    const registered = await world.call(creating, 'POST', 'users/', { ...body, username: 'bob' });

    expect(answers.map(shows)).toEqual(Array(5).fill([200, true]));
    expect(registered.body.user_key).toEqual(newKey);
  });
});

describe('a new password for an account', () => {
  const account = '/v1.1/account/';

  it('by a mail invalidates the old key', async () => {
    const email = `forgetful-${count}@example.com`;
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
