import { describe, expect, it } from 'vitest';
import { createVerifiers, type SocialConfiguration } from '../../shared/accounts/social.ts';
import { readSocial } from '../../shared/accounts/social-variables.ts';
import { EgressError } from '../../shared/ports/egress/egress.ts';

const configuration = {
  facebook: { appId: 'our-app', appSecret: 'fb-secret' },
  google: { clientId: 'our-client' },
  github: { clientId: 'our-id', clientSecret: 'gh-secret' },
} satisfies SocialConfiguration;

type Backend = 'facebook' | 'google-oauth2' | 'github';

/** Responses of a service, by host and path: a value as JSON or plain text with 200, or a status. */
type Answers = Readonly<Record<string, unknown>>;

/** Replaces the network; records every request. */
function network(responses: Answers) {
  const requests: Request[] = [];
  const send: typeof fetch = (url, init) => {
    const request = new Request(url, init);
    requests.push(request);
    const { host, pathname } = new URL(request.url);
    const response = responses[host + pathname];
    if (typeof response === 'string') return Promise.resolve(new Response(response));
    return Promise.resolve(
      typeof response === 'number'
        ? new Response('<html>out of order: the-token</html>', { status: response })
        : Response.json(response),
    );
  };
  return { requests, send };
}

const good: Readonly<Record<Backend, Answers>> = {
  facebook: {
    'graph.facebook.com/debug_token': { data: { app_id: 'our-app', is_valid: true } },
    'graph.facebook.com/me': {
      id: '17',
      email: 'Kim@Example.com',
      first_name: 'Kim',
      last_name: 'Lee',
    },
  },
  'google-oauth2': {
    'oauth2.googleapis.com/tokeninfo': { aud: 'our-client' },
    'openidconnect.googleapis.com/v1/userinfo': {
      sub: '17',
      email: 'Kim@Example.com',
      email_verified: true,
      given_name: 'Kim',
      family_name: 'Lee',
    },
  },
  github: {
    'api.github.com/applications/our-id/token': { user: { id: 17 } },
    'api.github.com/user': { id: 17, name: 'Kim Lee' },
    'api.github.com/user/emails': [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'Kim@Example.com', primary: true, verified: true },
    ],
  },
};

const kim = { id: '17', email: 'kim@example.com', first_name: 'Kim', last_name: 'Lee' };
const backends = Object.keys(good) as Backend[]; // its keys are these

async function ask(backend: Backend, changes: Answers = {}, token = 'the-token') {
  const { requests, send } = network({ ...good[backend], ...changes });
  const verify = createVerifiers(configuration, send)[backend];
  return { requests, profile: await verify?.(token, { owner: 'account 1', instance: '2' }) };
}

describe('a token of our application', () => {
  it.each(backends)('identifies its bearer: %s', async (backend) => {
    const { profile } = await ask(backend);

    expect(profile).toEqual(kim);
  });

  it('is sent to its own service only, over TLS, together with our secret', async () => {
    const asked = await Promise.all(backends.map((backend) => ask(backend)));

    const seen = asked.map(({ requests }) =>
      requests.map(({ url, method, headers }) => [method, url, headers.get('Authorization')]),
    );
    const bearer = 'Bearer the-token';
    const facebook = 'https://graph.facebook.com';
    expect(seen).toEqual([
      [
        [
          'GET',
          `${facebook}/debug_token?input_token=the-token&access_token=our-app%7Cfb-secret`,
          null,
        ],
        [
          'GET',
          `${facebook}/me?fields=id%2Cemail%2Cfirst_name%2Clast_name&access_token=the-token`,
          null,
        ],
      ],
      [
        ['GET', 'https://oauth2.googleapis.com/tokeninfo?access_token=the-token', null],
        ['GET', 'https://openidconnect.googleapis.com/v1/userinfo', bearer],
      ],
      [
        [
          'POST',
          'https://api.github.com/applications/our-id/token',
          `Basic ${btoa('our-id:gh-secret')}`,
        ],
        ['GET', 'https://api.github.com/user', bearer],
        ['GET', 'https://api.github.com/user/emails', bearer],
      ],
    ]);
    const [inspection] = asked[2]?.requests ?? [];
    expect(await inspection?.json()).toEqual({ access_token: 'the-token' });
  });
});

