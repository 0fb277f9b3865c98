import { createHmac } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { beforeEach, describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected, openWorld } from '../support/api.ts';
import {
  identityToken,
  openFakeOpenId,
  openFakeServices,
  publicPem,
  type Told,
} from '../support/fake-services.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import {
  appPage,
  challengeOf,
  openRedirectApp,
  type RedirectApp,
  setUpServices,
} from '../support/redirect-log-in.ts';
import { storedUser } from '../support/user-sessions.ts';

/* Log-ins by redirect at services whose responses a test chooses. test/api/user-redirects-oidc.test.ts has a real one. */

const services = openFakeServices();
const work = openFakeOpenId(services, 'https://id.example.com');
const other = openFakeOpenId(services, 'https://other.example.com');

const it = newWorldTest('app', { egress: services.egress });

const provider = { name: 'work', kind: 'oidc', client_id: 'app', issuer: work.issuer, secret: 's' };
const second = { ...provider, name: 'second', issuer: other.issuer };

beforeEach(() => {
  services.received.length = 0;
});

/** Logs a user in, from the start to the exchange. */
async function logIn(app: RedirectApp, told: Told = {}, name = 'work') {
  const { address, verifier } = await app.start(name);
  const page = await app.callback(name, work.logIn(address, told));
  return app.exchange(page.searchParams.get('code'), verifier);
}

async function openApp(world: World, more: object = {}, providers = [provider, second]) {
  await setUpServices(world, providers, more);
  return openRedirectApp(world);
}

