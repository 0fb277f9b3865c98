import { expect } from 'vitest';
import {
  maxAddressRequests,
  maxClientRequests,
} from '../../../shared/users/addresses/request-limits.ts';
import type { World } from '../../support/api.ts';
import { newWorldTest } from '../../support/fixtures.ts';
import { recordMails, signedInAs, tokenFor } from '../../support/user-accounts.ts';
import { setUserSettings } from '../../support/user-sessions.ts';

const it = newWorldTest('off', { wrap: recordMails }).extend('key', ({ world }) =>
  world.apiKey({ allow_user_create: true }),
);
const required = { email: 'required', confirmed: 'required', codes: true } as const;
const paths = [
  'user/register/',
  'user/email/',
  'user/email/confirm/',
  'user/password/reset/',
  'user/password/reset/confirm/',
  'user/delete/',
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

it('the paths are unknown where they are off', async ({ world, key }) => {
  const seen = await Promise.all(
    [...paths, 'user/nothing/'].flatMap((path) =>
      [key, world.owner, undefined].flatMap((as) =>
        methods.map(async (method) => shape(await world.call(as, method, path, bodyOf(method)))),
      ),
    ),
  );

  expect(new Set(seen.map((each) => JSON.stringify(each)))).toHaveLength(1);
  expect(seen[0]).toMatchObject({ status: 404 });
});

it.for(['code', 'guest'])(
  'user/auth/%s/ is an unknown service where it is off',
  async (name, { world, key }) => {
    const bodies = [{}, { access_token: 'x' }, { access_token: 5 }, { email: 'a@b.com' }, []];
    const ask = async (path: string) =>
      Promise.all(
        [key, world.owner, undefined, 'nonsense'].flatMap((as) => [
          ...methods.map(async (method) =>
            shape(await world.call(as, method, path, bodyOf(method))),
          ),
          ...bodies.map(async (body) => shape(await world.call(as, 'POST', path, body))),
        ]),
      );

    const [off, unknown] = [await ask(`user/auth/${name}/`), await ask('user/auth/nothing/')];

    expect(off).toEqual(unknown);
  },
);

it('requests cost and say the same for known and unknown addresses', async ({
  world,
  key,
  store,
}) => {
  await setUserSettings(world, required);
  const known = 'known@example.com';
  const token = await tokenFor(world, { purpose: 'register', email: known });
  const user = await world.call(key, 'POST', 'user/email/confirm/', { token, password: 'p' });
  const other = await tokenFor(world, { purpose: 'register', email: 'other@example.com' });
  const as = signedInAs(
    key,
    await world.call(key, 'POST', 'user/email/confirm/', { token: other }),
  );
  expect(user.status).toBe(200);

  for (const [caller, path] of [
    [key, 'user/register/'],
    [key, 'user/password/reset/'],
    [key, 'user/auth/code/'],
    [as, 'user/email/'],
  ] as const) {
    const costs = [];
    for (const email of [known, 'nobody@example.com']) {
      await world.api.platform.idle();
      store.reset();
      const pending = world.call(caller, 'POST', path, { email });
      const response = shape(await pending);
      costs.push({ ...response, mails: store.mails.length });
    }
    expect([path, costs[1]]).toEqual([path, costs[0]]);
    expect(costs[0]).toMatchObject({ status: 202, mails: 1 });
  }
});

it.for(['user/register/', 'user/password/reset/', 'user/auth/code/'])(
  '%s is limited by client address and by e-mail address',
  async (path, { world, key }) => {
    await setUserSettings(world, required);
    const ask = async (email: string) => (await world.call(key, 'POST', path, { email })).status;

    const one = [];
    for (let at = 0; at <= maxAddressRequests; at += 1) one.push(await ask('one@example.com'));
    const more = [];
    for (let at = maxAddressRequests; at <= maxClientRequests; at += 1) {
      more.push(await ask(`a${at}@example.com`));
    }

    expect(one).toEqual([...Array(maxAddressRequests).fill(202), 429]);
    const left = maxClientRequests - maxAddressRequests;
    expect(more).toEqual([...Array(left).fill(202), 429]);
  },
);

it.for(['user/email/confirm/', 'user/password/reset/confirm/'])(
  '%s is limited by client address',
  async (path, { world }) => {
    await setUserSettings(world, required);

    const statuses = [];
    for (let at = 0; at <= maxClientRequests; at += 1) {
      const body = { token: 'x', password: 'p' };
      statuses.push((await world.call(undefined, 'POST', path, body)).status);
    }

    expect(statuses).toEqual([...Array(maxClientRequests).fill(400), 429]);
  },
);

function bodyOf(method: string): unknown {
  return method === 'GET' || method === 'OPTIONS' ? undefined : {};
}

function shape({ status, body, headers }: Awaited<ReturnType<World['call']>>) {
  const varying = ['date', 'x-request-id', 'etag', 'content-length'];
  const kept = [...headers].filter(([name]) => !varying.includes(name)).sort();
  return { status, body, headers: kept };
}
