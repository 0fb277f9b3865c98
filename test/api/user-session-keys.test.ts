import { beforeEach, describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { deleteItem, updateItem } from '../../shared/store/writes.ts';
import { type Credentials, expected, openInstance, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { noSuchKey } from '../support/responses.ts';
import { beginSession, sessionsOf, storedUser } from '../support/user-sessions.ts';

/* Keys of sessions, wherever keys of users are accepted (docs/reference/user-accounts.md#sessions). */

const clock = openMovedClock();
const it = newWorldTest('session', { clock }).extend('given', ({ world }) => newUser(world));

const day = 86_400;

/** A user, its old key, an API key, and the caller with the key of a session. */
async function newUser(world: World) {
  const user = { username: 'ada', password: 'a password' };
  const { id, user_key } = await world.create('users/', user);
  const [key, session] = [await world.apiKey(), await beginSession(world, id)];
  const as: Credentials = { key, user: session };
  return { id, old: user_key as string, key, session, as, asOld: { key, user: user_key } };
}

describe('the key of a session', () => {
  it('has 64 digits, and opens the own user', async ({ world, given }) => {
    const own = await world.call(given.as, 'GET', 'user/');

    expect(given.session).toMatch(/^[0-9a-f]{64}$/);
    expect(own.body).toMatchObject({ id: given.id, username: 'ada' });
  });

  it('is accepted where keys of users are: in header, query and body', async ({ world, given }) => {
    const { key, session, id } = given;
    await world.dataClass('note', [], { other_permissions: 'create_objects' });
    const path = 'classes/note/objects/';
    const made = [
      await world.call({ key, user: session.toUpperCase() }, 'POST', path, {}),
      await world.call(key, 'POST', `${path}?user_key=${session}`, {}),
      await world.call(key, 'POST', path, { _user_key: session }),
    ];

    expect(made.map(({ body }) => body.owner)).toEqual([id, id, id]);
  });

  it('makes the requests of a batch', async ({ world, given }) => {
    const requests = [1, 2].map(() => ({ method: 'GET', path: `${world.base}user/` }));

    const { body } = await world.call(given.as, 'POST', 'batch/', { requests });

    expect(body.map((each: { content: { id: number } }) => each.content.id)).toEqual([
      given.id,
      given.id,
    ]);
  });

  it('has the newest version of the master secret, also where that of the user was retired', async ({
    world,
    given,
  }) => {
    const user = await storedUser(world, given.id);
    const retired = { ...user.data, secret_version: 99 };
    await maintain(world.api.platform, [updateItem(user, retired)]);
    const as = { key: given.key, user: await beginSession(world, given.id) };

    const own = await world.call(as, 'GET', 'user/');
    const old = await world.call(given.asOld, 'GET', 'user/');

    expect([own.body.user_key, old.status]).toEqual([as.user, 403]);
  });

  it('is no API key', async ({ world, given }) => {
    const { status, body } = await world.call(given.session, 'GET', 'user/');

    expect([status, body]).toEqual([403, noSuchKey]);
  });

  it('is ignored with a changed digit, without its last 8 digits, and in another instance', async ({
    world,
    given,
  }) => {
    const other = await openInstance(world.api, `${world.instance}-other`, world.owner);
    const foreign = { key: await other.apiKey(), user: given.session };
    const changed = given.session.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const callers = [changed, given.session.slice(0, 56)].map((user) => ({ key: given.key, user }));

    const codes = [
      ...(await Promise.all(callers.map((as) => world.call(as, 'GET', 'user/')))),
      await other.call(foreign, 'GET', 'user/'),
    ].map(({ status }) => status);

    expect(codes).toEqual([403, 403, 403]);
  });
});

describe('a session ends', () => {
  const statusOf = async (world: World, as: Credentials) =>
    (await world.call(as, 'GET', 'user/')).status;

  it('when it is deleted, which ends no other', async ({ world, given }) => {
    const other = await beginSession(world, given.id);
    const [first] = await sessionsOf(world, given.id);
    if (first !== undefined) await maintain(world.api.platform, [deleteItem(first)]);

    expect(await statusOf(world, given.as)).toBe(403);
    expect(await statusOf(world, { key: given.key, user: other })).toBe(200);
    expect(await statusOf(world, given.asOld)).toBe(200);
  });

  it('after 90 days', async ({ world, given }) => {
    clock.forward(90 * day - 60);
    expect(await statusOf(world, given.as)).toBe(200);
    clock.forward(61);
    expect(await statusOf(world, given.as)).toBe(403);
  });

  it('at its end, though its item is still stored', async ({ world, given }) => {
    const [session] = await sessionsOf(world, given.id);
    if (session === undefined) throw new Error('no session');
    const past = { ...session.data, until: Math.floor(clock.micros() / 1_000_000) };
    await maintain(world.api.platform, [updateItem(session, past)]); // without time to live

    expect(await statusOf(world, given.as)).toBe(403);
  });

  it('with the end of a guest', async ({ world, given }) => {
    const { platform } = world.api;
    const user = await storedUser(world, given.id);
    const guestUntil = Math.floor(clock.micros() / 1_000_000) + day;
    await maintain(platform, [updateItem(user, { ...user.data, guestUntil })]);
    const as = {
      key: given.key,
      user: await beginSession(world, given.id, { user: { ...user.data, guestUntil } }),
    };

    expect(await statusOf(world, as)).toBe(200);
    clock.forward(day + 1);
    expect(await statusOf(world, as)).toBe(403);
  });

  it('when the user gets another key', async ({ world, given }) => {
    expected(await world.own('POST', `users/${given.id}/reset_key/`), 200);

    expect(await statusOf(world, given.as)).toBe(403);
  });

  it('when the user is deleted', async ({ world, given }) => {
    expected(await world.own('DELETE', `users/${given.id}/`), 204);

    expect(await statusOf(world, given.as)).toBe(403);
  });
});

describe('a response to a session', () => {
  it.for([
    ['GET', 'user/'],
    ['PATCH', 'user/'],
    ['GET', 'users/'],
    ['GET', 'users/{id}/'],
    ['PATCH', 'users/{id}/'],
  ] as const)('shows the key of the session: %s %s', async ([method, path], { world, given }) => {
    const body = method === 'GET' ? undefined : { profile: {} };
    const at = path.replace('{id}', String(given.id));

    const response = await world.call(given.as, method, at, body);

    expect(response.status).toBe(200);
    const [shown] = response.body.objects ?? [response.body];
    expect(shown.user_key).toBe(given.session);
  });

  it('of a reset has the key of a new session, which proves no more', async ({ world, given }) => {
    clock.forward(3600);
    const path = `users/${given.id}/reset_key/`;
    const [first] = await sessionsOf(world, given.id);

    const { body } = await world.call(given.as, 'POST', path);

    const sessions = await sessionsOf(world, given.id);
    expect(body.user_key).toMatch(/^[0-9a-f]{64}$/);
    expect(body.user_key).not.toBe(given.session);
    expect(sessions.map(({ data }) => data.provedAt)).toEqual([first?.data.provedAt]);
    const now = { key: given.key, user: body.user_key };
    const callers = [now, given.as, given.asOld];
    const statuses = await Promise.all(callers.map((as) => world.call(as, 'GET', 'user/')));
    expect(statuses.map(({ status }) => status)).toEqual([200, 403, 403]);
  });

  it('of a log-in shows the key of the session too, and that of another user to it', async ({
    world,
    given,
  }) => {
    const other = await world.create('users/', { username: 'bob', password: 'a password' });
    const logIn = (username: string) =>
      world.call(given.as, 'POST', 'user/auth/', { username, password: 'a password' });

    expect((await logIn('ada')).body.user_key).toBe(given.session);
    expect((await logIn('bob')).body.user_key).toBe(other.user_key);
  });
});

describe('the use of a session', () => {
  const usedAt = async (world: World, id: number) => (await sessionsOf(world, id))[0]?.data.usedAt;
  let now = 0;
  beforeEach(() => {
    now = Math.floor(clock.micros() / 1_000_000);
  });

  it('extends it once a day, after the request', async ({ world, given }) => {
    clock.forward(day);
    expected(await world.call(given.as, 'GET', 'user/'), 200);
    expect(await usedAt(world, given.id)).toBe(now);
    await world.api.platform.meter.flush();

    const [session] = await sessionsOf(world, given.id);
    expect(session?.data).toMatchObject({ usedAt: now + day, until: now + 91 * day });
    clock.forward(89 * day);
    expected(await world.call(given.as, 'GET', 'user/'), 200);
  });
});
