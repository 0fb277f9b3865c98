import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { setUpCode } from '../../shared/accounts/keys.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { accountEntity, emailEntity } from '../../shared/table/entities/accounts.ts';
import { type Api, type ApiResponse, expected, startApi } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { proofTo } from '../support/mails.ts';
import { isOn } from '../support/medium.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import {
  blank,
  isNull,
  newKey,
  type Rejection,
  required,
  taken,
  tooLong,
} from '../support/responses.ts';

const clock = openMovedClock();

const it = apiTest({ clock }).extend('given', { scope: 'file' }, ({ api }) => setUp(api));

const register = '/v1.1/account/register/';
const auth = '/v1.1/account/auth/';
const account = '/v1.1/account/';

describe('registration', () => {
  it('creates an account with its key and a lower-case address', async ({ api }) => {
    const response = await api.send({
      path: register,
      body: {
        email: ' Ann@Example.ORG ',
        password: ' secret ',
        first_name: ' Ann ',
        last_name: 'Lee',
        id: 99,
        is_active: true,
        has_password: false,
        account_key: 'x',
        metadata: { a: 1 },
      },
    });

    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(Number),
      email: 'ann@example.org',
      first_name: 'Ann',
      last_name: 'Lee',
      is_active: false,
      has_password: true,
      metadata: {},
      account_key: newKey,
    });
    expect(response.body.id).not.toBe(99);
  });

  it('of one address twice at the same time creates one account', async ({ api }) => {
    const body = { email: 'twin@example.com', password: 'p' };

    const responses = await Promise.all([1, 2].map(() => api.send({ path: register, body })));

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
    const refused = responses.find(({ status }) => status === 400);
    expect(refused?.body).toEqual({ email: taken });
  });

  it('assigns ids in the order of registration', async ({ given: { person } }) => {
    const first = await person();
    const second = await person();

    expect(second.shown.id).toBe(Number(first.shown.id) + 1);
  });

  describe('is rejected', () => {
    it.for<Rejection>([
      ['without anything', undefined, { email: required, password: required }],
      [
        'with nulls',
        { email: null, password: null, first_name: null },
        { email: isNull, password: isNull, first_name: isNull },
      ],
      ['with blanks', { email: ' ', password: ' ' }, { email: blank, password: blank }],
      [
        'with too long texts',
        {
          email: 'x@example.com',
          password: 'p'.repeat(129),
          first_name: 'x'.repeat(65),
          last_name: 'x'.repeat(65),
        },
        { password: tooLong(128), first_name: tooLong(64), last_name: tooLong(64) },
      ],
      [
        'with an address that is taken, in any case',
        { email: 'ANN@example.org', password: 'p' },
        { email: taken },
      ],
      [
        'with an unknown invitation',
        { email: 'x@example.com', password: 'p', invitation_key: 'x' },
        { invitation_key: 'Invitation not found.' },
      ],
    ])('%s', async ([_, sent, errors], { api }) => {
      const { status, body } = await api.send({ method: 'POST', path: register, body: sent });
      expect({ status, body }).toEqual({ status: 400, body: errors });
    });
  });

  it('creates nothing when it is rejected', async ({ api }) => {
    expect(await logIn(api, 'x@example.com', 'p')).toMatchObject({ status: 401 });
  });
});

