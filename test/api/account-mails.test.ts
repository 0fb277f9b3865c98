import { describe, expect } from 'vitest';
import { sendElsewhere } from '../support/another-process.ts';
import {
  type Api,
  type ApiResponse,
  expected,
  openWorld,
  type Scenario,
  startApi,
} from '../support/api.ts';
import { makeFaulty } from '../support/faulty-store.ts';
import { apiTest } from '../support/fixtures.ts';
import { mailsTo, proofTo } from '../support/mails.ts';
import { isOn } from '../support/medium.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { newKey, required, tooLong } from '../support/responses.ts';

const clock = openMovedClock();
const it = apiTest({ clock, wrap: makeFaulty })
  .extend('given', ({ api, task }) => setUp(api, task.id))
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('broken', { scope: 'file' }, async ({}, { onCleanup }) => {
    const send = () => Promise.reject(new Error('no mail today'));
    const broken = await startApi({ mailer: { delivery: 'direct', send } });
    onCleanup(() => broken.close());
    return broken;
  });

const account = '/v1.1/account/';
const threeDays = 3 * 24 * 3600;
const wrongToken = { non_field_errors: ['Invalid token.'] };
const done = { non_field_errors: ['Invalid token or account already activated.'] };

describe('mails to an address', () => {
  const subjects = (given: Given) => given.mails().map(({ subject }) => subject);
  const resets = (given: Given) =>
    subjects(given).filter((subject) => subject === 'Set a new password').length;

  it('are limited to three per hour, and further requests get the same response', async ({
    given,
  }) => {
    const responses = await Promise.all(Array.from({ length: 20 }, given.reset));
    const sent = resets(given);
    clock.forward(3601);
    const later = await given.reset();

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
    expect([sent, later.status, resets(given)]).toEqual([3, 204, 4]);
  });

  it('are counted per purpose', async ({ given }) => {
    for (let n = 0; n < 5; n += 1) expected(await given.reset(), 204);

    const responses = [];
    for (let n = 0; n < 5; n += 1) responses.push((await given.resend()).status);

    expect(responses).toEqual([204, 204, 204, 204, 204]);
    expect(
      subjects(given).filter((subject) => subject === 'Confirm your e-mail address').length,
    ).toBe(3);
    expect(resets(given)).toBe(3);
  });

  it('are counted in the store, across processes', async ({ api, given }) => {
    for (let n = 0; n < 3; n += 1) expected(await given.reset(), 204);

    const response = await sendElsewhere(api.platform, {
      path: `${account}password/reset/`,
      value: { email: given.email },
    });

    expect([response.status, resets(given)]).toEqual([204, 3]);
  });

  it('are limited to three invitations as well, which can all be accepted', async ({ api }) => {
    const world = await openWorld(api, 'mails-1');
    const invited = 'guest@example.com';

    const responses: ApiResponse[] = [];
    for (let n = 0; n < 5; n += 1) {
      const body = { email: invited, role: 'read' };
      responses.push(await world.call(world.owner, 'POST', 'invitations/', body));
      const { id } = responses.at(-1)?.body ?? {};
      if (n < 4) await world.call(world.owner, 'DELETE', `invitations/${id}/`);
    }
    const { id } = responses.at(-1)?.body ?? {};
    const again = await world.call(world.owner, 'POST', `invitations/${id}/resend/`);

    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect([mailsTo(api, invited).length, again.status]).toEqual([3, 204]);
  });
});

