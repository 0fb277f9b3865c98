import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import {
  identityToken,
  keySet,
  openFakeServices,
  type Received,
} from '../support/fake-services.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { openRedirectApp, setUpServices } from '../support/redirect-log-in.ts';
import { storedUser } from '../support/user-sessions.ts';

/* Services whose addresses are constants, with responses as their documents describe them. */

const services = openFakeServices();
const it = newWorldTest('known', { egress: services.egress }).extend('given', ({ world }) =>
  setUp(world),
);

describe.skipIf(isOn('roles'))('Google', () => {
  it('logs in by an identity token', async ({ world, given }) => {
    services.on('https://www.googleapis.com/oauth2/v3/certs', keySet);
    services.on('https://oauth2.googleapis.com/token', async () => ({
      access_token: 'a1',
      token_type: 'Bearer',
      expires_in: 3599,
      scope: 'openid email',
      id_token: await identityToken({
        iss: 'https://accounts.google.com',
        aud: 'id.apps.googleusercontent.com',
        azp: 'id.apps.googleusercontent.com',
        sub: '1234567890',
        email: 'ann@gmail.com',
        email_verified: true,
        nonce: given.nonce,
        iat: now(),
        exp: now() + 3600,
      }),
    }));
    const client_id = 'id.apps.googleusercontent.com';
    await setUpServices(world, [{ name: 'google', kind: 'google', client_id, secret: 's' }]);

    const { address, response } = await given.logIn('google');

    expect(address.origin + address.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(response?.status).toBe(200);
    expect((await storedUser(world, response?.body.id)).data.email).toBe('ann@gmail.com');
  });
});

describe.skipIf(isOn('roles'))('GitHub', () => {
  const iss = 'https://github.com/login/oauth';
  const set = (world: World) =>
    setUpServices(world, [{ name: 'github', kind: 'github', client_id: 'gh', secret: 's' }]);
  const emails = [
    { email: 'old@example.com', primary: false, verified: true, visibility: null },
    { email: 'Ann@example.com', primary: true, verified: true, visibility: 'private' },
  ];
  const open = (addresses: unknown = emails) => {
    services.on('https://github.com/login/oauth/access_token', () => ({
      access_token: 'gho_1',
      scope: 'user:email',
      token_type: 'bearer',
    }));
    services.on('https://api.github.com/user', () => ({ id: 4711, login: 'ann', name: null }));
    services.on('https://api.github.com/user/emails', () => addresses);
  };

  it('logs in by its profile, and names itself as issuer', async ({ world, given }) => {
    open();
    await set(world);

    const { address, response } = await given.logIn('github', { sent: { iss } });

    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'gh',
      scope: 'user:email',
      code_challenge_method: 'S256',
    });
    const token = requestTo('https://github.com/login/oauth/access_token');
    expect(Object.fromEntries(token?.form ?? [])).toMatchObject({
      client_id: 'gh',
      client_secret: 's',
      code: 'c1',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(requestTo('https://api.github.com/user')?.headers.get('authorization')).toBe(
      'Bearer gho_1',
    );
    expect((await storedUser(world, response?.body.id)).data.email).toBe('ann@example.com');
  });

  it('proves no address that is not its primary and verified one', async ({ world, given }) => {
    open([
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'ann@example.com', primary: true, verified: false },
    ]);
    await set(world);

    const { response } = await given.logIn('github');

    expect((await storedUser(world, response?.body.id)).data.email).toBeUndefined();
  });

  it.for<[string, () => void]>([
    [
      'says that its code is wrong',
      () =>
        services.on('https://github.com/login/oauth/access_token', () => ({
          error: 'bad_verification_code',
          error_description: 'secret words',
        })),
    ],
    ['gives no user', () => services.on('https://api.github.com/user', () => ({ id: 'x' }))],
    [
      'gives no profile',
      () => services.on('https://api.github.com/user', () => new Response('{}', { status: 401 })),
    ],
    ['is away', () => services.on('https://api.github.com/user', undefined)],
    ['sends no JSON', () => services.on('https://api.github.com/user', () => new Response('<'))],
  ])('logs nobody in when it %s', async ([, change], { world, given }) => {
    open();
    change();
    await set(world);

    const { page } = await given.logIn('github');

    expect(page.search).toBe('?error=provider_failed');
    expect(JSON.stringify(world.api.logged)).not.toMatch(/secret words|gho_1/);
  });
});

