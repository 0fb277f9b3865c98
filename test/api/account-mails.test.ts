import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendElsewhere } from '../support/another-process.ts';
import {
  type Api,
  type ApiResponse,
  expected,
  openWorld,
  type Scenario,
  startApi,
} from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { type FaultyStore, makeFaulty } from '../support/faulty-store.ts';
import { mailsTo, proofTo } from '../support/mails.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { newKey, required, tooLong } from '../support/responses.ts';

const clock = openMovedClock();
let store: FaultyStore;
let count = 0;
let email: string;
/** Of an account that is not activated. */
let key: string;
/** As `GET /account/` shows it. */
let shown: object;

const account = '/v1.1/account/';
const threeDays = 3 * 24 * 3600;
const wrongToken = { non_field_errors: ['Invalid token.'] };
const done = { non_field_errors: ['Invalid token or account already activated.'] };

useApi({
  clock,
  wrap: (inner) => {
    store = makeFaulty(inner);
    return store;
  },
});
beforeEach(async () => {
  count += 1;
  email = `person-${count}@example.com`;
  const body = { email, password: 'a password' };
  const answer = await api.send({ path: `${account}register/`, body });
  ({ account_key: key, ...shown } = expected(answer, 201));
});

const send = (path: string, body: unknown): Promise<ApiResponse> =>
  api.send({ path: account + path, body });
const proof = () => proofTo(api, email);
const activate = (sent: object = proof()) => send('activate/', sent);
const reset = () => send('password/reset/', { email });
const confirm = (new_password: string, sent: object = proof()) =>
  send('password/reset/confirm/', { ...sent, new_password });
const logIn = async (password: string) => (await send('auth/', { email, password })).status;
const change = (body: object) => api.send({ as: key, method: 'PATCH', path: account, body });

describe('mails to an address', () => {
  const subjects = () => mailsTo(api, email).map(({ subject }) => subject);
  const resets = () => subjects().filter((subject) => subject === 'Set a new password').length;

  it('are limited to three per hour, and further requests get the same response', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, reset));
    const sent = resets();
    clock.forward(3601);
    const later = await reset();

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect([sent, later.status, resets()]).toEqual([3, 204, 4]);
  });

  it('are counted per purpose', async () => {
    for (let n = 0; n < 5; n += 1) expected(await reset(), 204);

    const answers = [];
    for (let n = 0; n < 5; n += 1) answers.push((await send('resend_email/', { email })).status);

    expect(answers).toEqual([204, 204, 204, 204, 204]);
    expect(subjects().filter((subject) => subject === 'Confirm your e-mail address').length).toBe(
      3,
    );
    expect(resets()).toBe(3);
  });

  it('are counted in the store, across processes', async () => {
    for (let n = 0; n < 3; n += 1) expected(await reset(), 204);

    const response = await sendElsewhere(api.platform, {
      path: `${account}password/reset/`,
      value: { email },
    });

    expect([response.status, resets()]).toEqual([204, 3]);
  });

  it('are limited to three invitations as well, which can all be accepted', async () => {
    const world = await openWorld(api, `mails-${count}`);
    const invited = `guest-${count}@example.com`;

    const answers: ApiResponse[] = [];
    for (let n = 0; n < 5; n += 1) {
      const body = { email: invited, role: 'read' };
      answers.push(await world.call(world.owner, 'POST', 'invitations/', body));
      const { id } = answers.at(-1)?.body ?? {};
      if (n < 4) await world.call(world.owner, 'DELETE', `invitations/${id}/`);
    }
    const { id } = answers.at(-1)?.body ?? {};
    const again = await world.call(world.owner, 'POST', `invitations/${id}/resend/`);

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect([mailsTo(api, invited).length, again.status]).toEqual([3, 204]);
  });
});