describe('activation', () => {
  it('is mailed at registration and confirms the address', async ({ api, given }) => {
    const [mail, ...others] = given.mails();

    const response = await given.activate();
    const read = await api.send({ as: given.key, path: account });

    const active = { ...given.shown, is_active: true };
    expect([mail?.subject, others]).toEqual(['Confirm your e-mail address', []]);
    expect(mail?.text).toContain('/v1.1/account/activate/');
    expect([response.status, response.body]).toEqual([200, { ...active, account_key: given.key }]);
    expect(read.body).toEqual(active);
  });

  it('works once', async ({ given }) => {
    const sent = given.proof();
    expected(await given.activate(sent), 200);

    const again = await given.activate(sent);

    expect([again.status, again.body]).toEqual([400, done]);
  });

  it('works once for two attempts at the same time', async ({ given }) => {
    const responses = await Promise.all([given.activate(), given.activate()]);

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it.for<[string, number, number]>([
    ['lasts three days', threeDays - 1, 200],
    ['and not longer', threeDays + 1, 400],
  ])('%s', async ([_, seconds, status], { given }) => {
    const sent = given.proof();
    clock.forward(seconds);

    const response = await given.activate(sent);

    expect(response.status).toBe(status);
    if (status === 400) expect(response.body).toEqual(wrongToken);
  });

  it('token expires with the password', async ({ given }) => {
    const sent = given.proof();
    expected(await given.replacePassword(), 204);

    const response = await given.activate(sent);

    expect([response.status, response.body]).toEqual([400, wrongToken]);
  });

  it('is mailed again when the address changes, and the old token expires', async ({ given }) => {
    const sent = given.proof();
    const old = given.email;
    expected(await given.activate(sent), 200);
    const moved = await given.change({ email: 'moved@example.com' });
    const stale = await given.activate(sent);
    given.email = 'moved@example.com';

    const response = await given.activate();

    expect(moved.body.is_active).toBe(false);
    expect([stale.status, stale.body]).toEqual([400, wrongToken]);
    expect(given.mails(old)).toHaveLength(1);
    expect(given.mails()).toHaveLength(1);
    expect([response.status, response.body.is_active, response.body.email]).toEqual([
      200,
      true,
      given.email,
    ]);
  });

  it('is not mailed again by other changes', async ({ given }) => {
    await given.change({ first_name: 'Kim', email: given.email.toUpperCase() });

    expect(given.mails()).toHaveLength(1);
  });

  it('does not accept the token of a password reset or of another account', async ({
    api,
    given,
  }) => {
    const own = given.proof();
    expected(await given.reset(), 204);
    const other = given.proof();
    const stranger = (await setUp(api, 'stranger')).proof();

    const responses = [
      await given.activate(other),
      await given.activate({ ...stranger, uid: own.uid }),
      await given.confirm('b', own),
    ];

    for (const { status, body } of responses) expect([status, body]).toEqual([400, wrongToken]);
    expect((await given.activate(own)).status).toBe(200);
  });

  it('may be mailed once more', async ({ given }) => {
    const response = await given.resend(given.email.toUpperCase());
    const activated = await given.activate();

    expect([response.status, response.body]).toEqual([204, '']);
    expect(given.mails()).toHaveLength(2);
    expect(activated.status).toBe(200);
  });

  it('is not mailed again after it was confirmed', async ({ given }) => {
    expected(await given.activate(), 200);

    const response = await given.resend();

    expect([response.status, response.body]).toEqual([
      400,
      { detail: 'Account has already been activated.' },
    ]);
    expect(given.mails()).toHaveLength(1);
  });
});

describe('a forgotten password', () => {
  it('is replaced with the token of a mail', async ({ given }) => {
    const response = await given.reset();
    const mail = given.mails().at(-1);
    const confirmed = await given.confirm(' new one ');

    expect([response.status, response.body]).toEqual([204, '']);
    expect(mail?.subject).toBe('Set a new password');
    expect(mail?.text).toContain('/v1.1/account/password/reset/confirm/');
    const { account_key, ...rest } = confirmed.body;
    expect([confirmed.status, rest]).toEqual([200, given.shown]);
    expect(account_key).toEqual(newKey);
    expect([await given.logIn('a password'), await given.logIn('new one')]).toEqual([401, 200]);
  });

  it('is replaced once per token', async ({ given }) => {
    await given.reset();
    const sent = given.proof();
    expected(await given.confirm('b', sent), 200);

    const again = await given.confirm('c', sent);

    expect([again.status, again.body]).toEqual([400, wrongToken]);
    expect(await given.logIn('b')).toBe(200);
  });

  it('is replaced by one of two requests at the same time', async ({ given }) => {
    await given.reset();

    const responses = await Promise.all([given.confirm('b'), given.confirm('c')]);

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    const winner = responses[0]?.status === 200 ? 'b' : 'c';
    expect(await given.logIn(winner)).toBe(200);
  });

  it('token expires with a change of the password', async ({ given }) => {
    await given.reset();
    const sent = given.proof();
    expected(await given.replacePassword(), 204);

    const response = await given.confirm('c', sent);

    expect([response.status, response.body]).toEqual([400, wrongToken]);
  });

  it('token expires with a change of the password by a concurrent request', async ({
    store,
    given,
  }) => {
    await given.reset();
    store.beforeNextWrite(async () => {
      expected(await given.replacePassword(), 204);
    });

    const response = await given.confirm('c');

    expect([response.status, response.body]).toEqual([400, wrongToken]);
    expect(await given.logIn('b')).toBe(200);
  });

  it('token expires with a change of the address', async ({ given }) => {
    await given.reset();
    const sent = given.proof();
    await given.change({ email: 'elsewhere@example.com' });

    expect((await given.confirm('c', sent)).body).toEqual(wrongToken);
  });

  it.for<[number, number]>([
    [threeDays - 1, 200],
    [threeDays + 1, 400],
  ])('token after %i seconds: %i', async ([seconds, status], { given }) => {
    await given.reset();
    clock.forward(seconds);

    expect((await given.confirm('b')).status).toBe(status);
  });

  it('changes the key and leaves the activation as it is', async ({ given }) => {
    await given.activate();
    await given.reset();

    const response = await given.confirm('b');

    const { account_key, ...rest } = response.body;
    expect(rest).toEqual({ ...given.shown, is_active: true });
    expect(account_key).not.toBe(given.key);
  });
});

interface Row extends Scenario {
  readonly given?: (own: Given) => Partial<Scenario>;
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
          given: (own: Given) => ({ body: { ...good, uid: own.proof().uid, token } }),
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
    it.for(rows.map((each) => [each.name, each] as const))(
      '%s',
      async ([_, row], { api, given }) => {
        const { status, response, name: __, ...call } = { ...row, ...row.given?.(given) };
        const result = await api.send(call);
        expect({ status: result.status, body: result.body }).toEqual({ status, body: response });
      },
    );
  });
});

