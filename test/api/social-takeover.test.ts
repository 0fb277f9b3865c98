import { describe, expect } from 'vitest';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import { type Api, expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { proofTo } from '../support/mails.ts';
import { storedUser } from '../support/user-sessions.ts';

/** An account with another person's address is transferred to the person a service verifies. */

const it = newWorldTest('house', { social: { facebook: verify, github: verify } })
  .extend('accounts', ({ api }) => accountsOn(api))
  .extend('users', ({ world }) => usersOf(world));
const account = '/v1.1/account/';

describe('a social log-in to an account whose address was never confirmed', () => {
  it('removes the access of the account that registered it', async ({ world, accounts }) => {
    const email = 'victim-1@example.com';
    const squatter = await world.account(email);

    const first = await accounts.logIn('id-1', email);
    const second = await accounts.logIn('id-1', email);

    expect(first).toMatchObject({
      email,
      created: false,
      is_active: true,
      has_password: false,
    });
    expect([await accounts.stateOf(squatter), await accounts.byPassword(email)]).toEqual([
      403, 401,
    ]);
    expect(await accounts.stateOf(first.account_key)).toBe(200);
    expect(second).toEqual(first);
  });

  it('removes the access of the account that changed to it, including other services', async ({
    api,
    accounts,
  }) => {
    const squatter = await accounts.logIn('own-2', 'own-2@example.com', 'github');
    const email = 'victim-2@example.com';
    const { account_key: as } = squatter;
    expected(await api.send({ as, method: 'PATCH', path: account, body: { email } }), 200);

    const victim = await accounts.logIn('id-2', email);
    const again = await accounts.logIn('own-2', 'own-2@example.com', 'github');

    expect(victim.id).toBe(squatter.id);
    expect(again.id).not.toBe(victim.id);
    expect(await accounts.stateOf(as)).toBe(403);
  });

  it('keeps password and key of one that is confirmed', async ({ api, world, accounts }) => {
    const email = 'active-3@example.com';
    const key = await world.account(email);
    expected(await api.send({ path: `${account}activate/`, body: proofTo(api, email) }), 200);

    const response = await accounts.logIn('id-3', email);

    expect(response).toMatchObject({ account_key: key, has_password: true, created: false });
    expect(await accounts.byPassword(email)).toBe(200);
  });
});

describe('a social log-in to a user whose name is the address', () => {
  it('removes the access of the user who registered it', async ({ users }) => {
    const squatter = await users.register('kim@example.com');

    const first = await users.logIn('a', 'kim@example.com');
    const second = await users.logIn('a', 'kim@example.com');
    const third = await users.logIn('b', 'kim@example.com', 'github');

    expect(first.id).toBe(squatter.id);
    expect(first.user_key).not.toBe(squatter.user_key);
    expect(await users.byPassword('kim@example.com')).toBe(401);
    expect([await users.stateOf(squatter.user_key), await users.stateOf(first.user_key)]).toEqual([
      403, 200,
    ]);
    expect([second, third]).toEqual([first, first]);
  });

  it('removes the access of the user who changed to it, including other services', async ({
    world,
    users,
  }) => {
    const squatter = await users.logIn('own', 'own@example.com', 'github');
    const as = { key: users.bare, user: squatter.user_key };
    expected(await world.call(as, 'PATCH', 'user/', { username: 'kim@example.com' }), 200);

    const victim = await users.logIn('a', 'kim@example.com');
    const again = await users.logIn('own', 'own@example.com', 'github');

    expect(victim.id).toBe(squatter.id);
    expect(await users.stateOf(squatter.user_key)).toBe(403);
    expect(again.id).not.toBe(victim.id);
  });

  it('keeps password and key of one that a service has confirmed', async ({ world, users }) => {
    const made = await users.logIn('a', 'kim@example.com');
    const as = { key: users.bare, user: made.user_key };
    expected(await world.call(as, 'PATCH', 'user/', { password: 'p' }), 200);

    const other = await users.logIn('b', 'kim@example.com', 'github');

    expect([other.user_key, await users.byPassword('kim@example.com')]).toEqual([
      made.user_key,
      200,
    ]);
  });

  it('leaves no other address by which its maker comes back', async ({ world, users }) => {
    const settings = { email: 'optional', guests: true };
    expected(await world.own('PATCH', 'user_settings/', settings), 200);
    const { id } = await users.register('kim@example.com');
    const own = { email: 'squatter@example.com', is_email_confirmed: true };
    expected(await world.own('PATCH', `users/${id}/`, own), 200);

    const victim = await users.logIn('a', 'kim@example.com');
    const free = await world.own('PATCH', `users/${(await users.register('x')).id}/`, own);

    const { data } = await storedUser(world, id);
    expect([victim.id, data.email, data.isEmailConfirmed]).toEqual([id, undefined, undefined]);
    expect(free.status).toBe(200);
  });

  it('proves the address itself, which the user has', async ({ world, users }) => {
    expected(await world.own('PATCH', 'user_settings/', { email: 'optional' }), 200);
    const { id } = await users.register('kim@example.com');
    const email = 'kim@example.com';
    expected(await world.own('PATCH', `users/${id}/`, { email }), 200);

    await users.logIn('a', email);

    const { data } = await storedUser(world, id);
    expect([data.email, data.isEmailConfirmed]).toEqual([email, true]);
    expect(await users.byPassword(email)).toBe(401);
  });

  it('makes a user of a guest who has taken the name', async ({ world, users }) => {
    expected(await world.own('PATCH', 'user_settings/', { guests: true }), 200);
    const guest = expected(await world.call(users.bare, 'POST', 'user/auth/guest/', {}), 201);
    const as = { key: users.bare, user: guest.user_key };
    expected(await world.call(as, 'PATCH', 'user/', { username: 'kim@example.com' }), 200);

    const victim = await users.logIn('a', 'kim@example.com');

    const { data } = await storedUser(world, guest.id);
    expect([victim.id, data.guestUntil, data.guestPlace]).toEqual([guest.id, undefined, undefined]);
    expect(await users.stateOf(guest.user_key)).toBe(403);
  });
});

/** A token is `<id> <e-mail>`. */
async function verify(token: string): Promise<SocialProfile | undefined> {
  const [id = '', email] = token.split(' ');
  return { id, email, first_name: '', last_name: '' };
}

function accountsOn(api: Api) {
  return {
    logIn: async (id: string, email: string, backend = 'facebook') => {
      const body = { access_token: `${id} ${email}` };
      return expected(await api.send({ path: `${account}auth/${backend}/`, body }), 200);
    },
    stateOf: async (as: string) => (await api.send({ as, path: account })).status,
    byPassword: async (email: string) =>
      (await api.send({ path: `${account}auth/`, body: { email, password: 'a password' } })).status,
  };
}

async function usersOf(world: World) {
  const bare = await world.apiKey({ allow_user_create: true });
  return {
    bare,
    logIn: async (id: string, email: string, backend = 'facebook') => {
      const body = { access_token: `${id} ${email}` };
      return expected(await world.call(bare, 'POST', `user/auth/${backend}/`, body), 200);
    },
    register: async (username: string) =>
      expected(await world.call(bare, 'POST', 'users/', { username, password: 'p' }), 201),
    byPassword: async (username: string) =>
      (await world.call(bare, 'POST', 'user/auth/', { username, password: 'p' })).status,
    stateOf: async (user: string) => (await world.call({ key: bare, user }, 'GET', 'user/')).status,
  };
}
