import { describe, expect, onTestFinished } from 'vitest';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import { type Api, type ApiResponse, expected, openWorld, startApi } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { mailsTo, proofTo } from '../support/mails.ts';
import { newKey, noText } from '../support/responses.ts';

const { newPerson, setEmail, verify } = openService();
const it = apiTest({ social: { facebook: verify, github: verify } })
  .extend('email', { auto: true }, () => newPerson())
  .extend('logIn', { scope: 'file' }, ({ api }) => logInAt(api));

const path = '/v1.1/account/auth/';

describe('a log-in by another service', () => {
  it('creates an active account without password, and finds it again', async ({
    api,
    email,
    logIn,
  }) => {
    const first = await logIn();
    const second = await logIn();
    const { account_key: as, created: _, ...shown } = first.body;
    const read = await api.send({ as, path: '/v1.1/account/' });

    expect([first.status, first.body]).toEqual([
      200,
      {
        id: expect.any(Number),
        email,
        first_name: 'Kim',
        last_name: 'Lee',
        is_active: true,
        has_password: false,
        metadata: {},
        account_key: newKey,
        created: true,
      },
    ]);
    expect([second.status, second.body]).toEqual([200, { ...first.body, created: false }]);
    expect(read.body).toEqual(shown);
    expect(mailsTo(api, email)).toEqual([]);
  });

  it('finds the account after the address at the service changed', async ({ logIn }) => {
    const first = await logIn();
    setEmail(undefined);

    const second = await logIn();

    expect(second.body).toEqual({ ...first.body, created: false });
  });

  it('is linked to the account of its address', async ({ api, email, logIn }) => {
    const body = { email, password: 'a password' };
    expected(await api.send({ path: '/v1.1/account/register/', body }), 201);
    const proof = { path: '/v1.1/account/activate/', body: proofTo(api, email) };
    const made = expected(await api.send(proof), 200);

    const first = await logIn('github');
    setEmail(`new-${email}`);
    const second = await logIn('github');

    expect([first.status, first.body]).toEqual([200, { ...made, created: false }]);
    expect(second.body).toEqual(first.body);
  });

  it('of another service with the same id there belongs to another account', async ({
    email,
    logIn,
  }) => {
    const first = await logIn('facebook');
    setEmail(`b-${email}`);

    const second = await logIn('github');

    expect(second.body).toMatchObject({ created: true, email: `b-${email}` });
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('twice at the same time creates one account', async ({ logIn }) => {
    const responses = await Promise.all([logIn(), logIn()]);

    expect(responses.map(({ body }) => body.created).sort()).toEqual([false, true]);
    expect(responses[0]?.body.id).toBe(responses[1]?.body.id);
  });

  it('links the invitations of its address', async ({ api, email, logIn }) => {
    const world = await openWorld(api, 'house-1');
    expected(await world.call(world.owner, 'POST', 'invitations/', { email }), 201);

    const { body } = await logIn();

    const list = await api.send({ as: body.account_key, path: '/v1.1/account/invitations/' });
    expect(list.body.objects).toMatchObject([{ email, state: 'new' }]);
  });

  it('accepts forms, and ignores credentials', async ({ api, email }) => {
    const response = await api.send({
      method: 'POST',
      path: `${path}facebook/`,
      as: 'no key at all',
      body: new URLSearchParams({ access_token: ' token ' }),
    });

    expect(response).toMatchObject({ status: 200, body: { email } });
  });

  it('allows setting a password afterwards', async ({ api, email, logIn }) => {
    const { account_key: as } = (await logIn()).body;

    const set = await api.send({
      as,
      path: '/v1.1/account/password/set/',
      body: { password: 'b' },
    });
    const logged = await api.send({ path, body: { email, password: 'b' } });

    expect([set.status, logged.status, logged.body.has_password]).toEqual([204, 200, true]);
  });
});

describe('a log-in by another service is rejected', () => {
  const refused = { detail: 'Invalid authorization token.' };
  const unsupported = { detail: 'Unsupported social backend.' };

  const token = { access_token: 'token' };
  it.for([
    ['with a token that it refuses', 'facebook', { access_token: 'x' }, 401, refused],
    ['without a token', 'facebook', {}, 401, refused],
    ['with an empty one', 'facebook', { access_token: ' ' }, 401, refused],
    ['with a list', 'facebook', { access_token: ['token'] }, 400, { access_token: noText }],
    ['by linkedin, which is gone', 'linkedin', token, 401, refused],
    ['by twitter, which is gone', 'twitter', token, 401, refused],
    ['by one that is not configured', 'google-oauth2', token, 400, unsupported],
    ['by one that there is not', 'myspace', token, 400, unsupported],
    ['by a name of the language', 'constructor', token, 400, unsupported],
  ])('%s', async ([_, backend, body, status, response], { api }) => {
    const result = await api.send({ path: `${path}${backend}/`, body });

    expect([result.status, result.body]).toEqual([status, response]);
  });

  it('when it returns no address and the person is unknown', async ({ logIn }) => {
    setEmail(undefined);

    const { status, body } = await logIn();

    expect([status, body]).toEqual([400, { detail: 'Invalid social scope, missing email.' }]);
  });

  it('for an unknown person when registration is closed', async () => {
    const closed = await startApi({
      settings: { registration: 'closed' },
      social: { facebook: verify },
    });
    onTestFinished(() => closed.close());

    const { status, body } = await closed.send({
      path: `${path}facebook/`,
      body: { access_token: 'token' },
    });

    expect([status, body]).toEqual([400, { detail: 'Registration disabled.' }]);
  });

  it('for an unknown person on a page of another site, if registration is open to this machine only', async () => {
    const local = await startApi({
      settings: { registration: 'local' },
      social: { facebook: verify },
    });
    onTestFinished(() => local.close());
    const body = { access_token: 'token' };
    const call = (headers: Record<string, string>) =>
      local.send({ path: `${path}facebook/`, body, headers });

    const foreign = await call({ Origin: 'https://evil.example' });
    const own = await call({ Origin: 'http://localhost:5173' });

    expect([foreign.status, own.status]).toEqual([403, 200]);
  });

  it('as a server error when the service is out of order, logged once and without the token', async ({
    api,
    logIn,
  }) => {
    const before = api.logged.length;

    const { status, body } = await logIn('facebook', 'trouble');

    expect([status, body]).toEqual([500, { detail: 'Internal server error.' }]);
    const logged = api.logged.slice(before);
    expect(logged.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'request failed', cause: expect.stringContaining('facebook.com answers 503') },
    ]);
    expect(JSON.stringify(logged)).not.toContain('trouble');
  });
});

/** Another service: the token of the newest person is `token`, `trouble` fails, and any other is rejected. */
function openService() {
  const people = new Map<string, SocialProfile>();
  let id = 0;
  return {
    verify: (token: string) => {
      if (token === 'trouble') return Promise.reject(new Error('graph.facebook.com answers 503'));
      return Promise.resolve(people.get(token));
    },
    /** Returns the address of another person. */
    newPerson: () => {
      id += 1;
      const email = `person-${id}@example.com`;
      people.set('token', { id: `id-${id}`, email, first_name: 'Kim', last_name: 'Lee' });
      return email;
    },
    /** Changes the address of the person at the service. */
    setEmail: (email: string | undefined) =>
      people.set('token', { id: `id-${id}`, email, first_name: '', last_name: '' }),
  };
}

function logInAt(api: Api) {
  return (backend = 'facebook', access_token: unknown = 'token'): Promise<ApiResponse> =>
    api.send({ path: `${path}${backend}/`, body: { access_token } });
}
