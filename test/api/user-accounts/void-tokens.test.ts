import { expect } from 'vitest';
import type { World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { ownStatus, signedInAs, tokenFor, userRecord } from '../../support/user-accounts.ts';
import { beginSession, setUserSettings } from '../../support/user-sessions.ts';

/*
 * Links in the mailboxes of other people: those of before a change of password or address are void
 * (docs/reference/user-accounts.md#confirmation).
 */

const it = newWorldTest('voidtokens').extend('key', ({ world }) =>
  world.apiKey({ allow_user_create: true }),
);
const on = { email: 'optional', confirmed: 'optional', guests: true } as const;
const [stranger, own] = ['stranger@example.com', 'own@example.com'];
const wrong = { status: 400, body: { token: ['Invalid token.'] } };

it('a new password makes links void for a user without address too', async ({ world, key }) => {
  await setUserSettings(world, on);
  const { id } = await world.create('users/', { username: 'ann', password: 'stolen' });
  const token = await tokenFor(world, { purpose: 'confirm', user: id, email: stranger });

  const as = { key, user: await beginSession(world, id) };
  expect((await world.call(as, 'PATCH', 'user/', { password: 'new' })).status).toBe(200);

  expect(await confirm(world, token)).toMatchObject(wrong);
  expect(await ownStatus(world, as)).toBe(200);
});

it('a new address makes the link for a wrong one void', async ({ world, key }) => {
  await setUserSettings(world, on);
  const body = { email: stranger, password: 'secret' };
  const user = await world.call(key, 'POST', 'user/register/', body);
  const { id } = user.body;
  const as = signedInAs(key, user);
  const late = await tokenFor(world, { purpose: 'confirm', user: id, email: stranger });
  const token = await tokenFor(world, { purpose: 'confirm', user: id, email: own });
  expect((await world.call(as, 'POST', 'user/email/confirm/', { token })).status).toBe(200);

  expect(await confirm(world, late)).toMatchObject(wrong);
  expect(await ownStatus(world, as)).toBe(200);
  expect(await userRecord(world, id)).toMatchObject({ email: own, isEmailConfirmed: true });
});

it('so does an address that an administrator sets', async ({ world, key }) => {
  await setUserSettings(world, on);
  const body = { email: stranger, password: 'secret' };
  const { id } = (await world.call(key, 'POST', 'user/register/', body)).body;
  const late = await tokenFor(world, { purpose: 'confirm', user: id, email: stranger });

  expect((await world.own('PATCH', `users/${id}/`, { email: own })).status).toBe(200);

  expect(await confirm(world, late)).toMatchObject(wrong);
});

function confirm(world: World, token: string) {
  return world.call(undefined, 'POST', 'user/email/confirm/', { token });
}
