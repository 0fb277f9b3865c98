import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { sendElsewhere } from '../support/another-process.ts';
import { type Api, expected, openWorld, type World } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';

/* Attempts to log in from different addresses: which count as one, and the limits over all of them. */

const clock = openMovedClock();
const it = apiTest({ clock })
  .extend('given', { scope: 'file' }, ({ api }) => setUp(api))
  .extend('office', { scope: 'file' }, ({ api, given }) => openOffice(api, given));

const password = 'a password';
const day = 86_400;

describe('ten wrong passwords for one name', () => {
  it.for<[string, (n: number) => string, string, string]>([
    ['the loopback', (n) => `127.0.${n}.${n + 1}`, '::1', '127.0.0.1'],
    ['IPv4 in the form of IPv6', () => '::ffff:198.51.100.1', '198.51.100.1', '::FFFF:c633:6401'],
    ['one network of IPv6', (n) => `2001:db8:0:1::${n + 1}`, '2001:DB8:0:1:9::', '2001:db8:0:1::a'],
  ])('are counted together from %s', async ([_, from, ...others], { given }) => {
    const email = await given.person();
    for (let n = 0; n < 10; n += 1) expect(await given.logIn(from(n), email, 'wrong')).toBe(401);

    const statuses = await Promise.all(others.map((each) => given.logIn(each, email)));

    expect(statuses).toEqual([429, 429]);
    expect(await given.logIn(given.newAddress(), email)).toBe(200);
  });

  it('before its registration from the same address do not lock its owner out', async ({
    given,
  }) => {
    const email = 'nobody-yet@example.com';
    const from = given.newAddress();
    expect(await given.guess(from, email, 10)).toEqual(new Set([401]));
    const registered = await given.post(from, '/v1.1/account/register/', { email, password });

    expect([registered.status, await given.logIn(from, email)]).toEqual([201, 200]);
  });

  it('are counted separately for two networks of IPv6', async ({ given }) => {
    const email = await given.person();
    await given.guess('2001:db8:7:1::1', email, 10);

    expect(await given.logIn('2001:db8:7:1::2', email)).toBe(429);
    expect(await given.logIn('2001:db8:7:2::1', email)).toBe(200);
  });
});

describe('a hundred wrong passwords for one name in an hour', () => {
  it('are the limit from any address, also for the right password', async ({ given }) => {
    const email = await given.person();
    await given.useUp(email);
    clock.forward(10);

    const refused = await given.post(given.newAddress(), '/v1.1/account/auth/', {
      email,
      password,
    });

    const seconds = Number(refused.headers?.['Retry-After']);
    expect(refused).toMatchObject({
      status: 429,
      body: { detail: `Request was throttled. Expected available in ${seconds} seconds.` },
    });
    expect(seconds).toBeGreaterThan(3500);
    expect(seconds).toBeLessThanOrEqual(3600);
  });

  it('are forgotten an hour after the first', async ({ given }) => {
    const email = await given.person();
    await given.useUp(email);

    clock.forward(3602);

    expect(await given.logIn(given.newAddress(), email)).toBe(200);
  });

  it('from one address alone do not block other addresses', async ({ given }) => {
    const email = await given.person();
    const address = given.newAddress();
    for (let quarter = 0; quarter < 3; quarter += 1) {
      await given.guess(address, email, 12);
      clock.forward(902);
    }
    await given.guess(address, email, 12);

    expect(await given.logIn(given.newAddress(), email)).toBe(200);
  });

  it('are the limit for concurrent attempts as well', async ({ given }) => {
    const email = await given.person();
    for (let n = 0; n < 9; n += 1) await given.guess(given.newAddress(), email, 10);

    const at = Array.from({ length: 20 }, given.newAddress);
    const statuses = await Promise.all(at.map((address) => given.logIn(address, email, 'wrong')));

    expect(statuses.sort()).toEqual([...Array(10).fill(401), ...Array(10).fill(429)]);
  });

  it('do not include right passwords', async ({ given }) => {
    const email = await given.person();
    for (let n = 0; n < 110; n += 1) expect(await given.logIn(given.newAddress(), email)).toBe(200);
  });

  it('do not block an address from which the name has logged in', async ({ given }) => {
    const email = await given.person();
    const address = given.newAddress();
    expect(await given.logIn(address, email)).toBe(200);

    clock.forward(30 * day - 60);
    await given.useUp(email);

    expect(await given.logIn(address, email)).toBe(200);
    expect(await given.logIn(given.newAddress(), email)).toBe(429);
  });

  it('do not block it until thirty days after the last log-in, not after the first', async ({
    given,
  }) => {
    const email = await given.person();
    const address = given.newAddress();
    for (let n = 0; n < 3; n += 1) {
      expect(await given.logIn(address, email)).toBe(200);
      clock.forward(20 * day);
    }
    await given.useUp(email);

    expect(await given.logIn(address, email)).toBe(200);
  });

  it('block an address whose last log-in is too long ago', async ({ given }) => {
    const email = await given.person();
    const address = given.newAddress();
    expect(await given.logIn(address, email)).toBe(200);

    clock.forward(32 * day);
    await given.useUp(email);

    expect(await given.logIn(address, email)).toBe(429);
  });

  it('block the oldest of seventeen addresses', async ({ given }) => {
    const email = await given.person();
    const addresses = Array.from({ length: 17 }, given.newAddress);
    for (const address of addresses) expect(await given.logIn(address, email)).toBe(200);

    await given.useUp(email);

    const statuses = [];
    for (const address of addresses) statuses.push(await given.logIn(address, email));
    expect(statuses).toEqual([429, ...Array(16).fill(200)]);
  });

  it('leave ten attempts to an address from which the name has logged in', async ({ given }) => {
    const email = await given.person();
    const address = given.newAddress();
    expect(await given.logIn(address, email)).toBe(200);
    await given.useUp(email);

    expect(await given.guess(address, email, 10)).toEqual(new Set([401]));
    expect(await given.logIn(address, email)).toBe(429);
  });

  it('include attempts to change a password', async ({ given }) => {
    const { body } = await given.post(given.newAddress(), '/v1.1/account/auth/', {
      email: await given.person(),
      password,
    });
    const { email, account_key: key } = body as { email: string; account_key: string };
    await given.useUp(email);

    const more = { current_password: password, new_password: 'b' };
    const changed = await given.post(given.newAddress(), '/v1.1/account/password/', more, key);

    expect(changed.status).toBe(429);
  });
});

