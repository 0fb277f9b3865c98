import { expect } from 'vitest';
import type { World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import {
  ownStatus,
  recordMails,
  signedInAs,
  tokenFor,
  userRecord,
} from '../../support/user-accounts.ts';
import { beginSession, setUserSettings } from '../../support/user-sessions.ts';

/*
 * Links in the mailboxes of other people: those of before a change of password or address are void
 * (docs/reference/user-accounts.md#confirmation).
 */

const it = newWorldTest('voidtokens', { wrap: recordMails }).extend('key', ({ world }) =>
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
  expect(await ownStatus(world, as)).toBe(403); // it was the first proof
  expect(await userRecord(world, id)).toMatchObject({ email: own, isEmailConfirmed: true });
});

it('a mail that waits knows the user of before', async ({ world, key, store }) => {
  await setUserSettings(world, on);
  store.reset();
  const body = { email: stranger, password: 'secret' };
  const registered = await world.call(key, 'POST', 'user/register/', body);
  const as = signedInAs(key, registered);
  const change = { email: own, password: 'secret' };
  expect((await world.call(as, 'POST', 'user/email/', change)).status).toBe(202);

  const { generation } = await userRecord(world, registered.body.id);
  const asked = { generation, at: expect.any(Number) };
  expect(store.mails).toMatchObject([
    { purpose: 'confirm', email: stranger, asked },
    { purpose: 'confirm', email: own, asked },
  ]);
});

it('an address that an administrator sets makes earlier links void too', async ({ world, key }) => {
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
