import { expect } from 'vitest';
import type { SocialProfile } from '../../../shared/ports/social-verifier.ts';
import { issueCode } from '../../../shared/users/addresses/issue-code.ts';
import type { ApiResponse, World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { instanceId } from '../../support/stored-records.ts';
import { ownStatus, signedInAs, tokenFor, userRecord } from '../../support/user-accounts.ts';
import { setUserSettings } from '../../support/user-sessions.ts';

/*
 * Another person has made a user with the address of a victim, and waits. The first proof of the address, by whatever
 * path, makes void what was there before it (docs/reference/user-accounts.md#the-first-proof).
 */

const it = newWorldTest('takeover', { social: { facebook: verify } }).extend('key', ({ world }) =>
  world.apiKey({ allow_user_create: true }),
);
const victim = 'victim@example.com';
const attacker = 'attacker@example.com';
const on = { email: 'optional', confirmed: 'optional', codes: true, guests: true } as const;

type Proof = (world: World, key: string, user: number) => Promise<ApiResponse>;

const proofs: Record<string, Proof> = {
  'the link of a confirmation': async (world, _, user) => {
    const token = await tokenFor(world, { purpose: 'confirm', user, email: victim });
    return world.call(undefined, 'POST', 'user/email/confirm/', { token });
  },
  'the link of a confirmation, as the user itself': async (world, key, user) => {
    const token = await tokenFor(world, { purpose: 'confirm', user, email: victim });
    const body = { username: 'taker', password: 'attack' };
    const as = signedInAs(key, await world.call(key, 'POST', 'user/auth/', body));
    return world.call(as, 'POST', 'user/email/confirm/', { token });
  },
  'the link of a reset': async (world, _, user) => {
    const token = await tokenFor(world, { purpose: 'reset', user, email: victim });
    const body = { token, password: 'of the victim' };
    return world.call(undefined, 'POST', 'user/password/reset/confirm/', body);
  },
  'a code': async (world, key) => {
    const code = await codeFor(world, victim);
    return world.call(key, 'POST', 'user/auth/code/', { email: victim, code });
  },
};

it.for(Object.entries(proofs))(
  '%s ends all that was there before',
  async ([_, prove], { world, key }) => {
    await setUserSettings(world, on);
    const body = { email: victim, username: 'taker', password: 'attack' };
    const planted = await world.call(key, 'POST', 'user/register/', body);
    const { id } = planted.body;
    const old = await world.call(key, 'POST', 'user/auth/', body);
    const before = await Promise.all(
      [planted, old].map((each) => ownStatus(world, signedInAs(key, each))),
    );
    const { linkEpoch = 0 } = await userRecord(world, id);

    const proved = await prove(world, key, id);

    expect([proved.status, proved.body.id]).toEqual([200, id]);
    const keys = [planted, old, proved].map((each) => ownStatus(world, signedInAs(key, each)));
    expect([before, await Promise.all(keys)]).toEqual([
      [200, 200],
      [403, 403, 200],
    ]);
    expect((await world.call(key, 'POST', 'user/auth/', body)).status).toBe(401);
    expect(await userRecord(world, id)).toMatchObject({
      isEmailConfirmed: true,
      linkEpoch: linkEpoch + 1,
    });
  },
);

it('a name that is the address of another person finds the user no more', async ({
  world,
  key,
}) => {
  await setUserSettings(world, on);
  const body = { email: victim, username: attacker, password: 'attack' };
  const planted = await world.call(key, 'POST', 'user/register/', body);

  const code = await codeFor(world, victim);
  const proved = await world.call(key, 'POST', 'user/auth/code/', { email: victim, code });
  const logIn = { access_token: `a1 ${attacker}` };
  const social = await world.call(key, 'POST', 'user/auth/facebook/', logIn);

  expect(proved.body.id).toBe(planted.body.id);
  expect(social.body.id).not.toBe(planted.body.id);
  expect(await ownStatus(world, signedInAs(key, proved))).toBe(200);
});

it('an identity of before finds the user no more', async ({ world, key }) => {
  await setUserSettings(world, on);
  const logIn = { access_token: `b1 ${attacker}` };
  const social = await world.call(key, 'POST', 'user/auth/facebook/', logIn);
  const { id } = social.body;
  const token = await tokenFor(world, { purpose: 'confirm', user: id, email: victim });

  const proved = await world.call(undefined, 'POST', 'user/email/confirm/', { token });
  const again = await world.call(key, 'POST', 'user/auth/facebook/', { access_token: 'b1' });

  expect([proved.status, proved.body.id]).toEqual([200, id]);
  expect(again.status).toBe(400);
  expect(await ownStatus(world, signedInAs(key, social))).toBe(403);
});

it('a victim that proves an address for the user of another person has it alone', async ({
  world,
  key,
}) => {
  await setUserSettings(world, on);
  const code = await codeFor(world, attacker);
  const theirs = await world.call(key, 'POST', 'user/auth/code/', { email: attacker, code });
  const { id } = theirs.body;
  const token = await tokenFor(world, { purpose: 'confirm', user: id, email: victim });

  const proved = await world.call(undefined, 'POST', 'user/email/confirm/', { token });

  expect([proved.status, proved.body.id]).toEqual([200, id]);
  expect(await ownStatus(world, signedInAs(key, theirs))).toBe(403);
  const again = await codeFor(world, attacker);
  const next = await world.call(key, 'POST', 'user/auth/code/', { email: attacker, code: again });
  expect(next.body.id).not.toBe(id);
});

it.for(['confirmation', 'code', 'registration'])(
  'the session of a guest ends when the guest becomes a user by %s',
  async (path, { world, key }) => {
    await setUserSettings(world, {
      ...on,
      confirmed: path === 'registration' ? 'optional' : 'required',
    });
    const guest = await world.call(key, 'POST', 'user/auth/guest/', {});
    const as = signedInAs(key, guest);
    const { id } = guest.body;

    const become = async () => {
      if (path === 'registration') {
        return world.call(as, 'POST', 'user/register/', { email: victim, password: 'p' });
      }
      if (path === 'code') {
        const code = await codeFor(world, victim);
        return world.call(as, 'POST', 'user/auth/code/', { email: victim, code });
      }
      const token = await tokenFor(world, { purpose: 'register', user: id, email: victim });
      return world.call(as, 'POST', 'user/email/confirm/', { token });
    };
    const user = await become();

    expect([path === 'registration' ? 201 : 200, id]).toEqual([user.status, user.body.id]);
    expect(await ownStatus(world, as)).toBe(403);
    expect(await ownStatus(world, signedInAs(key, user))).toBe(200);
    expect(await userRecord(world, id)).not.toHaveProperty('guestUntil');
  },
);

it.for([undefined, attacker])(
  'a log-in by a service leaves a waiting person no way back: address %s',
  async (email, { world, key }) => {
    await setUserSettings(world, on);
    const as =
      email === undefined
        ? signedInAs(key, await world.call(key, 'POST', 'user/auth/guest/', {}))
        : signedInAs(key, await provedUser(world, key, email));
    const { id } = (await world.call(as, 'PATCH', 'user/', { username: victim })).body;

    const logIn = { access_token: `c1 ${victim}` };
    const social = await world.call(key, 'POST', 'user/auth/facebook/', logIn);

    expect([social.status, social.body.id]).toEqual([200, id]);
    expect(await ownStatus(world, as)).toBe(403);
    const record = await userRecord(world, id);
    expect(record).not.toHaveProperty('guestUntil');
    expect(record).not.toHaveProperty('email');
    expect((await provedUser(world, key, attacker)).body.id).not.toBe(id);
  },
);

it('a log-in by a service proves the address that the user has already', async ({ world, key }) => {
  await setUserSettings(world, on);
  const body = { email: victim, username: victim, password: 'attack' };
  const { id } = (await world.call(key, 'POST', 'user/register/', body)).body;

  await world.call(key, 'POST', 'user/auth/facebook/', { access_token: `d1 ${victim}` });

  expect(await userRecord(world, id)).toMatchObject({ email: victim, isEmailConfirmed: true });
  expect((await provedUser(world, key, victim)).body.id).toBe(id);
});

async function provedUser(world: World, key: string, email: string): Promise<ApiResponse> {
  const code = await codeFor(world, email);
  return world.call(key, 'POST', 'user/auth/code/', { email, code });
}

async function codeFor(world: World, email: string): Promise<string> {
  const { platform } = world.api;
  await platform.idle(); // the job of a mail issues a code too
  const instance = await instanceId(platform.store, world.instance);
  return issueCode(platform, { instance, email, use: 'log-in', key: 1 });
}

/** A token is `<id>`, or `<id> <e-mail>`. */
async function verify(token: string): Promise<SocialProfile | undefined> {
  const [id = '', email] = token.split(' ');
  return { id, email, first_name: '', last_name: '' };
}

it('the link of a mail gives no rights of a key that ignores permissions', async ({ world }) => {
  await setUserSettings(world, { email: 'optional', confirmed: 'required' });
  await world.apiKey({ ignore_acl: true, allow_user_create: true }); // of the server of the app
  const schema = [{ name: 'scan', type: 'file', private: true }];
  await world.own('PATCH', 'classes/user_profile/', { schema });
  const path = `${await world.dataClass('letter', schema)}objects/`;
  const form = new FormData();
  form.append('scan', new Blob(['of the victim']), 'a.txt');
  const letter = await world.api.send({ as: world.owner, method: 'POST', path, body: form });
  const [scan] = letter.body.scan.value.match(/private\/[^?]*/);
  const { id: group } = await world.create('groups/', { name: 'staff' });
  const token = await tokenFor(world, { purpose: 'confirm', email: attacker });
  const confirm = (profile: object) =>
    world.call(undefined, 'POST', 'user/email/confirm/', { token, password: 'x', profile });

  expect((await confirm({ scan })).status).toBe(400);
  expect((await confirm({ group })).status).toBe(400);
  expect((await confirm({})).status).toBe(200);
});