describe.skipIf(isOn('roles'))('a log-in by redirect', () => {
  it('shows which services a user logs in by', async ({ world }) => {
    const app = await openApp(world);
    const other = await world.create('users/', { username: 'ben', password: 'secret' });

    const user = expected(await logIn(app), 200);

    expect([user.services, other.services]).toEqual([['work'], []]);
    expect((await world.read(`users/${user.id}/`)).services).toEqual(['work']);
  });

  it('goes on after a HEAD of its callback', async ({ world }) => {
    const app = await openApp(world);
    const { address } = await app.start('work');
    const back = work.logIn(address);

    const head = await world.call(undefined, 'HEAD', `user/auth/work/callback/?${back}`);
    const page = await app.callback('work', back);

    expect(head.status).toBe(400);
    expect(page.searchParams.has('code')).toBe(true);
  });

  it('sends the browser to the service, and back to the app with a code', async ({ world }) => {
    const app = await openApp(world);

    const { response, address, verifier } = await app.start('work', { state: 'mine & yours' });
    const page = await app.callback('work', work.logIn(address));

    const asked = Object.fromEntries(address.searchParams);
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(address.origin + address.pathname).toBe('https://id.example.com/authorize');
    expect(asked).toEqual({
      client_id: 'app',
      response_type: 'code',
      redirect_uri: `${world.api.url}${world.base}user/auth/work/callback/`,
      scope: 'openid email',
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(asked.code_challenge).not.toBe(challengeOf(verifier)); // the app's own never leaves the server
    expect(page.href.startsWith(`${appPage}?`)).toBe(true);
    expect([...page.searchParams.keys()]).toEqual(['code', 'state']);
    expect(page.searchParams.get('state')).toBe('mine & yours');
  });

  it('creates a user at the exchange, once for an identity', async ({ world }) => {
    const app = await openApp(world);

    const first = await logIn(app);
    const again = await logIn(app);
    const others = await logIn(app, { sub: 'sub-2' });

    expect([first.status, again.status, others.status]).toEqual([200, 200, 200]);
    expect(again.body.id).toBe(first.body.id);
    expect(others.body.id).not.toBe(first.body.id);
    expect(first.body.user_key).toMatch(/^[0-9a-f]{64}$/);
    expect(again.body.user_key).not.toBe(first.body.user_key);
    const own = await world.call({ key: app.key, user: again.body.user_key }, 'GET', 'user/');
    expect([own.status, own.body.id]).toEqual([200, first.body.id]);
  });

  it('takes the response of a service as a form', async ({ world }) => {
    const app = await openApp(world);

    const { address, verifier } = await app.start('work');
    const page = await app.callback('work', work.logIn(address), 'POST');

    expect((await app.exchange(page.searchParams.get('code'), verifier)).status).toBe(200);
  });

  it('leads to the address of a native app', async ({ world }) => {
    const redirect = 'com.example.app:/in?from=gw';
    const app = await openApp(world, { redirects: [redirect] });

    const { address } = await app.start('work', { redirect });
    const page = await app.callback('work', work.logIn(address));

    expect(page.href).toMatch(/^com\.example\.app:\/in\?from=gw&code=[\w.-]+$/);
  });

  it('asks the service for the address where its token has none', async ({ world }) => {
    const more = { userinfo_endpoint: 'https://told.example.com/me' };
    const told = openFakeOpenId(services, 'https://told.example.com', more);
    services.on(more.userinfo_endpoint, () => ({
      sub: 'sub-1',
      email: 'Ann@Example.com',
      email_verified: true,
    }));
    const app = await openApp(world, {}, [{ ...provider, issuer: told.issuer }]);

    const { address, verifier } = await app.start('work');
    const page = await app.callback('work', told.logIn(address));
    const { body } = await app.exchange(page.searchParams.get('code'), verifier);

    const { data } = await storedUser(world, body.id);
    expect([data.email, data.isEmailConfirmed]).toEqual(['ann@example.com', true]);
  });

  it('tells the app that the user does not want to', async ({ world }) => {
    const app = await openApp(world);
    const { address } = await app.start('work', { state: 's1' });
    const state = address.searchParams.get('state') ?? '';
    const denied = { error: 'access_denied', error_description: '<b>no</b>' };

    const page = await app.callback(
      'work',
      new URLSearchParams({ ...denied, state, iss: work.issuer }),
    );

    expect(page.href).toBe(`${appPage}?error=access_denied&state=s1`);
  });
});

const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes a token with a header of one's own, and a MAC with the service's public key as secret. */
function macToken(alg: string) {
  return (claims: JWTPayload) => {
    const body = `${encoded({ alg, kid: 'k1' })}.${encoded(claims)}`;
    const mac = createHmac('sha256', publicPem).update(body).digest('base64url');
    return `${body}.${alg === 'none' ? '' : mac}`;
  };
}

describe.skipIf(isOn('roles'))('a token of a service is rejected', () => {
  it.for<[string, Told]>([
    ['of another issuer', { claims: (right) => ({ ...right, iss: other.issuer }) }],
    ['for another app', { claims: (right) => ({ ...right, aud: 'another' }) }],
    ['for several apps', { claims: (right) => ({ ...right, aud: ['app', 'another'] }) }],
    ['of another log-in', { claims: (right) => ({ ...right, nonce: 'x' }) }],
    ['of no log-in', { claims: ({ nonce: _, ...right }) => right }],
    ['that has ended', { claims: (right) => ({ ...right, exp: now() - 60 }) }],
    ['without an end', { claims: ({ exp: _, ...right }) => right }],
    ['that begins later', { claims: (right) => ({ ...right, nbf: now() + 600 }) }],
    ['without a user', { claims: ({ sub: _, ...right }) => right }],
    ['of nobody', { sub: '' }],
    ['without a signature', { token: macToken('none') }],
    ['with a MAC of the public key', { token: macToken('HS256') }],
    [
      'with the signature of another token',
      {
        token: async (claims) => {
          const [head, , signature] = (await identityToken(claims)).split('.');
          return `${head}.${encoded({ ...claims, sub: 'victim' })}.${signature}`;
        },
      },
    ],
    ['that is none', { token: () => 'x' }],
  ])('%s', async ([, told], { world }) => {
    const app = await openApp(world);
    const { address } = await app.start('work', { state: 's1' });

    const page = await app.callback('work', work.logIn(address, told));

    expect(page.href).toBe(`${appPage}?error=provider_failed&state=s1`);
    const lines = JSON.stringify(
      world.api.logged.filter(({ message }) => /not logged/.test(message)),
    );
    expect(lines).toMatch(/"provider":"work"/);
    expect(lines).not.toMatch(/sub-1|code-1|victim/);
  });
});

describe.skipIf(isOn('roles'))('a log-in begins only', () => {
  const page = appPage;

  it.for<[string, string, Readonly<Record<string, string | undefined>>]>([
    ['with an address', 'redirect', { redirect: undefined }],
    ['at the whole address', 'redirect', { redirect: `${page}/../evil` }],
    ['at no longer one', 'redirect', { redirect: `${page}.evil.com` }],
    ['at no shorter one', 'redirect', { redirect: page.slice(0, -1) }],
    ['in the same letters', 'redirect', { redirect: page.toUpperCase() }],
    ['without a query', 'redirect', { redirect: `${page}?next=//evil.com` }],
    ['without a fragment', 'redirect', { redirect: `${page}#x` }],
    ['without a user', 'redirect', { redirect: page.replace('app.', 'app.example.com@evil.') }],
    ['not encoded twice', 'redirect', { redirect: encodeURIComponent(page) }],
    ['with no backslash', 'redirect', { redirect: page.replaceAll('/', '\\') }],
    ['without spaces', 'redirect', { redirect: ` ${page}` }],
    ['with a challenge', 'code_challenge', { code_challenge: undefined }],
    ['with a whole challenge', 'code_challenge', { code_challenge: 'x'.repeat(42) }],
    ['with a challenge in base64url', 'code_challenge', { code_challenge: '+'.repeat(43) }],
    ['with a method', 'code_challenge_method', { code_challenge_method: undefined }],
    ['not with a plain challenge', 'code_challenge_method', { code_challenge_method: 'plain' }],
    ['with an API key', 'key', { key: undefined }],
    ['with the id of a key that exists', 'key', { key: '999' }],
    ['with no id beyond', 'key', { key: '1e1' }],
    ['with a short state', 'state', { state: 'x'.repeat(501) }],
  ])('%s', async ([, field, parameters], { world }) => {
    const app = await openApp(world);

    const { response } = await app.start('work', parameters);

    expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
    expect(response.headers.get('location')).toBeNull();
  });

  it('at a service that is set up', async ({ world }) => {
    const app = await openApp(world);

    expect((await app.start('third')).response.status).toBe(404);
  });

  it('with a key that was not deleted', async ({ world }) => {
    const app = await openApp(world);
    const { id } = await world.create('api_keys/', {});
    await world.own('DELETE', `api_keys/${id}/`);

    const { response } = await app.start('work', { key: String(id) });

    expect(response.status).toBe(400);
  });

  it('as often as an address may', async ({ world }) => {
    const app = await openApp(world);

    let last = (await app.start('work', { key: 'x' })).response;
    for (let count = 1; count < 601 && last.status !== 429; count += 1) {
      last = (await app.start('work', { key: 'x' })).response;
      if (count < 600) expect(last.status).toBe(400);
    }

    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe.skipIf(isOn('roles'))('the callback rejects', () => {
  const unknown = { detail: 'No such log-in. Begin it again in the app.' };

  it('a state that was used, whose code is then worth nothing', async ({ world }) => {
    const app = await openApp(world);
    const { address } = await app.start('work');
    const sent = work.logIn(address);
    await app.callback('work', sent);
    services.received.length = 0;

    const again = await app.callback('work', sent);

    expect(again.href).toBe(`${appPage}?error=expired`);
    expect(services.received).toEqual([]);
  });

  it.for<[string, (state: string) => string]>([
    ['that is forged', () => `1.${'A'.repeat(200)}`],
    ['that was changed', (state) => `${state.slice(0, -3)}AAA`],
    ['of another version of the secret', (state) => state.replace(/^\d+/, '9')],
    ['that is missing', () => ''],
  ])('a state %s', async ([, change], { world }) => {
    const app = await openApp(world);
    const { address } = await app.start('work');
    const sent = work.logIn(address);
    sent.set('state', change(sent.get('state') ?? ''));

    const { status, body, headers } = await world.call(
      undefined,
      'GET',
      `user/auth/work/callback/?${sent}`,
    );

    expect([status, body, headers.get('location')]).toEqual([400, unknown, null]);
  });

  it('a state of another service, as of one that mixes them up', async ({ world }) => {
    const app = await openApp(world);
    const { address } = await app.start('second');

    const { status, body } = await world.call(
      undefined,
      'GET',
      `user/auth/work/callback/?${work.logIn(address)}`,
    );

    expect([status, body]).toEqual([400, unknown]);
    expect(services.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it.for(['another', 'no'])('a response that names %s issuer', async (which, { world }) => {
    const app = await openApp(world);
    const { address } = await app.start('work');
    const sent = work.logIn(address);
    if (which === 'no') sent.delete('iss');
    else sent.set('iss', other.issuer);

    const page = await app.callback('work', sent);

    expect(page.href).toBe(`${appPage}?error=provider_failed`);
    expect(services.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('a state of another instance', async ({ api, world }) => {
    const app = await openApp(world);
    const there = await openWorld(api, `there-${world.instance}`);
    await setUpServices(there, [provider]);
    const { address } = await app.start('work');

    const { status, body } = await there.call(
      undefined,
      'GET',
      `user/auth/work/callback/?${work.logIn(address)}`,
    );

    expect([status, body]).toEqual([400, unknown]);
  });

  it('a state of a service that has changed, or of an address that was removed', async ({
    world,
  }) => {
    const app = await openApp(world);
    const [first, then] = [await app.start('work'), await app.start('work')];
    const call = (sent: URLSearchParams) =>
      world.call(undefined, 'GET', `user/auth/work/callback/?${sent}`);

    await setUpServices(world, [{ ...provider, issuer: other.issuer }]);
    const changed = await call(work.logIn(first.address));
    await setUpServices(world, [provider], { redirects: ['https://app.example.com/new'] });
    const removed = await call(work.logIn(then.address));

    expect([changed.body, removed.body]).toEqual([unknown, unknown]);
  });

  it('a form that is JSON', async ({ world }) => {
    const app = await openApp(world);
    const { address } = await app.start('work');
    const sent = Object.fromEntries(work.logIn(address));

    const response = await world.call(undefined, 'POST', 'user/auth/work/callback/', sent);

    expect(response.status).toBe(415);
  });
});

describe.skipIf(isOn('roles'))('a code is exchanged', () => {
  const wrong = { detail: 'Invalid code.' };

  it('once', async ({ world }) => {
    const app = await openApp(world);
    const { address, verifier } = await app.start('work');
    const page = await app.callback('work', work.logIn(address));
    const code = page.searchParams.get('code');

    const responses = await Promise.all([1, 2, 3].map(() => app.exchange(code, verifier)));
    const later = await app.exchange(code, verifier);

    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 400, 400]);
    expect([later.status, later.body]).toEqual([400, wrong]);
  });

  it('only by the app that has the verifier: a code in another browser is worth nothing', async ({
    world,
  }) => {
    const app = await openApp(world);
    const attacker = await app.start('work');
    const victim = await app.start('work');
    const page = await app.callback('work', work.logIn(attacker.address));
    const code = page.searchParams.get('code');

    const byVictim = await app.exchange(code, victim.verifier);
    const challenge = await app.exchange(code, challengeOf(attacker.verifier));
    const own = await app.exchange(code, attacker.verifier);

    expect([byVictim.status, byVictim.body]).toEqual([400, wrong]);
    expect([challenge.status, challenge.body]).toEqual([400, wrong]);
    expect(own.status).toBe(200);
  });

  it('only with the API key that began it, in its instance', async ({ api, world }) => {
    const app = await openApp(world);
    const another = await openRedirectApp(world);
    const there = await openWorld(api, `there-${world.instance}`);
    await setUpServices(there, [provider]);
    const abroad = await openRedirectApp(there);
    const { address, verifier } = await app.start('work');
    const page = await app.callback('work', work.logIn(address));
    const code = page.searchParams.get('code');

    const responses = [
      await another.exchange(code, verifier),
      await abroad.exchange(code, verifier),
    ];
    const account = await app.exchange(code, verifier, world.owner);
    const nobody = await world.call(undefined, 'POST', 'user/auth/exchange/', {
      code,
      code_verifier: verifier,
    });

    expect(responses.map(({ body }) => body)).toEqual([wrong, wrong]);
    expect([account.status, nobody.status]).toEqual([403, 403]);
    expect((await app.exchange(code, verifier)).status).toBe(200);
  });

  it('only by a key that may create users, as it may now', async ({ world }) => {
    await setUpServices(world, [provider]);
    const app = await openRedirectApp(world);
    const { address, verifier } = await app.start('work');
    const page = await app.callback('work', work.logIn(address));
    const code = page.searchParams.get('code');
    const set = (allow_user_create: boolean) =>
      world.own('PATCH', `api_keys/${app.keyId}/`, { allow_user_create });

    await set(false);
    const denied = await app.exchange(code, verifier);
    await set(true);
    const allowed = await app.exchange(code, verifier);
    await set(false);
    const known = await logIn(app);

    expect([denied.status, denied.headers.get('x-error-code')]).toEqual([403, 'key_flag_needed']);
    expect([allowed.status, known.status]).toEqual([200, 200]);
    expect(known.body.id).toBe(allowed.body.id);
  });

  it('while its service is set up as it was', async ({ world }) => {
    const app = await openApp(world);
    const { address, verifier } = await app.start('work');
    const page = await app.callback('work', work.logIn(address));

    await setUpServices(world, [{ ...provider, client_id: 'another' }]);
    const response = await app.exchange(page.searchParams.get('code'), verifier);

    expect(response.body).toEqual(wrong);
  });
});

describe.skipIf(isOn('roles'))('an identity', () => {
  it('of another issuer is another user, whatever its name', async ({ world }) => {
    const app = await openApp(world);
    const first = expected(await logIn(app), 200);
    await setUpServices(world, [{ ...provider, issuer: other.issuer }]);

    const { address, verifier } = await app.start('work');
    const page = await app.callback('work', other.logIn(address));
    const thief = expected(await app.exchange(page.searchParams.get('code'), verifier), 200);
    await setUpServices(world, [provider]);
    const again = expected(await logIn(app), 200);

    expect(thief.id).not.toBe(first.id);
    expect(again.id).toBe(first.id);
  });

  it('finds the user of a verified address, of no other', async ({ world }) => {
    const app = await openApp(world);
    const ann = expected(
      await logIn(app, { sub: 'ann', email: 'Ann@example.com', email_verified: true }),
      200,
    );

    const same = await logIn(app, { sub: 'x1', email: 'ann@example.com', email_verified: true });
    const unverified = await logIn(app, {
      sub: 'x2',
      email: 'ann@example.com',
      email_verified: false,
    });
    const unsaid = await logIn(app, { sub: 'x3', email: 'ann@example.com' });

    expect(same.body.id).toBe(ann.id);
    expect(new Set([ann.id, unverified.body.id, unsaid.body.id]).size).toBe(3);
    const { data } = await storedUser(world, ann.id);
    expect([data.email, data.isEmailConfirmed]).toEqual(['ann@example.com', true]);
  });

  it('does not find a user by letters that only become those of its address', async ({ world }) => {
    const app = await openApp(world);
    const told = { email_verified: true };
    const kim = expected(await logIn(app, { sub: 'kim', email: 'kim@example.com', ...told }), 200);

    const thief = await logIn(app, { sub: 'x', email: '\u212Aim@example.com', ...told });
    const same = await logIn(app, { sub: 'y', email: 'KIM@Example.COM', ...told });

    expect(thief.body.id).not.toBe(kim.id);
    expect((await storedUser(world, thief.body.id)).data.email).toBeUndefined();
    expect(same.body.id).toBe(kim.id);
  });

  it('without an address makes no user where users need one', async ({ world }) => {
    const app = await openApp(world, { email: 'required' });

    const none = await logIn(app, { sub: 'bob' });
    const one = await logIn(app, { sub: 'bob', email: 'bob@example.com', email_verified: true });

    expect([none.status, none.body.detail]).toEqual([
      400,
      'The service has not confirmed an e-mail address, and users need one here.',
    ]);
    expect(one.status).toBe(200);
  });

  it('has no address where users have none', async ({ world }) => {
    const app = await openApp(world, { email: 'off' });
    const told = { email: 'eve@example.com', email_verified: true };

    const first = await logIn(app, { sub: 'e1', ...told });
    const second = await logIn(app, { sub: 'e2', ...told });

    expect(first.status).toBe(200);
    expect(second.body.id).not.toBe(first.body.id);
  });
});

describe.skipIf(isOn('roles'))('addresses of the server', () => {
  it('come from its settings, never from the request', async ({ world }) => {
    const app = await openApp(world);
    const query = new URLSearchParams({
      key: String(app.keyId),
      redirect: appPage,
      code_challenge: challengeOf('x'.repeat(43)),
      code_challenge_method: 'S256',
    });

    const { headers } = await world.api.send({
      path: `${world.base}user/auth/work/start/?${query}`,
      headers: {
        Host: 'evil.example.com',
        'X-Forwarded-Host': 'evil.example.com',
        Forwarded: 'host=evil.example.com',
      },
    });

    const address = new URL(headers.get('location') ?? '');
    expect(address.searchParams.get('redirect_uri')).toBe(
      `${world.api.url}${world.base}user/auth/work/callback/`,
    );
  });
});

describe.skipIf(isOn('roles'))('where no service is set up', () => {
  it('the paths are unknown, or of a service that does not exist', async ({ world }) => {
    const app = await openRedirectApp(world);

    const start = (await app.start('work')).response;
    const callback = await world.call(undefined, 'GET', 'user/auth/work/callback/');
    const unknown = await world.call(undefined, 'GET', 'user/auth/work/other/');
    const exchange = await app.exchange('x', 'x'.repeat(43));
    const backend = await world.call(app.key, 'POST', 'user/auth/another/', {});

    expect([start.body, callback.body]).toEqual([unknown.body, unknown.body]);
    expect([start.status, callback.status]).toEqual([404, 404]);
    expect([exchange.status, exchange.body]).toEqual([backend.status, backend.body]);
  });
});