describe('a closed deployment', () => {
  let closed: Api;
  let code: string;

  beforeAll(async () => {
    closed = await startApi({ settings: { registration: 'closed' } });
    code = await setUpCode(closed.platform.secrets);
  });
  afterAll(() => closed.close());

  const attempt = (email: string, key?: string) =>
    closed.send({
      path: register,
      body: { email, password: 'p', ...(key !== undefined && { invitation_key: key }) },
    });

  const signUp = async () => (await closed.send({ path: '/v1.1/deployment/' })).body.sign_up;

  it('accepts exactly one registration with the set-up code', async () => {
    expect(await signUp()).toBe('set_up_code');
    const without = await attempt('a@example.com');
    const wrong = await attempt('a@example.com', code.replace(/.$/, 'x'));
    const both = await Promise.all([
      attempt('a@example.com', code),
      attempt('b@example.com', code.toUpperCase()),
    ]);
    const late = await attempt('c@example.com', code);

    expect([without.status, without.body]).toEqual([400, { detail: 'Registration disabled.' }]);
    const notFound = { invitation_key: 'Invitation not found.' };
    expect([wrong.status, wrong.body]).toEqual([400, notFound]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(both.find(({ status }) => status === 400)?.body).toEqual(notFound);
    expect([late.status, late.body]).toEqual([400, notFound]);
    expect(await signUp()).toBe('invitation');
  });

  it('is told from an open one without a key', async ({ api }) => {
    const { body } = await api.send({ path: '/v1.1/deployment/' });

    expect(body).toMatchObject({ registration: 'open', sign_up: 'open' });
  });

  it('accepts the code in capitals too', async () => {
    const fresh = await startApi({ settings: { registration: 'closed' } });
    onTestFinished(() => fresh.close());
    const invitation_key = (await setUpCode(fresh.platform.secrets)).toUpperCase();

    const body = { email: 'a@example.com', password: 'p', invitation_key };
    const { status } = await fresh.send({ path: register, body });

    expect(status).toBe(201);
  });

  it('does not accept the code after an earlier registration', async ({
    api,
    given: { person },
  }) => {
    const code = await setUpCode(api.platform.secrets);
    await person();

    const response = await api.send({
      path: register,
      body: { email: 'late@example.com', password: 'p', invitation_key: code },
    });

    expect([response.status, response.body]).toEqual([
      400,
      { invitation_key: 'Invitation not found.' },
    ]);
  });
});

describe('log-in', () => {
  it('returns the account with its key, for the address in any case', async ({
    api,
    given: { person },
  }) => {
    const { key, email, shown } = await person();

    const response = await logIn(api, ` ${email.toUpperCase()} `, ' a password ');

    expect([response.status, response.body]).toEqual([200, { ...shown, account_key: key }]);
  });

  it('returns metadata', async ({ api, given: { person } }) => {
    const { key, email } = await person();
    await own(api, key, 'PATCH', { metadata: { a: [1] } });

    const response = await logIn(api, email, 'a password');

    expect(response.body.metadata).toEqual({ a: [1] });
  });

  it('rejects another password', async ({ api, given: { person } }) => {
    const { email } = await person();

    const response = await logIn(api, email, 'A password');

    expect([response.status, response.body]).toEqual([401, { detail: 'Invalid password.' }]);
    expect(response.headers.get('WWW-Authenticate')).toBeNull();
  });

  it('rejects an unknown address, and none', async ({ api }) => {
    const unknown = await logIn(api, 'nobody@example.com', 'p');
    const none = await api.send({ path: auth, body: {} });

    expect([unknown.status, unknown.body]).toEqual([401, { detail: 'Invalid email.' }]);
    expect([none.status, none.body]).toEqual([400, { email: required, password: required }]);
  });

  // with several processes it takes longer than an attempt may wait
  it.skipIf(isOn('roles'))(
    'is counted when many try at once',
    async ({ api, given: { person } }) => {
      const { email } = await person();

      const responses = await Promise.all(
        Array.from({ length: 12 }, () => logIn(api, email, 'wrong')),
      );

      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    },
  );

  it('is throttled after ten wrong passwords, also with the right one', async ({
    api,
    given: { person },
  }) => {
    const { email } = await person();
    for (let n = 0; n < 10; n += 1) expected(await logIn(api, email, 'wrong'), 401);

    clock.forward(600);
    const response = await logIn(api, email, 'a password');

    const seconds = Number(response.headers.get('Retry-After'));
    expect(response).toMatchObject({
      status: 429,
      body: { detail: `Request was throttled. Expected available in ${seconds} seconds.` },
    });
    expect(seconds).toBeGreaterThan(290);
    expect(seconds).toBeLessThanOrEqual(301);
  });

  it('with the right password may be retried soon when many do so at the same time', async ({
    api,
    given: { person },
  }) => {
    const { email } = await person();

    const responses = await Promise.all(
      Array.from({ length: 12 }, () => logIn(api, email, 'a password')),
    );

    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.map(({ headers }) => headers.get('Retry-After'))).toEqual(
      refused.map(() => '1'),
    );
    expect(await logIn(api, email, 'a password')).toMatchObject({ status: 200 });
  });

  // with several processes it takes longer than an attempt may wait
  it.skipIf(isOn('roles'))(
    'restarts its count after a right password',
    async ({ api, given: { person } }) => {
      const { email } = await person();
      for (let n = 0; n < 9; n += 1) expected(await logIn(api, email, 'wrong'), 401);
      expected(await logIn(api, email, 'a password'), 200);

      const responses = await Promise.all(
        Array.from({ length: 10 }, () => logIn(api, email, 'wrong')),
      );

      expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(401));
    },
  );

  it('is throttled for unknown addresses too', async ({ api }) => {
    for (let n = 0; n < 10; n += 1) expected(await logIn(api, 'ghost@example.com', 'p'), 401);

    expect(await logIn(api, 'ghost@example.com', 'p')).toMatchObject({ status: 429 });
  });
});

