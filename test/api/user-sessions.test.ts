import { describe, expect } from 'vitest';
import { instanceNameEntity } from '../../shared/table/entities/instances.ts';
import { sessionEntity } from '../../shared/table/entities/user-accounts.ts';
import { maxSessions } from '../../shared/values/bounds.ts';
import { type Credentials, expected, openInstance, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { forbidden, missing, time } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';
import { beginSession, sessionsOf, setUserSettings } from '../support/user-sessions.ts';

/* The paths of sessions (docs/reference/user-accounts.md#sessions). */

const clock = openMovedClock();
const it = newWorldTest('login', { clock }).extend('given', ({ world }) => setUp(world));
const path = 'user/sessions/';

/** A user with three sessions, the last of which calls. */
async function setUp(world: World) {
  await setUserSettings(world, { email: 'optional' });
  const user = { username: 'ada', password: 'a password' };
  const { id, user_key } = await world.create('users/', user);
  const key = await world.apiKey();
  const sessions: Credentials[] = [];
  for (const more of [{ proof: 'code' }, { proof: 'provider', provider: 'work' }, {}] as const) {
    clock.forward(60);
    sessions.push({ key, user: await beginSession(world, id, more) });
  }
  const [first, second, own] = sessions;
  return { id: id as number, key, asOld: { key, user: user_key }, first, second, own };
}

const statusOf = async (world: World, as: Credentials) =>
  (await world.call(as, 'GET', 'user/')).status;

describe('the list', () => {
  it('shows the sessions of the caller, the last used first', async ({ world, given }) => {
    const { status, body } = await world.call(given.own, 'GET', path);

    const session = { id: expect.any(Number), created_at: time, used_at: time, ends_at: time };
    expect([status, body]).toEqual([
      200,
      {
        next: null,
        prev: null,
        objects: [
          { ...session, proof: 'password', provider: null, is_current: true },
          { ...session, proof: 'provider', provider: 'work', is_current: false },
          { ...session, proof: 'code', provider: null, is_current: false },
        ],
      },
    ]);
    const [{ used_at, ends_at }] = body.objects;
    expect(Date.parse(ends_at) - Date.parse(used_at)).toBe(90 * 86_400_000);
  });

  it('has none as the current one for the old key, nor those that ended', async ({
    world,
    given,
  }) => {
    clock.forward(90 * 86_400 - 90);
    const { body } = await world.call(given.asOld, 'GET', path);

    expect(body.objects.map((each: { is_current: boolean }) => each.is_current)).toEqual([
      false,
      false,
    ]);
  });

  it('has no session of another user', async ({ world, given }) => {
    const other = await world.create('users/', { username: 'bob', password: 'a password' });
    await beginSession(world, other.id);

    const { body } = await world.call(given.own, 'GET', path);

    expect(body.objects).toHaveLength(3);
  });

  it('is for users only', async ({ world, given }) => {
    for (const as of [world.owner, given.key, await world.apiKey({ ignore_acl: true })]) {
      const { status, body } = await world.call(as, 'GET', path);
      expect([status, body]).toEqual([403, forbidden]);
    }
  });
});

describe('a session is ended', () => {
  const idOf = async (world: World, as: Credentials) => {
    const { objects } = expected(await world.call(as, 'GET', path), 200);
    return objects.find((each: { is_current: boolean }) => each.is_current).id;
  };

  it('by its id', async ({ world, given }) => {
    const id = await idOf(world, given.first);

    const ended = await world.call(given.own, 'DELETE', `${path}${id}/`);

    const callers = [given.first, given.second, given.own, given.asOld];
    const statuses = await Promise.all(callers.map((as) => statusOf(world, as)));
    expect([ended.status, ...statuses]).toEqual([204, 403, 200, 200, 200]);
    const again = await world.call(given.own, 'DELETE', `${path}${id}/`);
    expect([again.status, again.body]).toEqual([404, missing]);
  });

  it('and shown alone before', async ({ world, given }) => {
    const { objects } = expected(await world.call(given.own, 'GET', path), 200);

    const current = await world.call(given.own, 'GET', `${path}current/`);
    const other = await world.call(given.own, 'GET', `${path}${objects[1].id}/`);
    const ofOld = await world.call(given.asOld, 'GET', `${path}current/`);

    expect([current.body, other.body]).toEqual([objects[0], objects[1]]);
    expect(ofOld.status).toBe(404);
  });

  it('as the current one, at once in the same batch', async ({ world, given }) => {
    const requests = [
      { method: 'GET', path: `${world.base}user/` },
      { method: 'DELETE', path: `${world.base}${path}current/` },
      { method: 'GET', path: `${world.base}user/` },
    ];

    const { body } = await world.call(given.own, 'POST', 'batch/', { requests });

    expect(body.map((each: { code: number }) => each.code)).toEqual([200, 204, 403]);
    expect(await statusOf(world, given.own)).toBe(403);
    expect(await statusOf(world, given.first)).toBe(200);
  });

  it('by the old key, which has no current one', async ({ world, given }) => {
    const id = await idOf(world, given.first);

    const current = await world.call(given.asOld, 'DELETE', `${path}current/`);
    const other = await world.call(given.asOld, 'DELETE', `${path}${id}/`);

    expect([current.status, other.status]).toEqual([404, 204]);
    expect(await statusOf(world, given.first)).toBe(403);
  });

  it('not by another user', async ({ world, given }) => {
    const id = await idOf(world, given.own);
    const other = await world.create('users/', { username: 'bob', password: 'a password' });
    const as = { key: given.key, user: other.user_key };

    const { status } = await world.call(as, 'DELETE', `${path}${id}/`);

    expect(status).toBe(404);
    expect(await statusOf(world, given.own)).toBe(200);
  });

  it('with all others', async ({ world, given }) => {
    const { status } = await world.call(given.own, 'DELETE', path);

    const callers = [given.first, given.second, given.own, given.asOld];
    const statuses = await Promise.all(callers.map((as) => statusOf(world, as)));
    expect([status, ...statuses]).toEqual([204, 403, 403, 200, 200]);
  });

  it('with all of them, by the old key', async ({ world, given }) => {
    expected(await world.call(given.asOld, 'DELETE', path), 204);

    expect(await sessionsOf(world, given.id)).toEqual([]);
  });
});

describe('an administrator', () => {
  it('who may change users lists and ends the sessions of one', async ({ world, given }) => {
    const at = `users/${given.id}/sessions/`;
    const member = await joinAs(world, 'write');

    const list = await world.call(member, 'GET', at);
    const ended = await world.call(member, 'DELETE', at);

    expect(list.body.objects).toHaveLength(3);
    expect(list.body.objects[0]).toMatchObject({ is_current: false });
    expect(ended.status).toBe(204);
    expect(await statusOf(world, given.own)).toBe(403);
    expect(await statusOf(world, given.asOld)).toBe(200);
  });

  it('ends one of them', async ({ world, given }) => {
    const at = `users/${given.id}/sessions/`;
    const [last] = (await world.read(at)).objects;

    const ended = await world.own('DELETE', `${at}${last.id}/`);
    const again = [
      await world.own('DELETE', `${at}${last.id}/`),
      await world.own('DELETE', `${at}current/`),
    ];

    expect([ended.status, ...again.map(({ status }) => status)]).toEqual([204, 404, 404]);
    const statuses = [given.first, given.second, given.own].map((as) => statusOf(world, as));
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });

  it('ends none of another user', async ({ world, given }) => {
    const other = await world.create('users/', { username: 'bob', password: 'a password' });
    const [last] = (await world.read(`users/${given.id}/sessions/`)).objects;

    const ended = await world.own('DELETE', `users/${other.id}/sessions/${last.id}/`);

    expect([ended.status, await statusOf(world, given.own)]).toEqual([404, 200]);
  });

  it('gets and ends one session of a user', async ({ world, given }) => {
    const at = `users/${given.id}/sessions/`;
    const { objects } = expected(await world.own('GET', at), 200);
    const [, second] = objects;

    const got = await world.own('GET', `${at}${second.id}/`);
    const ended = await world.own('DELETE', `${at}${second.id}/`);
    const again = await world.own('DELETE', `${at}${second.id}/`);
    const current = await world.own('GET', `${at}current/`);

    expect([got.body, ended.status, again.status, current.status]).toEqual([second, 204, 404, 404]);
    expect(await statusOf(world, given.second)).toBe(403);
    expect(await statusOf(world, given.own)).toBe(200);
  });

  it('gets 404 for a user who does not exist', async ({ world, given: _ }) => {
    const { status, body } = await world.own('GET', 'users/9999/sessions/');

    expect([status, body]).toEqual([404, { detail: 'User was not found.' }]);
  });

  it('who may not, and an API key, get 403', async ({ world, given }) => {
    const callers = [
      await joinAs(world, 'read'),
      await world.apiKey({ ignore_acl: true }),
      given.own,
    ];
    for (const as of callers) {
      const { status } = await world.call(as, 'GET', `users/${given.id}/sessions/`);
      expect(status).toBe(403);
    }
  });
});

describe('a change of the password', () => {
  it('by the user ends all other sessions, and that of the caller goes on', async ({
    world,
    given,
  }) => {
    expected(await world.call(given.own, 'PATCH', 'user/', { password: 'another one' }), 200);

    const callers = [given.first, given.second, given.own, given.asOld];
    const statuses = await Promise.all(callers.map((as) => statusOf(world, as)));
    expect(statuses).toEqual([403, 403, 200, 200]);
  });

  it('by an administrator ends all', async ({ world, given }) => {
    expected(await world.own('PATCH', `users/${given.id}/`, { password: 'another one' }), 200);

    expect(await sessionsOf(world, given.id)).toEqual([]);
    expect(await statusOf(world, given.asOld)).toBe(200);
  });

  it('ends none where the body has no password', async ({ world, given }) => {
    expected(await world.call(given.own, 'PATCH', 'user/', { username: 'grace' }), 200);

    expect(await sessionsOf(world, given.id)).toHaveLength(3);
  });
});

it('beyond the hundredth, the session that was used least lately ends', async ({
  world,
  given,
}) => {
  for (let count = 3; count < maxSessions; count += 1) await beginSession(world, given.id);
  expect(await statusOf(world, given.first)).toBe(200);
  clock.forward(60);
  const last = { key: given.key, user: await beginSession(world, given.id) };

  const stored = await sessionsOf(world, given.id);
  const callers = [given.first, given.second, last];
  const statuses = await Promise.all(callers.map((as) => statusOf(world, as)));
  expect(stored).toHaveLength(maxSessions);
  expect(statuses).toEqual([403, 200, 200]);
}, 60_000);

describe('what is stored', () => {
  it('goes with the user', async ({ world, given }) => {
    expected(await world.own('DELETE', `users/${given.id}/`), 204);
    clock.forward(3600);
    await world.api.platform.idle();

    expect(await statusOf(world, given.own)).toBe(403);
    await expect.poll(() => sessionsOf(world, given.id)).toEqual([]);
  });

  it('goes with the instance', async ({ world, given }) => {
    const { store } = world.api.platform;
    const instance = await instanceId(store, world.instance);
    expected(await world.own('DELETE', ''), 204);
    clock.forward(3600);

    const left = async () => {
      await world.api.platform.idle(); // on roles one tick clears a part
      return sessionEntity.listAll(store, [instance, given.id]);
    };
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
    expect(await instanceNameEntity.read(store, world.instance)).toBeUndefined();
  });
});

describe('the paths', () => {
  it.for([
    ['GET', path],
    ['DELETE', path],
    ['DELETE', `${path}current/`],
    ['GET', 'users/{id}/sessions/'],
    ['DELETE', 'users/{id}/sessions/'],
    ['DELETE', 'users/{id}/sessions/9/'],
  ] as const)(
    'are unknown while all is off: %s %s',
    async ([method, template], { world, given }) => {
      const at = template.replace('{id}', String(given.id));
      await setUserSettings(world, { confirmed: 'required' });

      for (const as of [given.own, given.asOld, world.owner, given.key]) {
        const { status, body } = await world.call(as, method, at);
        const unknown = await world.call(as, method, 'user/nothing/');
        expect([status, body]).toEqual([404, unknown.body]);
      }
    },
  );

  it.for([
    { guests: true },
    { codes: true },
    { providers: [{ name: 'work', kind: 'github', client_id: 'a' }] },
  ] as const)('exist with %o', async (settings, { world, given }) => {
    await setUserSettings(world, settings);

    expect((await world.call(given.own, 'GET', path)).status).toBe(200);
  });

  it('of one instance do not depend on the settings of another', async ({ world, given }) => {
    const other = await openInstance(world.api, `${world.instance}-other`, world.owner);

    expect((await other.call(given.own, 'GET', path)).status).toBe(404);
  });

  it('are not part of version 1', async ({ world, given }) => {
    const at = `${world.base.replace('v1.1', 'v1')}${path}`;

    expect((await world.api.send({ as: given.own, path: at })).status).toBe(404);
  });
});
