import { expect } from 'vitest';
import { issueCode } from '../../../shared/users/addresses/issue-code.ts';
import { openWorld, type World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { openMovedClock } from '../../support/moved-clock.ts';
import { instanceId } from '../../support/stored-records.ts';
import { ownStatus, recordMails, signedInAs, tokenFor } from '../../support/user-accounts.ts';
import { setUserSettings } from '../../support/user-sessions.ts';

const clock = openMovedClock();
const it = newWorldTest('codes', { wrap: recordMails, clock }).extend('key', ({ world }) =>
  world.apiKey({ allow_user_create: true }),
);
const on = { email: 'optional', confirmed: 'required', codes: true } as const;
const email = 'ann@example.com';
const wrong = [400, { code: ['Invalid code.'] }];

it('an empty code is a wrong one, and sends no mail', async ({ world, key, store }) => {
  await setUserSettings(world, on);
  store.reset();

  const { status, body } = await logIn(world, key, '');

  expect([status, body]).toEqual(wrong);
  expect(store.mails).toEqual([]);
});

it('a code makes a user, and then logs it in, once', async ({ world, key, store }) => {
  await setUserSettings(world, on);
  store.reset();

  const asked = await world.call(key, 'POST', 'user/auth/code/', { email: 'ANN@example.com' });
  await world.api.platform.idle(); // its mail has another code
  const code = await codeFor(world);
  const first = await logIn(world, key, code);
  const replay = await logIn(world, key, code);
  const second = await logIn(world, key, await codeFor(world));

  expect(asked.status).toBe(202);
  expect(store.mails).toMatchObject([{ purpose: 'code', email, use: 'log-in', user: 0 }]);
  expect([first.status, second.status, second.body.id]).toEqual([200, 200, first.body.id]);
  expect([replay.status, replay.body]).toEqual(wrong);
  const keys = [first, second].map((each) => ownStatus(world, signedInAs(key, each)));
  expect(await Promise.all(keys)).toEqual([200, 200]);
});

it('a new code makes the earlier one void', async ({ world, key }) => {
  await setUserSettings(world, on);
  const first = await codeFor(world);
  const second = await otherCode(world, first);

  const responses = [await logIn(world, key, first), await logIn(world, key, second)];

  expect(responses.map(({ status }) => status)).toEqual([400, 200]);
});

it('a code is void after five wrong ones, also at once', async ({ world, key }) => {
  await setUserSettings(world, on);
  const code = await codeFor(world);
  const others = [1, 2, 3, 4, 5].map((more) =>
    String((Number(code) + more) % 1e6).padStart(6, '0'),
  );

  const responses = await Promise.all(others.map((other) => logIn(world, key, other)));
  const right = await logIn(world, key, code);

  expect([...responses, right].map(({ status, body }) => [status, body])).toEqual(
    Array(6).fill(wrong),
  );
});

it('four wrong ones do not hurt', async ({ world, key }) => {
  await setUserSettings(world, on);
  const code = await codeFor(world);
  for (const more of [1, 2, 3, 4]) await logIn(world, key, String((Number(code) + more) % 1e6));

  expect((await logIn(world, key, code)).status).toBe(200);
});

it('a code ends after ten minutes, and is of its address, use and instance', async ({
  api,
  world,
  key,
}) => {
  await setUserSettings(world, on);
  const other = await openWorld(api, `${world.instance}-other`);
  await setUserSettings(other, on);
  const otherKey = await other.apiKey({ allow_user_create: true });
  const code = await codeFor(world);
  const toDelete = await codeFor(world, 'delete@example.com', 'delete');

  const responses = [
    await logIn(other, otherKey, code),
    await logIn(world, key, code, 'other@example.com'),
    await logIn(world, key, toDelete, 'delete@example.com'),
  ];
  clock.forward(601);
  responses.push(await logIn(world, key, code));

  expect(responses.map(({ status, body }) => [status, body])).toEqual(Array(4).fill(wrong));
});

it('a wrong code costs the same for a known and for an unknown address', async ({
  world,
  key,
  store,
}) => {
  await setUserSettings(world, on);
  const token = await tokenFor(world, { purpose: 'register', email });
  expect((await world.call(key, 'POST', 'user/email/confirm/', { token })).status).toBe(200);
  const addresses = [email, 'unknown@example.com', 'sent@example.com'];
  await codeFor(world, 'sent@example.com');

  const costs = [];
  for (const address of addresses) {
    await world.api.platform.idle();
    store.reset();
    const { status, body, headers } = await logIn(world, key, '1', address);
    const names = [...headers.keys()].sort();
    costs.push({ status, body, names, ...store.counted });
  }

  expect(costs[1]).toEqual(costs[0]);
  expect(costs[2]).toEqual(costs[0]);
});

it('a code for a new address makes a user only where the key may', async ({ world, key }) => {
  await setUserSettings(world, on);
  const bare = await world.apiKey();

  const refused = await logIn(world, bare, await codeFor(world));
  const made = await logIn(world, key, await codeFor(world));
  const known = await logIn(world, bare, await codeFor(world));
  const byAccount = await world.own('POST', 'user/auth/code/', { email });

  expect([refused.status, made.status, known.status, byAccount.status]).toEqual([
    403, 200, 200, 403,
  ]);
});

it('tries are limited by address and client', async ({ world, key }) => {
  await setUserSettings(world, on);

  const responses = [];
  for (let at = 0; at < 11; at += 1) responses.push(await logIn(world, key, '000000'));
  clock.forward(3);
  const late = await logIn(world, key, '000000');

  expect(responses.map(({ status }) => status)).toEqual([...Array(10).fill(400), 429]);
  expect(late.status).toBe(429);
});

it('a guest gets an address only with a key that may create users', async ({ world, key }) => {
  await setUserSettings(world, { ...on, guests: true });
  const guest = await world.call(key, 'POST', 'user/auth/guest/', {});
  const bare = { key: await world.apiKey({}), user: guest.body.user_key };

  const response = await world.call(bare, 'POST', 'user/auth/code/', {
    email,
    code: await codeFor(world),
  });

  expect(response.status).toBe(403);
  expect(await ownStatus(world, bare)).toBe(200);
});

async function codeFor(
  world: World,
  address = email,
  use: 'log-in' | 'delete' = 'log-in',
): Promise<string> {
  const { platform } = world.api;
  await platform.idle(); // the job of a mail issues a code too
  const instance = await instanceId(platform.store, world.instance);
  return issueCode(platform, { instance, email: address, use, key: 1 });
}

/** Returns a further code, which differs. */
async function otherCode(world: World, code: string): Promise<string> {
  const next = await codeFor(world);
  return next === code ? otherCode(world, code) : next;
}

const logIn = (world: World, as: string, code: string, address = email) =>
  world.call(as, 'POST', 'user/auth/code/', { email: address, code });