describe('activation', () => {
  it('is mailed at registration and confirms the address', async () => {
    const [mail, ...others] = mailsTo(api, email);

    const answer = await activate();
    const read = await api.send({ as: key, path: account });

    const active = { ...shown, is_active: true };
    expect([mail?.subject, others]).toEqual(['Confirm your e-mail address', []]);
    expect(mail?.text).toContain('/v1.1/account/activate/');
    expect([answer.status, answer.body]).toEqual([200, { ...active, account_key: key }]);
    expect(read.body).toEqual(active);
  });

  it('works once', async () => {
    const sent = proof();
    expected(await activate(sent), 200);

    const again = await activate(sent);

    expect([again.status, again.body]).toEqual([400, done]);
  });

  it('works once for two attempts at the same time', async () => {
    const answers = await Promise.all([activate(), activate()]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it.each([
    ['lasts three days', threeDays - 1, 200],
    ['and not longer', threeDays + 1, 400],
  ])('%s', async (_, seconds, status) => {
    const sent = proof();
    clock.forward(seconds);

    const answer = await activate(sent);

    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body).toEqual(wrongToken);
  });

  it('token expires with the password', async () => {
    const sent = proof();
    const body = { current_password: 'a password', new_password: 'b' };
    expected(await api.send({ as: key, path: `${account}password/`, body }), 204);

    const answer = await activate(sent);

    expect([answer.status, answer.body]).toEqual([400, wrongToken]);
  });

  it('is mailed again when the address changes, and the old token expires', async () => {
    const sent = proof();
    const old = email;
    expected(await activate(sent), 200);
    const moved = await change({ email: `moved-${count}@example.com` });
    const stale = await activate(sent);
    email = `moved-${count}@example.com`;

    const answer = await activate();

    expect(moved.body.is_active).toBe(false);
    expect([stale.status, stale.body]).toEqual([400, wrongToken]);
    expect(mailsTo(api, old)).toHaveLength(1);
    expect(mailsTo(api, email)).toHaveLength(1);
    expect([answer.status, answer.body.is_active, answer.body.email]).toEqual([200, true, email]);
  });

  it('is not mailed again by other changes', async () => {
    await change({ first_name: 'Kim', email: email.toUpperCase() });

    expect(mailsTo(api, email)).toHaveLength(1);
  });

  it('does not accept the token of a password reset or of another account', async () => {
    const own = proof();
    expected(await reset(), 204);
    const other = proof();
    const stranger = proofTo(api, 'person-1@example.com');

    const answers = [
      await activate(other),
      await activate({ ...stranger, uid: own.uid }),
      await confirm('b', own),
    ];

    for (const { status, body } of answers) expect([status, body]).toEqual([400, wrongToken]);
    expect((await activate(own)).status).toBe(200);
  });

  it('may be mailed once more', async () => {
    const answer = await send('resend_email/', { email: email.toUpperCase() });
    const activated = await activate();

    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(mailsTo(api, email)).toHaveLength(2);
    expect(activated.status).toBe(200);
  });

  it('is not mailed again after it was confirmed', async () => {
    expected(await activate(), 200);

    const answer = await send('resend_email/', { email });

    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: 'Account has already been activated.' },
    ]);
    expect(mailsTo(api, email)).toHaveLength(1);
  });
});