describe('the account itself', () => {
  it('does not contain the key', async ({ api, given: { person } }) => {
    const { key, shown } = await person({ first_name: 'Kim' });

    const response = await own(api, key);

    expect([response.status, response.body]).toEqual([200, shown]);
  });

  it('PATCH changes the fields that are sent', async ({ api, given: { person } }) => {
    const { key, shown } = await person({ first_name: 'Kim', last_name: 'Lee' });

    const body = { first_name: ' K ', metadata: { a: { b: null } }, id: 1, is_active: true };
    const response = await own(api, key, 'PATCH', body);
    const read = await own(api, key);

    const changed = { ...shown, first_name: 'K', metadata: { a: { b: null } } };
    expect([response.status, response.body]).toEqual([200, changed]);
    expect(read.body).toEqual(changed);
  });

  it('PUT requires the address, empties metadata and keeps names', async ({
    api,
    given: { person },
  }) => {
    const { key, email, shown } = await person({ first_name: 'Kim' });
    await own(api, key, 'PATCH', { metadata: { a: 1 } });

    const refused = await own(api, key, 'PUT', {});
    const response = await own(api, key, 'PUT', { email });

    expect([refused.status, refused.body]).toEqual([400, { email: required }]);
    expect([response.status, response.body]).toEqual([200, shown]);
  });

  it('changes to another address, which must be confirmed again', async ({
    api,
    given: { person },
  }) => {
    const { key, email } = await person();
    await activate(api, email);

    const response = await own(api, key, 'PATCH', { email: 'Moved@Example.com' });
    const byNew = await logIn(api, 'moved@example.com', 'a password');
    const byOld = await logIn(api, email, 'a password');
    const free = await api.send({ path: register, body: { email, password: 'p' } });

    expect(response).toMatchObject({
      status: 200,
      body: { email: 'moved@example.com', is_active: false },
    });
    expect(byNew).toMatchObject({ status: 200, body: { account_key: key } });
    expect([byOld.status, byOld.body]).toEqual([401, { detail: 'Invalid email.' }]);
    expect(free.status).toBe(201);
  });

  it('stays confirmed when the same address is sent in another case', async ({
    api,
    given: { person },
  }) => {
    const { key, email } = await person();
    await activate(api, email);

    const response = await own(api, key, 'PATCH', { email: email.toUpperCase() });

    expect(response).toMatchObject({ status: 200, body: { email, is_active: true } });
  });

  it('rejects an address that is taken', async ({ api, given: { person } }) => {
    const other = await person();
    const { key, shown } = await person();

    const body = { email: other.email, first_name: 'x' };
    const response = await own(api, key, 'PATCH', body);
    const read = await own(api, key);

    expect([response.status, response.body]).toEqual([400, { email: taken }]);
    expect(read.body).toEqual(shown);
  });

  it('keeps both of two concurrent changes', async ({ api, given: { person } }) => {
    const { key, shown } = await person();
    const change = (body: object) => own(api, key, 'PATCH', body);

    await Promise.all([change({ first_name: 'A' }), change({ last_name: 'B' })]);
    const read = await own(api, key);

    expect(read.body).toEqual({ ...shown, first_name: 'A', last_name: 'B' });
  });

  const nine = Object.fromEntries([...'abcdefghi'].map((name) => [name, 1]));
  it.for([
    ['null', null, isNull],
    ['nine keys', nine, ['Too many keys defined (exceeds 8).']],
  ] as const)(
    'rejects metadata of %s',
    async ([_, metadata, messages], { api, given: { person } }) => {
      const { key } = await person();

      const response = await own(api, key, 'PATCH', { metadata });

      expect([response.status, response.body]).toEqual([400, { metadata: messages }]);
    },
  );

  it('accepts keys that every JavaScript object inherits', async ({ api, given: { person } }) => {
    const { key } = await person();
    const body = '{"metadata": {"constructor": 1, "__proto__": {"is_active": true}}}';
    const headers = { 'Content-Type': 'application/json' };

    const response = await api.send({ as: key, method: 'PATCH', path: account, body, headers });
    const read = await own(api, key);

    expect(response).toMatchObject({ status: 200, body: { is_active: false } });
    expect(JSON.stringify(read.body.metadata)).toBe(JSON.stringify(response.body.metadata));
    expect(read.body.metadata).toHaveProperty('constructor', 1);
  });
});

