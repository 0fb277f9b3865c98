import { beforeEach, describe, expect, it } from 'vitest';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { proofTo } from '../support/mails.ts';
import { storedUser } from '../support/user-sessions.ts';

/** An account with another person's address is transferred to the person a service verifies. */

let world: World;
let count = 0;

/** A token is `<id> <e-mail>`. */
async function verify(token: string): Promise<SocialProfile | undefined> {
  const [id = '', email] = token.split(' ');
  return { id, email, first_name: '', last_name: '' };
}

useApi({ social: { facebook: verify, github: verify } });
beforeEach(async () => {
  count += 1;
  world = await openWorld(api, `house-${count}`);
});

describe('a social log-in to an account whose address was never confirmed', () => {
  const account = '/v1.1/account/';
  const logIn = async (id: string, email: string, backend = 'facebook') =>
    expected(
      await api.send({
        path: `${account}auth/${backend}/`,
        body: { access_token: `${id} ${email}` },
      }),
      200,
    );
  const stateOf = async (as: string) => (await api.send({ as, path: account })).status;
  const byPassword = async (email: string) =>
    (await api.send({ path: `${account}auth/`, body: { email, password: 'a password' } })).status;

  it('removes the access of the account that registered it', async () => {
    const email = `victim-${count}@example.com`;
    const squatter = await world.account(email);

    const first = await logIn(`id-${count}`, email);
    const second = await logIn(`id-${count}`, email);

    expect(first).toMatchObject({
      email,
      created: false,
      is_active: true,
      has_password: false,
    });
    expect([await stateOf(squatter), await byPassword(email)]).toEqual([403, 401]);
    expect(await stateOf(first.account_key)).toBe(200);
    expect(second).toEqual(first);
  });

  it('removes the access of the account that changed to it, including other services', async () => {
    const squatter = await logIn(`own-${count}`, `own-${count}@example.com`, 'github');
    const email = `victim-${count}@example.com`;
    const { account_key: as } = squatter;
    expected(await api.send({ as, method: 'PATCH', path: account, body: { email } }), 200);

    const victim = await logIn(`id-${count}`, email);
    const again = await logIn(`own-${count}`, `own-${count}@example.com`, 'github');

    expect(victim.id).toBe(squatter.id);
    expect(again.id).not.toBe(victim.id);
    expect(await stateOf(as)).toBe(403);
  });

  it('keeps password and key of one that is confirmed', async () => {
    const email = `active-${count}@example.com`;
    const key = await world.account(email);
    expected(await api.send({ path: `${account}activate/`, body: proofTo(api, email) }), 200);

    const response = await logIn(`id-${count}`, email);

    expect(response).toMatchObject({ account_key: key, has_password: true, created: false });
    expect(await byPassword(email)).toBe(200);
  });
});

describe('a social log-in to a user whose name is the address', () => {
  let bare: string;
  beforeEach(async () => {
    bare = await world.apiKey({ allow_user_create: true });
  });

  const logIn = async (id: string, email: string, backend = 'facebook') => {
    const body = { access_token: `${id} ${email}` };
    return expected(await world.call(bare, 'POST', `user/auth/${backend}/`, body), 200);
  };
  const register = async (username: string) =>
    expected(await world.call(bare, 'POST', 'users/', { username, password: 'p' }), 201);
  const byPassword = async (username: string) =>
    (await world.call(bare, 'POST', 'user/auth/', { username, password: 'p' })).status;
  const stateOf = async (user: string) =>
    (await world.call({ key: bare, user }, 'GET', 'user/')).status;

  it('removes the access of the user who registered it', async () => {
    const squatter = await register('kim@example.com');

    const first = await logIn('a', 'kim@example.com');
    const second = await logIn('a', 'kim@example.com');
    const third = await logIn('b', 'kim@example.com', 'github');

    expect(first.id).toBe(squatter.id);
    expect(first.user_key).not.toBe(squatter.user_key);
    expect(await byPassword('kim@example.com')).toBe(401);
    expect([await stateOf(squatter.user_key), await stateOf(first.user_key)]).toEqual([403, 200]);
    expect([second, third]).toEqual([first, first]);
  });

  it('removes the access of the user who changed to it, including other services', async () => {
    const squatter = await logIn('own', 'own@example.com', 'github');
    const as = { key: bare, user: squatter.user_key };
    expected(await world.call(as, 'PATCH', 'user/', { username: 'kim@example.com' }), 200);

    const victim = await logIn('a', 'kim@example.com');
    const again = await logIn('own', 'own@example.com', 'github');

    expect(victim.id).toBe(squatter.id);
    expect(await stateOf(squatter.user_key)).toBe(403);
    expect(again.id).not.toBe(victim.id);
  });

  it('keeps password and key of one that a service has confirmed', async () => {
    const made = await logIn('a', 'kim@example.com');
    const as = { key: bare, user: made.user_key };
    expected(await world.call(as, 'PATCH', 'user/', { password: 'p' }), 200);

    const other = await logIn('b', 'kim@example.com', 'github');

    expect([other.user_key, await byPassword('kim@example.com')]).toEqual([made.user_key, 200]);
  });

  it('leaves no other address by which its maker comes back', async () => {
    const settings = { email: 'optional', guests: true };
    expected(await world.own('PATCH', 'user_settings/', settings), 200);
    const { id } = await register('kim@example.com');
    const own = { email: 'squatter@example.com', is_email_confirmed: true };
    expected(await world.own('PATCH', `users/${id}/`, own), 200);

    const victim = await logIn('a', 'kim@example.com');
    const free = await world.own('PATCH', `users/${(await register('x')).id}/`, own);

    const { data } = await storedUser(world, id);
    expect([victim.id, data.email, data.isEmailConfirmed]).toEqual([id, undefined, undefined]);
    expect(free.status).toBe(200);
  });

  it('proves the address itself, which the user has', async () => {
    expected(await world.own('PATCH', 'user_settings/', { email: 'optional' }), 200);
    const { id } = await register('kim@example.com');
    const email = 'kim@example.com';
    expected(await world.own('PATCH', `users/${id}/`, { email }), 200);

    await logIn('a', email);

    const { data } = await storedUser(world, id);
    expect([data.email, data.isEmailConfirmed]).toEqual([email, true]);
    expect(await byPassword(email)).toBe(401);
  });

  it('makes a user of a guest who has taken the name', async () => {
    expected(await world.own('PATCH', 'user_settings/', { guests: true }), 200);
    const guest = expected(await world.call(bare, 'POST', 'user/auth/guest/', {}), 201);
    const as = { key: bare, user: guest.user_key };
    expected(await world.call(as, 'PATCH', 'user/', { username: 'kim@example.com' }), 200);

    const victim = await logIn('a', 'kim@example.com');

    const { data } = await storedUser(world, guest.id);
    expect([victim.id, data.guestUntil, data.guestPlace]).toEqual([guest.id, undefined, undefined]);
    expect(await stateOf(guest.user_key)).toBe(403);
  });
});