describe('no person is identified', () => {
  it.each<[string, Backend, Answers]>([
    [
      'of a foreign application',
      'facebook',
      { 'graph.facebook.com/debug_token': { data: { app_id: 'theirs', is_valid: true } } },
    ],
    [
      'that has expired',
      'facebook',
      { 'graph.facebook.com/debug_token': { data: { app_id: 'our-app', is_valid: false } } },
    ],
    ['that is refused', 'facebook', { 'graph.facebook.com/debug_token': 400 }],
    ['whose profile is refused', 'facebook', { 'graph.facebook.com/me': 401 }],
    ['with an answer of no JSON', 'facebook', { 'graph.facebook.com/me': '<html>' }],
    ['with another answer', 'facebook', { 'graph.facebook.com/me': { name: 'x' } }],
    [
      'of a foreign application',
      'google-oauth2',
      { 'oauth2.googleapis.com/tokeninfo': { aud: 'theirs' } },
    ],
    ['that is refused', 'google-oauth2', { 'oauth2.googleapis.com/tokeninfo': 400 }],
    [
      'whose profile is refused',
      'google-oauth2',
      { 'openidconnect.googleapis.com/v1/userinfo': 401 },
    ],
    [
      'whose profile is no JSON',
      'google-oauth2',
      { 'openidconnect.googleapis.com/v1/userinfo': '<html>the-token' },
    ],
    [
      'whose profile is another object',
      'google-oauth2',
      { 'openidconnect.googleapis.com/v1/userinfo': { email: 'kim@example.com' } },
    ],
    [
      'whose profile is of another user',
      'google-oauth2',
      { 'oauth2.googleapis.com/tokeninfo': { aud: 'our-client', sub: '18' } },
    ],
    [
      'of a foreign application, or refused',
      'github',
      { 'api.github.com/applications/our-id/token': 404 },
    ],
    ['of somebody else', 'github', { 'api.github.com/user': { id: 18, name: 'Sam' } }],
  ])('by a token %s: %s', async (_, backend, changes) => {
    const { profile } = await ask(backend, changes);

    expect(profile).toBeUndefined();
  });
});

it.each(backends)('a token that no service makes is invalid: %s', async (backend) => {
  const asked = ['', 'x'.repeat(2049), 'ключ', 'a\r\nb'].map((token) => ask(backend, {}, token));
  const longest = await ask(backend, {}, '%'.repeat(2048));

  for (const { profile, requests } of await Promise.all(asked)) {
    expect([profile, requests]).toEqual([undefined, []]);
  }
  expect(longest.profile).toEqual(kim);
  expect(Math.max(...longest.requests.map(({ url }) => url.length))).toBeLessThan(8192);
});

describe('an address is only used when it is verified', () => {
  it.each<[string, Backend, Answers]>([
    ['not given', 'facebook', { 'graph.facebook.com/me': { id: '17' } }],
    [
      'not verified',
      'google-oauth2',
      {
        'openidconnect.googleapis.com/v1/userinfo': {
          sub: '17',
          email: 'kim@example.com',
          email_verified: 'false',
        },
      },
    ],
    [
      'not said to be verified',
      'google-oauth2',
      { 'openidconnect.googleapis.com/v1/userinfo': { sub: '17', email: 'kim@example.com' } },
    ],
    [
      'not verified',
      'github',
      {
        'api.github.com/user/emails': [
          { email: 'kim@example.com', primary: true, verified: false },
          { email: 'old@example.com', primary: false, verified: true },
        ],
      },
    ],
    ['out of scope', 'github', { 'api.github.com/user/emails': 404 }],
    [
      'of a mailbox that only capitals of other letters make the same', // a Kelvin sign
      'facebook',
      { 'graph.facebook.com/me': { id: '17', email: '\u212Aim@example.com' } },
    ],
    ['none that accounts have', 'facebook', { 'graph.facebook.com/me': { id: '17', email: 'x' } }],
  ])('%s: %s', async (_, backend, changes) => {
    const { profile } = await ask(backend, changes);

    expect(profile).toMatchObject({ id: '17', email: undefined });
  });

  it('as text of Google too', async () => {
    const { profile } = await ask('google-oauth2', {
      'openidconnect.googleapis.com/v1/userinfo': {
        sub: '17',
        email: 'kim@example.com',
        email_verified: 'true',
      },
    });

    expect(profile?.email).toBe('kim@example.com');
  });
});

