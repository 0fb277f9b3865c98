import { expect } from 'vitest';
import type { World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { openMovedClock } from '../../support/moved-clock.ts';
import {
  ownStatus,
  recordMails,
  signedInAs,
  tokenFor,
  userRecord,
} from '../../support/user-accounts.ts';
import { setUserSettings } from '../../support/user-sessions.ts';

const clock = openMovedClock();
const it = newWorldTest('addresses', { wrap: recordMails, clock }).extend('key', ({ world }) =>
  world.apiKey({ allow_user_create: true }),
);
const required = { email: 'required', confirmed: 'required' } as const;
const optional = { email: 'optional', confirmed: 'optional' } as const;
const address = 'ann@example.com';
const requested = { detail: 'If the address can have this mail, it is on its way.' };

it('registers by a mail, and the confirmation creates the user', async ({ world, key, store }) => {
  await setUserSettings(world, { ...required, redirects: ['https://app.example/done'] });
  store.reset();

  const asked = await world.call(key, 'POST', 'user/register/', {
    email: 'Ann@Example.com',
    redirect: 'https://app.example/done',
  });
  const token = await tokenFor(world, { purpose: 'register', email: address });
  const body = { token, username: 'Ann', password: 'secret word', profile: {} };
  const confirmed = await world.call(undefined, 'POST', 'user/email/confirm/', body);
  const again = await world.call(undefined, 'POST', 'user/email/confirm/', body);

  expect([asked.status, asked.body]).toEqual([202, requested]);
  expect(store.mails).toMatchObject([
    { purpose: 'register', email: address, user: 0, redirect: 'https://app.example/done' },
  ]);
  expect(confirmed).toMatchObject({ status: 200, body: { username: 'Ann' } });
  expect(confirmed.body.user_key).toHaveLength(64);
  expect(await ownStatus(world, signedInAs(key, confirmed))).toBe(200);
  const own = await world.call(signedInAs(key, confirmed), 'GET', 'user/email/');
  expect(own.body).toEqual({ email: address, is_confirmed: true });
  expect(again).toMatchObject({ status: 400, body: { token: ['Invalid token.'] } });
  const named = { username: 'ann', password: 'secret word' };
  expect((await world.call(key, 'POST', 'user/auth/', named)).status).toBe(200);
});

it('takes password and name with the confirmation only', async ({ world, key }) => {
  await setUserSettings(world, required);

  const response = await world.call(key, 'POST', 'user/register/', {
    email: address,
    username: 'ann',
    password: 'x',
    profile: {},
  });

  const text = ['Send it with the confirmation.'];
  expect(response).toMatchObject({
    status: 400,
    body: { username: text, password: text, profile: text },
  });
});

it('gives the key at once where addresses need no proof, and says that one is taken', async ({
  world,
  key,
  store,
}) => {
  await setUserSettings(world, optional);
  store.reset();

  const body = { email: 'ann@MÜNCHEN.de', password: 'p' };
  const first = await world.call(key, 'POST', 'user/register/', body);
  const second = await world.call(key, 'POST', 'user/register/', body);

  expect(first.status).toBe(201);
  expect(await ownStatus(world, signedInAs(key, first))).toBe(200);
  const own = await world.call(signedInAs(key, first), 'GET', 'user/email/');
  expect(own.body).toEqual({ email: 'ann@xn--mnchen-3ya.de', is_confirmed: false });
  expect(second).toMatchObject({ status: 400, body: { email: ['This field must be unique.'] } });
  expect(store.mails).toMatchObject([{ purpose: 'confirm', user: first.body.id }]);
});

it('creates one user for concurrent registrations', async ({ world, key }) => {
  await setUserSettings(world, optional);

  const responses = await Promise.all(
    [1, 2, 3, 4].map(() =>
      world.call(key, 'POST', 'user/register/', { email: address, password: 'p' }),
    ),
  );

  expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
});

it('needs a key that may create users, at the end as well', async ({ world, key }) => {
  await setUserSettings(world, required);
  const bare = await world.apiKey();
  const token = await tokenFor(world, { purpose: 'register', email: address });

  const refused = await world.call(bare, 'POST', 'user/register/', { email: address });
  const byAccount = await world.own('POST', 'user/register/', { email: address });
  await world.own('PATCH', 'api_keys/1/', { allow_user_create: false });
  const late = await world.call(key, 'POST', 'user/email/confirm/', { token });
  await world.own('DELETE', 'api_keys/1/');
  const gone = await world.call(undefined, 'POST', 'user/email/confirm/', { token });

  expect([refused.status, byAccount.status, late.status, gone.status]).toEqual([
    403, 403, 403, 400,
  ]);
});

it('accepts redirects of the settings only, letter by letter', async ({ world, key }) => {
  await setUserSettings(world, { ...required, redirects: ['https://app.example/'] });

  const statuses = await Promise.all(
    ['https://app.example/', 'https://app.example', 'https://app.example/?a', '//evil.example'].map(
      async (redirect) =>
        (await world.call(key, 'POST', 'user/password/reset/', { email: address, redirect }))
          .status,
    ),
  );

  expect(statuses).toEqual([202, 400, 400, 400]);
});

it('a reset ends sessions, key and password', async ({ world, key }) => {
  const user = await confirmedUser(world, key);
  const token = await tokenFor(world, { purpose: 'reset', user: user.body.id, email: address });
  const old = { username: user.body.username, password: 'first' };
  const logIn = await world.call(key, 'POST', 'user/auth/', old);

  const body = { token, password: 'second' };
  const reset = await world.call(undefined, 'POST', 'user/password/reset/confirm/', body);
  const again = await world.call(undefined, 'POST', 'user/password/reset/confirm/', body);

  expect(reset.status).toBe(200);
  expect(again.status).toBe(400);
  const statuses = [reset, user, logIn].map((each) => ownStatus(world, signedInAs(key, each)));
  expect(await Promise.all(statuses)).toEqual([200, 403, 403]);
  const logIns = ['first', 'second'].map((password) =>
    world.call(key, 'POST', 'user/auth/', { ...old, password }),
  );
  expect((await Promise.all(logIns)).map(({ status }) => status)).toEqual([401, 200]);
});

it('a change of the password makes earlier tokens void', async ({ world, key }) => {
  const user = await confirmedUser(world, key);
  const { id } = user.body;
  const reset = await tokenFor(world, { purpose: 'reset', user: id, email: address });
  const change = await tokenFor(world, { purpose: 'confirm', user: id, email: 'b@example.com' });

  await world.call(signedInAs(key, user), 'PATCH', 'user/', { password: 'changed' });

  const body = { token: reset, password: 'stolen' };
  const first = await world.call(key, 'POST', 'user/password/reset/confirm/', body);
  const second = await world.call(key, 'POST', 'user/email/confirm/', { token: change });
  expect([first.status, second.status]).toEqual([400, 400]);
});

it('moves to another address after its proof, and tells the old one', async ({
  world,
  key,
  store,
}) => {
  const user = await confirmedUser(world, key);
  const as = signedInAs(key, user);
  clock.forward(601);
  store.reset();
  const email = 'new@example.com';

  const late = await world.call(as, 'POST', 'user/email/', { email });
  const wrong = await world.call(as, 'POST', 'user/email/', { email, password: 'x' });
  const asked = await world.call(as, 'POST', 'user/email/', { email, password: 'first' });
  const token = await tokenFor(world, { purpose: 'confirm', user: user.body.id, email });
  const before = await world.call(as, 'GET', 'user/email/');
  const moved = await world.call(as, 'POST', 'user/email/confirm/', { token });

  expect([late.status, wrong.status, asked.status, moved.status]).toEqual([400, 400, 202, 200]);
  expect(before.body).toEqual({ email: address, is_confirmed: true });
  expect(store.mails).toMatchObject([
    { purpose: 'confirm', email, user: user.body.id },
    { purpose: 'changed', email: address, user: user.body.id },
  ]);
  expect(await ownStatus(world, as)).toBe(200);
  expect((await userRecord(world, user.body.id)).email).toBe(email);
  const free = await tokenFor(world, { purpose: 'register', email: address });
  const next = await world.call(undefined, 'POST', 'user/email/confirm/', { token: free });
  expect(next.status).toBe(200);
});

it('an address has one user, whoever proves it first', async ({ world, key }) => {
  const user = await confirmedUser(world, key);
  const other = await confirmedUser(world, key, 'other@example.com');
  const register = await tokenFor(world, { purpose: 'register', email: address });
  const change = await tokenFor(world, {
    purpose: 'confirm',
    user: other.body.id,
    email: address,
  });

  const statuses = [register, change].map(async (token) => {
    const response = await world.call(key, 'POST', 'user/email/confirm/', { token });
    return [response.status, response.body];
  });

  const wrong = [400, { token: ['Invalid token.'] }];
  expect(await Promise.all(statuses)).toEqual([wrong, wrong]);
  expect(await ownStatus(world, signedInAs(key, user))).toBe(200);
});

it('an address is no name of a log-in', async ({ world, key }) => {
  await confirmedUser(world, key);

  const body = { username: address, password: 'first' };
  const response = await world.call(key, 'POST', 'user/auth/', body);

  expect([response.status, response.body]).toEqual([401, { detail: 'Invalid username.' }]);
});

it('an administrator who deletes a user frees its address', async ({ world, key }) => {
  const user = await confirmedUser(world, key);

  await world.own('DELETE', `users/${user.body.id}/`);

  const token = await tokenFor(world, { purpose: 'register', email: address });
  const next = await world.call(undefined, 'POST', 'user/email/confirm/', { token });
  expect(next.status).toBe(200);
  expect(next.body.id).not.toBe(user.body.id);
});

it.for(['register', 'confirm', 'reset', 'redirect', 'exchange'] as const)(
  'a token of purpose %s counts for its purpose, time and instance only',
  async (purpose, { world, key }) => {
    const user = await confirmedUser(world, key);
    const claims = {
      purpose,
      email: 'x@example.com',
      user: purpose === 'register' ? 0 : user.body.id,
    };
    const here = await tokenFor(world, claims);
    const ended = await tokenFor(world, claims, 0);
    const foreign = await tokenFor(world, { ...claims, instance: 999_999 });
    const paths = ['user/email/confirm/', 'user/password/reset/confirm/'];

    const statuses = await Promise.all(
      [ended, foreign, `${here}x`, `x${here}`, here.replace('.', '..')].flatMap((token) =>
        paths.map(
          async (path) =>
            (await world.call(undefined, 'POST', path, { token, password: 'p' })).status,
        ),
      ),
    );
    const others =
      purpose === 'register' || purpose === 'confirm' ? paths.slice(1) : paths.slice(0, 1);
    const wrong = purpose === 'redirect' || purpose === 'exchange' ? paths : others;
    const misused = await Promise.all(
      wrong.map(
        async (path) =>
          (await world.call(undefined, 'POST', path, { token: here, password: 'p' })).status,
      ),
    );

    expect([...statuses, ...misused].every((status) => status === 400)).toBe(true);
  },
);

it('concurrent uses of a token have one effect', async ({ world }) => {
  await setUserSettings(world, required);
  await world.apiKey({ allow_user_create: true });
  const token = await tokenFor(world, { purpose: 'register', email: address });

  const responses = await Promise.all(
    [1, 2, 3, 4].map(() => world.call(undefined, 'POST', 'user/email/confirm/', { token })),
  );

  expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
});

async function confirmedUser(world: World, key: string, email = address) {
  await setUserSettings(world, required);
  const token = await tokenFor(world, { purpose: 'register', email });
  const body = { token, password: 'first' };
  return world.call(key, 'POST', 'user/email/confirm/', body);
}