describe('the password', () => {
  const path = `${account}password/`;

  it('is changed, the key stays', async ({ api, given: { person } }) => {
    const { key, email } = await person();

    const response = await api.send({
      as: key,
      path,
      body: { current_password: 'a password', new_password: ' b ' },
    });
    const old = await logIn(api, email, 'a password');
    const now = await logIn(api, email, 'b');

    expect([response.status, response.body]).toEqual([204, '']);
    expect([old.status, now.status, now.body.account_key]).toEqual([401, 200, key]);
  });

  it.for([
    [
      'a wrong one',
      { current_password: 'x', new_password: 'b' },
      { current_password: ['Invalid password.'] },
    ],
    [
      'a wrong one and no new one',
      { current_password: 'x' },
      { current_password: ['Invalid password.'], new_password: required },
    ],
    ['nothing', {}, { current_password: required, new_password: required }],
    ['no new one', { current_password: 'a password' }, { new_password: required }],
    [
      'an empty new one',
      { current_password: 'a password', new_password: '' },
      { new_password: blank },
    ],
  ] as const)('is not changed by %s', async ([_, body, response], { api, given: { person } }) => {
    const { key, email } = await person();

    const refused = await api.send({ as: key, path, body });
    const logged = await logIn(api, email, 'a password');

    expect([refused.status, refused.body]).toEqual([400, response]);
    expect(logged.status).toBe(200);
  });

  it('cannot be guessed with a key: attempts are throttled after ten wrong ones', async ({
    api,
    given: { person },
  }) => {
    const { key } = await person();
    const guess = (current_password: string) =>
      api.send({ as: key, path, body: { current_password, new_password: 'b' } });
    for (let n = 0; n < 10; n += 1) expected(await guess('wrong'), 400);

    const response = await guess('a password');

    expect(response.status).toBe(429);
    expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  it('is set for an account without one', async ({ api, given: { person } }) => {
    const { key, email, shown } = await person();
    await change(api, email, { has_password: false });

    const response = await api.send({ as: key, path: `${path}set/`, body: { password: 'b' } });
    const logged = await logIn(api, email, 'b');

    expect([response.status, response.body]).toEqual([204, '']);
    expect(logged.body).toEqual({ ...shown, account_key: key });
  });

  it('is set once by two requests at the same time', async ({ api, given: { person } }) => {
    const { key, email } = await person();
    await change(api, email, { has_password: false });
    const give = (password: string) =>
      api.send({ as: key, path: `${path}set/`, body: { password } });

    const responses = await Promise.all([give('b'), give('c')]);

    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  it('is not set for an account that has one', async ({ api, given: { person } }) => {
    const { key } = await person();

    const response = await api.send({ as: key, path: `${path}set/`, body: { password: 'b' } });
    const missing = await api.send({ as: key, path: `${path}set/`, body: {} });

    expect([response.status, response.body]).toEqual([
      400,
      { password: ['Admin already has password.'] },
    ]);
    expect([missing.status, missing.body]).toEqual([400, { password: required }]);
  });
});

describe('a reset of the key', () => {
  it('ignores its body and returns the new key', async ({ api, given: { person } }) => {
    const { key, shown } = await person();

    const response = await api.send({
      as: key,
      method: 'POST',
      path: `${account}reset_key/`,
      body: '{',
      headers: { 'Content-Type': 'application/json' },
    });

    expect([response.status, response.body]).toEqual([200, { ...shown, account_key: newKey }]);
    expect(response.body.account_key).not.toBe(key);
  });

  it('changes the key that log-in returns', async ({ api, given: { person } }) => {
    const { key, email } = await person();
    const reset = await api.send({ as: key, method: 'POST', path: `${account}reset_key/` });

    const logged = await logIn(api, email, 'a password');

    expect(logged.body).toEqual(reset.body);
  });
});

function setUp(api: Api) {
  let count = 0;
  /** Registers a new account. */
  async function person(more: object = {}): Promise<Person> {
    count += 1;
    const email = `person-${count}@example.com`;
    const password = 'a password';
    const response = await api.send({ path: register, body: { email, password, ...more } });
    const { account_key: key, ...shown } = expected(response, 201);
    return { key, email, password, shown };
  }

  return { person };
}

interface Person {
  readonly key: string;
  readonly email: string;
  readonly password: string;
  /** As `GET /account/` shows it. */
  readonly shown: Record<string, unknown>;
}

/** Sends a request on the caller's own account. */
const own = (api: Api, as: string, method = 'GET', body?: unknown): Promise<ApiResponse> =>
  api.send({ as, method, path: account, body });

const logIn = (api: Api, email: string, password: string): Promise<ApiResponse> =>
  api.send({ path: auth, body: { email, password } });

async function activate(api: Api, email: string): Promise<void> {
  const path = '/v1.1/account/activate/';
  expected(await api.send({ path, body: proofTo(api, email) }), 200);
}

/** Changes an account in the store, into what the interface makes of it only with the help of others. */
async function change(api: Api, email: string, changes: object): Promise<void> {
  const { store, ids } = api.platform;
  const pointer = await emailEntity.read(store, email);
  const current = pointer && (await accountEntity.read(store, pointer.data.account));
  if (current === undefined) throw new Error(`no account ${email}`);
  await store.write({
    id: ids.random(),
    change: { actor: {}, cause: 'maintenance', depth: 0 },
    writes: [updateItem(current, { ...current.data, ...changes })],
  });
}