describe('a mailer that is out of order', () => {
  const errors = (broken: Api) =>
    broken.logged.filter(({ level }) => level === 'error').map(({ message }) => message);

  it('reverts nothing, and is reported to the operator', async ({ broken }) => {
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
    expect(mail.body).toMatchObject({
      state: 'failed',
      error: isOn('roles') ? 'FakeFault' : 'Error',
    });
    expect(errors(broken)).toEqual(Array(3).fill('a mail could not be sent'));
    expect(JSON.stringify(broken.logged)).not.toContain(invited.body.key);
  });

  it.for(['resend_email/', 'password/reset/'])(
    'is a server error of %s',
    async (path, { broken }) => {
      const body = { email: 'y@example.com', password: 'p' };
      await broken.send({ path: `${account}register/`, body });
      const before = errors(broken).length;

      const response = await broken.send({
        path: account + path,
        body: { email: 'y@example.com' },
      });

      expect([response.status, response.body]).toEqual([500, { detail: 'Internal server error.' }]);
      expect(errors(broken).slice(before)).toEqual(['request failed']);
    },
  );
});

/** Registers an account, which is not activated. */
async function setUp(api: Api, name: string) {
  const body = { email: `person-${name}@example.com`, password: 'a password' };
  const response = await api.send({ path: `${account}register/`, body });
  const { account_key, ...shown } = expected(response, 201); // as `GET /account/` shows it
  const own = { email: body.email, key: account_key as string, shown };
  const send = (path: string, sent: unknown): Promise<ApiResponse> =>
    api.send({ path: account + path, body: sent });
  const proof = () => proofTo(api, own.email);
  return Object.assign(own, {
    proof,
    mails: (email = own.email) => mailsTo(api, email),
    resend: (email = own.email) => send('resend_email/', { email }),
    replacePassword: () => {
      const sent = { current_password: 'a password', new_password: 'b' };
      return api.send({ as: own.key, path: `${account}password/`, body: sent });
    },
    activate: (sent: object = proof()) => send('activate/', sent),
    reset: () => send('password/reset/', { email: own.email }),
    confirm: (new_password: string, sent: object = proof()) =>
      send('password/reset/confirm/', { ...sent, new_password }),
    logIn: async (password: string) => (await send('auth/', { email: own.email, password })).status,
    change: (sent: object) => api.send({ as: own.key, method: 'PATCH', path: account, body: sent }),
  });
}

type Given = Awaited<ReturnType<typeof setUp>>;