describe('a forgotten password', () => {
  it('is replaced with the token of a mail', async () => {
    const answer = await reset();
    const mail = mailsTo(api, email).at(-1);
    const confirmed = await confirm(' new one ');

    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(mail?.subject).toBe('Set a new password');
    expect(mail?.text).toContain('/v1.1/account/password/reset/confirm/');
    const { account_key, ...rest } = confirmed.body;
    expect([confirmed.status, rest]).toEqual([200, shown]);
    expect(account_key).toEqual(newKey);
    expect([await logIn('a password'), await logIn('new one')]).toEqual([401, 200]);
  });

  it('is replaced once per token', async () => {
    await reset();
    const sent = proof();
    expected(await confirm('b', sent), 200);

    const again = await confirm('c', sent);

    expect([again.status, again.body]).toEqual([400, wrongToken]);
    expect(await logIn('b')).toBe(200);
  });

  it('is replaced by one of two requests at the same time', async () => {
    await reset();

    const answers = await Promise.all([confirm('b'), confirm('c')]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const winner = answers[0]?.status === 200 ? 'b' : 'c';
    expect(await logIn(winner)).toBe(200);
  });

  it('token expires with a change of the password', async () => {
    await reset();
    const sent = proof();
    const body = { current_password: 'a password', new_password: 'b' };
    expected(await api.send({ as: key, path: `${account}password/`, body }), 204);

    const answer = await confirm('c', sent);

    expect([answer.status, answer.body]).toEqual([400, wrongToken]);
  });

  it('token expires with a change of the password by a concurrent request', async () => {
    await reset();
    const body = { current_password: 'a password', new_password: 'b' };
    store.beforeNextWrite(async () => {
      expected(await api.send({ as: key, path: `${account}password/`, body }), 204);
    });

    const answer = await confirm('c');

    expect([answer.status, answer.body]).toEqual([400, wrongToken]);
    expect(await logIn('b')).toBe(200);
  });

  it('token expires with a change of the address', async () => {
    await reset();
    const sent = proof();
    await change({ email: `moved-${count}@example.com` });

    expect((await confirm('c', sent)).body).toEqual(wrongToken);
  });

  it.each([
    [threeDays - 1, 200],
    [threeDays + 1, 400],
  ])('token after %i seconds: %i', async (seconds, status) => {
    await reset();
    clock.forward(seconds);

    expect((await confirm('b')).status).toBe(status);
  });

  it('changes the key and leaves the activation as it is', async () => {
    await activate();
    await reset();

    const answer = await confirm('b');

    const { account_key, ...rest } = answer.body;
    expect(rest).toEqual({ ...shown, is_active: true });
    expect(account_key).not.toBe(key);
  });
});

interface Row extends Scenario {
  readonly given?: () => Partial<Scenario>;
}

describe('a request is rejected', () => {
  const row = (path: string, why: string, body: unknown, response: object): Row => ({
    name: `${path} with ${why}`,
    path: account + path,
    method: 'POST',
    body,
    status: 400,
    response,
  });
  const noUid = { uid: ['Invalid token.'] };
  const good = { token: 'a-b', new_password: 'b' };
  describe('by', () => {
    const rows: readonly Row[] = [
      ...['resend_email/', 'password/reset/'].flatMap((path) => [
        row(path, 'nothing', {}, { email: required }),
        row(
          path,
          'an unknown address',
          { email: 'no@example.com' },
          { email: ['Email not found.'] },
        ),
      ]),
      ...['activate/', 'password/reset/confirm/'].flatMap((path) => [
        row(path, 'the uid of nobody', { ...good, uid: 'OTk5' }, noUid),
        row(path, 'a uid that is none', { ...good, uid: '{}' }, noUid),
        ...['a-b', `zzz-${'0'.repeat(40)}`].map((token) => ({
          ...row(path, `the token ${token}`, undefined, wrongToken),
          given: () => ({ body: { ...good, uid: proof().uid, token } }),
        })),
      ]),
      row('activate/', 'nothing', {}, { uid: required, token: required }),
      row(
        'password/reset/confirm/',
        'nothing',
        {},
        { uid: required, token: required, new_password: required },
      ),
      row(
        'password/reset/confirm/',
        'too long a password',
        { uid: 'MQ', token: 'a-b', new_password: 'x'.repeat(129) },
        { new_password: tooLong(128) },
      ),
    ];
    it.each(rows.map((each) => [each.name, each] as const))('%s', async (_, row) => {
      const { status, response, name: __, ...call } = { ...row, ...row.given?.() };
      const result = await api.send(call);
      expect({ status: result.status, body: result.body }).toEqual({ status, body: response });
    });
  });
});

describe('a mailer that is out of order', () => {
  let broken: Api;
  beforeAll(async () => {
    broken = await startApi({
      mailer: { delivery: 'direct', send: () => Promise.reject(new Error('no mail today')) },
    });
  });
  afterAll(() => broken.close());

  const errors = () =>
    broken.logged.filter(({ level }) => level === 'error').map(({ message }) => message);

  it('reverts nothing, and is reported to the operator', async () => {
    const world = await openWorld(broken);

    const body = { email: 'kim@example.com' };
    const invited = await world.call(world.owner, 'POST', 'invitations/', body);
    const moved = await broken.send({
      as: world.owner,
      method: 'PATCH',
      path: account,
      body: { email: 'x@example.com' },
    });

    const mail = await world.call(world.owner, 'GET', `invitations/${invited.body.id}/mail/`);
    expect([invited.status, moved.status]).toEqual([201, 200]);
    expect(mail.body).toMatchObject({ state: 'failed', error: 'Error' });
    expect(errors()).toEqual(Array(3).fill('a mail could not be sent'));
    expect(JSON.stringify(broken.logged)).not.toContain(invited.body.key);
  });

  it.each(['resend_email/', 'password/reset/'])('is a server error of %s', async (path) => {
    const body = { email: 'y@example.com', password: 'p' };
    await broken.send({ path: `${account}register/`, body });
    const before = errors().length;

    const answer = await broken.send({ path: account + path, body: { email: 'y@example.com' } });

    expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal server error.' }]);
    expect(errors().slice(before)).toEqual(['request failed']);
  });
});