it('a service that cannot be reached is a server error', async () => {
  const error = new EgressError('unreachable');
  const share = { owner: 'account 1', instance: '2' };
  const { 'oauth2.googleapis.com/tokeninfo': inspected } = good['google-oauth2'];
  const verifiers = [() => Promise.reject(error), afterInspection].map((send) =>
    createVerifiers(configuration, send),
  );
  async function afterInspection(url: string): Promise<Response> {
    if (url.includes('userinfo')) throw error;
    return Response.json(inspected);
  }

  const asked = verifiers.map((each) => each['google-oauth2']?.('the-token', share));

  expect(await Promise.allSettled(asked)).toEqual(
    asked.map(() => ({ status: 'rejected', reason: error })),
  );
});

it('names are cut to the limit of accounts, between characters', async () => {
  const me = { id: '17', first_name: ` ${'😀'.repeat(70)}`, last_name: 'a\ud800' };

  const { profile } = await ask('facebook', { 'graph.facebook.com/me': me });

  expect(profile).toEqual({
    id: '17',
    email: undefined,
    first_name: '😀'.repeat(64),
    last_name: 'a\ufffd',
  });
});

describe('a service that is out of order is a server error', () => {
  it.each<[Backend, Answers]>([
    ['facebook', { 'graph.facebook.com/debug_token': 503 }],
    ['facebook', { 'graph.facebook.com/me': 429 }],
    ['google-oauth2', { 'oauth2.googleapis.com/tokeninfo': 500 }],
    ['google-oauth2', { 'openidconnect.googleapis.com/v1/userinfo': 503 }],
    ['google-oauth2', { 'openidconnect.googleapis.com/v1/userinfo': 429 }],
    ['github', { 'api.github.com/user/emails': 502 }],
  ])('%s, and its message holds no token', async (backend, changes) => {
    const [[place, status] = []] = Object.entries(changes);

    const asked = ask(backend, changes);

    await expect(asked).rejects.toThrow(`${place?.split('/')[0]} answers ${status}`);
    await expect(asked).rejects.not.toThrow(/the-token|secret/);
  });
});

describe('the environment', () => {
  const ids = {
    GROUNDWORK_FACEBOOK_APP_ID: 'our-app',
    GROUNDWORK_FACEBOOK_APP_SECRET: 'fb-secret',
    GROUNDWORK_GOOGLE_CLIENT_ID: ' our-client ',
    GROUNDWORK_GITHUB_CLIENT_ID: 'our-id',
    GROUNDWORK_GITHUB_CLIENT_SECRET: 'gh-secret',
  };

  it('lists the services', () => {
    expect(readSocial(ids, Error)).toEqual(configuration);
    expect(readSocial({ GROUNDWORK_GOOGLE_CLIENT_ID: 'x' }, Error)).toEqual({
      google: { clientId: 'x' },
    });
    expect(readSocial({ GROUNDWORK_GITHUB_CLIENT_ID: '' }, Error)).toEqual({});
    expect(Object.keys(createVerifiers({}, fetch))).toEqual([]);
    expect(Object.keys(createVerifiers(configuration, fetch))).toEqual(backends);
  });

  it.each([
    ['GROUNDWORK_FACEBOOK_APP_ID', 'GROUNDWORK_FACEBOOK_APP_SECRET'],
    ['GROUNDWORK_FACEBOOK_APP_SECRET', 'GROUNDWORK_FACEBOOK_APP_SECRET'],
    ['GROUNDWORK_GITHUB_CLIENT_ID', 'GROUNDWORK_GITHUB_CLIENT_SECRET'],
    ['GROUNDWORK_GITHUB_CLIENT_SECRET', 'GROUNDWORK_GITHUB_CLIENT_SECRET'],
  ])('%s alone is rejected', (name, blamed) => {
    expect(() => readSocial({ ...ids, [name]: undefined }, Error)).toThrow(
      `${blamed} takes a value if its id is set, otherwise none`,
    );
  });
});
