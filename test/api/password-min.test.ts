import { describe, expect } from 'vitest';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { proofTo } from '../support/mails.ts';

const test = worldTest({
  settings: { passwordMin: 10 },
  social: {
    github: async () => ({ id: '1', email: 'kim@example.com', first_name: '', last_name: '' }),
  },
});

const short = { status: 400 };
const body = (field: string) => ({
  [field]: ['Ensure this field has at least 10 characters.'],
});
const account = '/v1.1/account/';

describe('with a least length, a password that is too short is an error', () => {
  test('of a registration, together with the other fields', async ({ api }) => {
    const register = (email: string, password: string) =>
      api.send({ path: `${account}register/`, body: { email, password } });

    expect(await register('no address', 'nine char')).toMatchObject({
      ...short,
      body: { email: ['Enter a valid email address.'], ...body('password') },
    });
    expect(await register('ada@example.com', `  nine char  `)).toMatchObject(short); // trimmed
    expect(await register('ada@example.com', '👍'.repeat(9))).toMatchObject(short);
    expect(await register('ada@example.com', '👍'.repeat(10))).toMatchObject({ status: 201 });
  });

  test('of a change, which a log-in with an older one still allows', async ({ api }) => {
    const credentials = { email: 'bob@example.com', password: 'twelve chars' };
    const { account_key: as } = expected(
      await api.send({ path: `${account}register/`, body: credentials }),
      201,
    );
    const change = (current_password: string, new_password: string) =>
      api.send({ as, path: `${account}password/`, body: { current_password, new_password } });
    const logIn = (password: string) =>
      api.send({ path: `${account}auth/`, body: { ...credentials, password } });

    expect(await change('wrong', 'short')).toMatchObject({
      ...short,
      body: { current_password: ['Invalid password.'], ...body('new_password') },
    });
    expect((await change('twelve chars', 'short')).body).toEqual(body('new_password'));
    expect(await change('twelve chars', 'thirteen chars')).toMatchObject({ status: 204 });
    expect(await logIn('x')).toMatchObject({ status: 401, body: { detail: 'Invalid password.' } });
  });

  test('of a reset, whose token can be used again', async ({ api }) => {
    const email = 'cem@example.com';
    const credentials = { email, password: 'twelve chars' };
    expected(await api.send({ path: `${account}register/`, body: credentials }), 201);
    expected(await api.send({ path: `${account}password/reset/`, body: { email } }), 204);
    const confirm = (new_password: string) =>
      api.send({
        path: `${account}password/reset/confirm/`,
        body: { ...proofTo(api, email), new_password },
      });

    expect(await confirm('short')).toMatchObject({ ...short, body: body('new_password') });
    expect(await confirm('another twelve')).toMatchObject({ status: 200 });
  });

  test('of an account without one', async ({ api }) => {
    const { account_key: as } = expected(
      await api.send({ path: `${account}auth/github/`, body: { access_token: 'a' } }),
      200,
    );
    const set = (password: string) =>
      api.send({ as, path: `${account}password/set/`, body: { password } });

    expect(await set('short')).toMatchObject({ ...short, body: body('password') });
    expect(await set('twelve chars')).toMatchObject({ status: 204 });
  });

  test('of a user, in each request that sets it', async ({ world }) => {
    const call = (method: string, path: string, sent: object) =>
      world.call(world.owner, method, path, sent);
    const created = await call('POST', 'users/', { username: '', password: 'short' });
    const { id } = expected(
      await call('POST', 'users/', { username: 'dan', password: 'twelve chars' }),
      201,
    );
    const user = `users/${id}/`;

    expect(created).toMatchObject({
      ...short,
      body: { username: ['This field may not be blank.'], ...body('password') },
    });
    const replaced = { username: 'dan', password: 'short' };
    expect(await call('PUT', user, replaced)).toMatchObject({ ...short, body: body('password') });
    expect(await call('PATCH', user, { password: 'short', profile: 5 })).toMatchObject({
      ...short,
      body: { ...body('password'), profile: expect.anything() },
    });
    expect(await call('PATCH', user, { username: 'dana' })).toMatchObject({ status: 200 });
    expect(await call('PATCH', user, { password: 'thirteen chars' })).toMatchObject({
      status: 200,
    });
  });

  test('of the own user', async ({ world }) => {
    const { user_key } = expected(
      await world.call(world.owner, 'POST', 'users/', {
        username: 'eve',
        password: 'twelve chars',
      }),
      201,
    );
    const key = await world.apiKey();
    const change = (password: string) =>
      world.call({ key, user: user_key }, 'PATCH', 'user/', { password });

    expect(await change('short')).toMatchObject({ ...short, body: body('password') });
  });
});