describe('behind the gateway of AWS', () => {
  it('the address of the event counts, not those in headers of the request', async ({
    api,
    given,
  }) => {
    const email = await given.person();
    const handler = toHandler({
      ...api.platform,
      dispatch: createDispatch(routes, api.platform, { renderer: responseTemplates }),
    });
    const logInFrom = async (sourceIp: string, forged: string, word: string) => {
      const body = { email, password: word };
      const event = clientEvent({ method: 'POST', path: '/v1.1/account/auth/', body });
      const { statusCode } = await handler({
        ...event,
        headers: {
          ...event.headers,
          'x-forwarded-for': `${forged}, ${sourceIp}`,
          'x-real-ip': forged,
          forwarded: `for=${forged}`,
        },
        requestContext: {
          ...event.requestContext,
          http: { ...event.requestContext.http, sourceIp },
        },
      });
      return statusCode;
    };
    for (let n = 0; n < 10; n += 1) {
      expect(await logInFrom('203.0.113.7', given.newAddress(), 'wrong')).toBe(401);
    }

    expect(await logInFrom('203.0.113.7', given.newAddress(), password)).toBe(429);
    expect(await logInFrom('203.0.113.8', '203.0.113.7', password)).toBe(200);
  });
});

describe('three hundred wrong passwords from one address in an hour', () => {
  it('are the limit over all names', async ({ given, office: { address } }) => {
    const fresh = await given.person();
    for (let n = 0; n < 300; n += 1) {
      expect(await given.logIn(address, `nobody-${n}@example.com`)).toBe(401);
    }

    expect(await given.logIn(address, fresh)).toBe(429);
    expect(await given.logIn(given.newAddress(), fresh)).toBe(200);
  });

  it('do not block a name that has logged in from there', async ({
    given,
    office: { address, email },
  }) => {
    expect(await given.logIn(address, email)).toBe(200);
  });

  it('are counted separately for the users of each instance', async ({ given, office }) => {
    const { world, other, address, userAuth } = office;
    for (const each of [world, other]) {
      const made = await each.call(each.owner, 'POST', 'users/', { username: 'ann', password });
      expect(made.status).toBe(201);
    }
    for (let n = 0; n < 300; n += 1) {
      expect((await userAuth(world, world.owner, `nobody-${n}`)).status).toBe(401);
    }

    expect((await userAuth(world, world.owner, 'ann', address, password)).status).toBe(429);
    expect((await userAuth(other, other.owner, 'ann', address, password)).status).toBe(200);
    expect((await userAuth(world, world.owner, 'ann', given.newAddress(), password)).status).toBe(
      200,
    );
  });

  it('do not include right passwords', async ({ given }) => {
    const from = given.newAddress();
    for (let round = 0; round < 10; round += 1) {
      const people = await Promise.all(Array.from({ length: 31 }, given.person)); // more would be throttled
      for (const each of people) expect(await given.logIn(from, each)).toBe(200);
    }
  });
});

function setUp(api: Api) {
  let people = 0;
  let networks = 0;
  async function person(): Promise<string> {
    people += 1;
    const email = `caller-${people}@example.com`;
    expected(await api.send({ path: '/v1.1/account/register/', body: { email, password } }), 201);
    return email;
  }
  /** Sends a body from an address through another process of the deployment. */
  function post(from: string, path: string, value: object, key?: string): Promise<Response> {
    return sendElsewhere(api.platform, { path, value, from, ...(key && { key }) });
  }
  async function logIn(from: string, email: string, word = password): Promise<number> {
    return (await post(from, '/v1.1/account/auth/', { email, password: word })).status;
  }
  /** Sends wrong passwords from an address, and returns the statuses. */
  async function guess(from: string, email: string, times: number): Promise<ReadonlySet<number>> {
    const statuses = new Set<number>();
    for (let n = 0; n < times; n += 1) statuses.add(await logIn(from, email, 'wrong'));
    return statuses;
  }
  /** Returns an address that has not sent any request. */
  function newAddress(): string {
    networks += 1;
    return `10.${networks >> 8}.${networks & 255}.1`;
  }
  /** Sends ten wrong passwords from each of ten addresses: the hourly limit of a name. */
  async function useUp(email: string): Promise<void> {
    for (let n = 0; n < 10; n += 1) {
      expect(await guess(newAddress(), email, 10)).toEqual(new Set([401]));
    }
  }
  return { person, post, logIn, guess, newAddress, useUp };
}

/** Two instances, and a name that has logged in from an address. */
async function openOffice(api: Api, { person, post, logIn, newAddress }: ReturnType<typeof setUp>) {
  const world = await openWorld(api, 'attempts-1');
  const other = await openWorld(api, 'attempts-2');
  const address = newAddress();
  const email = await person();
  expect(await logIn(address, email)).toBe(200);
  const userAuth = (at: World, key: string, username: string, from = address, word = 'wrong') =>
    post(from, `${at.base}user/auth/`, { username, password: word }, key);
  return { world, other, address, email, userAuth };
}