describe.skipIf(isOn('roles'))('Apple', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const set = (world: World) =>
    setUpServices(world, [
      {
        name: 'apple',
        kind: 'apple',
        client_id: 'com.example.web',
        team_id: 'TEAM567890',
        key_id: 'KEY4567890',
        secret,
      },
    ]);
  const open = (given: Given, more: object = {}) => {
    services.on('https://appleid.apple.com/auth/keys', keySet);
    services.on('https://appleid.apple.com/auth/token', async () => ({
      access_token: 'a1',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'r1',
      id_token: await identityToken({
        iss: 'https://appleid.apple.com',
        aud: 'com.example.web',
        sub: '001.ab.1',
        email: 'x@privaterelay.appleid.com',
        email_verified: 'true',
        nonce: given.nonce,
        iat: now(),
        exp: now() + 3600,
        ...more,
      }),
    }));
  };
  const user = JSON.stringify({ name: { firstName: 'Ann', lastName: 'B' }, email: 'a@b.c' });

  it('logs in by a form, with a secret that is a signed token', async ({ world, given }) => {
    open(given);
    await set(world);

    const { address, response } = await given.logIn('apple', { method: 'POST', sent: { user } });

    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_mode: 'form_post',
      scope: 'email',
    });
    expect(address.searchParams.has('code_challenge')).toBe(false);
    const sent = requestTo('https://appleid.apple.com/auth/token')?.form.get('client_secret') ?? '';
    await jwtVerify(sent, publicKey);
    expect(decodeProtectedHeader(sent)).toEqual({ alg: 'ES256', kid: 'KEY4567890' });
    expect(decodeJwt(sent)).toMatchObject({
      iss: 'TEAM567890',
      sub: 'com.example.web',
      aud: 'https://appleid.apple.com',
    });
    const { data } = await storedUser(world, response?.body.id);
    expect(data.email).toBe('x@privaterelay.appleid.com');
  });

  it('proves an address by its token alone', async ({ world, given }) => {
    open(given, { email: undefined, email_verified: undefined });
    await set(world);

    const { response } = await given.logIn('apple', { method: 'POST', sent: { user } });

    expect((await storedUser(world, response?.body.id)).data.email).toBeUndefined();
  });

  it('says in its own words that the user does not want to', async ({ world, given }) => {
    await set(world);

    const sent = { error: 'user_cancelled_authorize' };
    const { page } = await given.logIn('apple', { method: 'POST', sent });

    expect(page.search).toBe('?error=access_denied');
  });
});

describe.skipIf(isOn('roles'))('Facebook', () => {
  it('logs in by its profile, without an address', async ({ world, given }) => {
    services.on('https://graph.facebook.com/oauth/access_token', () => ({
      access_token: 'fb_1',
      token_type: 'bearer',
      expires_in: 5183944,
    }));
    services.on('https://graph.facebook.com/me', () => ({ id: '10158', email: 'ann@example.com' }));
    const provider = { name: 'facebook', kind: 'facebook', client_id: '77', secret: 's' };
    await setUpServices(world, [provider]);

    const { address, response } = await given.logIn('facebook');

    const profile = services.received.find(({ url }) => url.pathname === '/me')?.url;
    const proof = createHmac('sha256', 's').update('fb_1').digest('hex');
    expect(address.origin + address.pathname).toBe('https://www.facebook.com/dialog/oauth');
    expect(profile?.searchParams.get('appsecret_proof')).toBe(proof);
    expect(profile?.searchParams.has('access_token')).toBe(false); // it is no part of an address
    expect(response?.status).toBe(200);
    expect((await storedUser(world, response?.body.id)).data.email).toBeUndefined();
    expected({ status: response?.status ?? 0, body: response?.body }, 200);
  });
});

function setUp(world: World) {
  services.received.length = 0;
  const given = {
    /** That of the last log-in. */
    nonce: '',
    /** Logs a user in; `sent` are the parameters that the service sends in addition to the state. */
    logIn: async (name: string, { method = 'GET', sent = {} }: Sent = {}) => {
      const app = await openRedirectApp(world);
      const { address, verifier } = await app.start(name);
      const state = address.searchParams.get('state') ?? '';
      const parameters = new URLSearchParams({ code: 'c1', state, ...sent });
      given.nonce = address.searchParams.get('nonce') ?? '';
      const page = await app.callback(name, parameters, method);
      const code = page.searchParams.get('code');
      const response = code === null ? undefined : await app.exchange(code, verifier);
      return { address, page, response };
    },
  };
  return given;
}

type Given = ReturnType<typeof setUp>;

interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly sent?: Readonly<Record<string, string>>;
}

const now = () => Math.floor(Date.now() / 1000);

function requestTo(url: string): Received | undefined {
  return services.received.find((each) => each.url.href === url);
}
