import { describe, expect, it, onTestFinished } from 'vitest';
import { handleMailLetter, listMailLetters } from '../../shared/accounts/mail/mail-letters.ts';
import { sendUserMailName } from '../../shared/accounts/mail/send-mail.ts';
import { changeSuspension } from '../../shared/instances/suspension.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import type { Platform } from '../../shared/ports/ports.ts';
import { createItem, putItem, updateItem } from '../../shared/store/writes.ts';
import { queuedMailEntity } from '../../shared/table/entities/deployment.ts';
import {
  userAddressEntity,
  userSettingsEntity,
} from '../../shared/table/entities/user-accounts.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import type { UserMailAbout, UserSettingsData } from '../../shared/table/records/user-accounts.ts';
import { planUserMail } from '../../shared/users/mail/request-user-mail.ts';
import { userMailsToday } from '../../shared/users/mail/user-mail-limit.ts';
import { noUserSettings } from '../../shared/users/settings/user-settings.ts';
import { readUserToken } from '../../shared/users/tokens/user-tokens.ts';
import { type ApiOptions, openWorld, startApi, type World } from '../support/api.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { openStepMailer, type Step } from '../support/step-mailer.ts';
import { instanceId } from '../support/stored-records.ts';

const page = 'https://app.example.com/confirmed';
const known = 'ada@example.com';
const unknown = 'bea@example.com';

describe('a mail to a user', () => {
  it.each([
    ['register', unknown, 'Confirm your e-mail address', 'register', 0],
    ['register', known, 'You already have an account', 'reset', 1],
    ['reset', known, 'Set a new password', 'reset', 1],
  ] as const)('to %s %s is "%s", with a token to %s', async (...row) => {
    const [purpose, email, subject, tokenPurpose, count] = row;
    const { api, sent, pass, request, instance, user, world } = await start();
    await request({ purpose, email });
    await pass();

    const [mail] = sent;
    const link = linkIn(mail?.text);
    const query = new URLSearchParams(link.hash.slice(1));
    const meant = { purpose: tokenPurpose, instance };
    const claims = await readUserToken(api.platform, query.get('token') ?? '', meant);

    expect([sent.length, mail?.to, mail?.subject]).toEqual([1, email, subject]);
    expect(claims).toMatchObject({ ...meant, email, key: 1, user: count * user });
    expect(query.get('purpose')).toBe(tokenPurpose);
    expect(`${link.origin}${link.pathname}`).toBe(
      `${api.url}${world.base}user/${tokenPurpose === 'reset' ? 'password/reset' : 'email'}/confirm/`,
    );
    expect(mail?.html).toContain(`href="${link.href.replace('&', '&amp;')}"`);
  });

  it('is not sent for a new password of an unknown address, and leaves no record', async () => {
    const { sent, pass, request, records } = await start();
    await request({ purpose: 'reset' });
    await pass();

    expect([sent, await records()]).toEqual([[], []]);
  });

  it('for a change of address leads the user, and an owner of the address elsewhere', async () => {
    const { sent, pass, request, user } = await start();
    await request({ purpose: 'confirm', email: unknown, user });
    await request({ purpose: 'confirm', email: known, user });
    await pass();

    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
      [unknown, 'Confirm your e-mail address'], // the other one is confirmed already
    ]);
  });

  it.each([undefined, { password: 'new' }])(
    'for a change of address that had to wait is sent unless the user was changed by %o',
    async (change) => {
      const { api, sent, pass, request, user, world, instance, records } = await start({
        steps: ['before'],
      });
      const { generation } =
        (await userEntity.read(api.platform.store, instance, user))?.data ?? {};
      const at = api.platform.clock.micros();
      await request({ purpose: 'confirm', user, asked: { generation: generation ?? 0, at } });
      await pass();
      if (change !== undefined) await world.own('PATCH', `users/${user}/`, change);
      await pass(3600);

      expect(sent).toHaveLength(change === undefined ? 1 : 0);
      expect(await records()).toEqual([]);
    },
  );

  it('with a code is sent to an unknown address only where the API key makes users', async () => {
    const { sent, pass, request, world } = await start({ settings: { codes: true } });
    const may = (await world.create('api_keys/', { allow_user_create: true })).id;
    const mayAll = (await world.create('api_keys/', { ignore_acl: true })).id;
    const mayNot = (await world.create('api_keys/', { allow_group_create: true })).id;
    await request({ purpose: 'code', email: known, key: mayNot });
    await request({ purpose: 'code', email: 'no@example.com', key: mayNot });
    await request({ purpose: 'code', email: 'new@example.com', key: may });
    await request({ purpose: 'code', email: 'other@example.com', key: mayAll });
    await pass();

    expect(sent.map(({ to }) => to).sort()).toEqual([
      known,
      'new@example.com',
      'other@example.com',
    ]);
    for (const { text } of sent) expect(text).toMatch(/is \d{6}\./);
  });

  it('tells the old address of a change and of a deletion, without any link', async () => {
    const { sent, pass, request } = await start();
    await request({ purpose: 'changed', email: 'old@example.com' });
    await request({ purpose: 'deleted', email: 'gone@example.com' });
    await pass();

    expect(sent.map(({ subject }) => subject).sort()).toEqual([
      'Your account was deleted',
      'Your e-mail address was changed',
    ]);
    for (const { text, html } of sent) expect(`${text}${html}`).not.toMatch(/https?:/);
  });

  it.each([
    [page, page],
    [`${page}/`, undefined],
    ['https://evil.example.com/', undefined],
    [`${page}#x`, undefined],
  ])('leads to %s only if the settings have exactly that page', async (redirect, expectedPage) => {
    const { api, sent, pass, request } = await start();
    await request({ redirect });
    await pass();
    const link = linkIn(sent[0]?.text);

    expect(link.href.split('#')[0]).toBe(expectedPage ?? `${api.url}${link.pathname}`);
  });

  it.each([
    ['the operator has not allowed it', { limits: { userMail: 'off' } }, 'deleted'],
    ['the instance has switched addresses off', { settings: { email: 'off' } }, 'register'],
  ] as const)('is not sent where %s', async (_, options, purpose) => {
    const { sent, pass, request, records } = await start(options);
    await request({ purpose });
    await pass();

    expect([sent, await records()]).toEqual([[], []]);
  });

  it('waits while its instance is suspended', async () => {
    const { api, sent, pass, request, world } = await start();
    await changeSuspension(api.platform, { action: 'suspend', instance: world.instance });
    await request({});
    for (let n = 0; n < 3; n += 1) await pass(600);
    const whileSuspended = sent.length;
    await changeSuspension(api.platform, { action: 'resume', instance: world.instance });
    for (let n = 0; n < 3; n += 1) await pass(600);

    expect([whileSuspended, sent.length]).toEqual([0, 1]);
  });

  it('takes its turn as one of its instance and the owner', async () => {
    const { shares, pass, request, instance } = await start();
    await request({});
    await pass();

    expect(shares.at(-1)).toEqual({
      owner: expect.stringMatching(/^account /),
      instance: `${instance}`,
    });
  });
});

describe('an attempt to send a mail to a user', () => {
  it.each([
    ['rejected', 'failed'],
    ['unconfirmed', 'unconfirmed'],
    ['dies', 'unconfirmed'],
  ] as const)('that is %s leaves a record that is %s, for an operator', async (step, state) => {
    const { api, sent, pass, request, records } = await start({ steps: [step] });
    await request({});
    for (let n = 0; n < 10; n += 1) await pass(600);
    const [record] = await records();
    const [letter] = await listMailLetters(api.platform.store);
    const before = sent.length;
    await handleMailLetter(api.platform, { action: 'replay', id: letter?.id ?? '' });
    await pass();

    expect([before, record?.data.state, sent.length]).toEqual([0, state, 1]);
    expect(letter?.item).toBe(`register to ${unknown}`);
    expect(await records()).toEqual([]);
  });

  it.each(['before', 'temporary', 'dies before'] as const)(
    'that ends %s is repeated, and the mail is sent and counted once',
    async (step) => {
      const { api, sent, pass, request, records, instance } = await start({ steps: [step, step] });
      await request({});
      for (let n = 0; n < 10; n += 1) await pass(600);

      expect([sent.length, await records()]).toEqual([1, []]);
      expect(await userMailsToday(api.platform, instance)).toEqual({ sent: 1, dropped: 0 });
    },
  );

  it('leaves no address, token or code in the log', async () => {
    const steps: Step[] = ['before', 'dies', 'unconfirmed', 'rejected', 'temporary', 'dies before'];
    const { api, sent, pass, request } = await start({ steps });
    for (let n = 0; n < 8; n += 1) await request({ email: `person-${n}@example.com` });
    for (let n = 0; n < 10; n += 1) await pass(600);
    const log = JSON.stringify(api.logged);

    expect(sent.length).toBeGreaterThan(2);
    expect(log).toContain('register');
    expect(log).not.toContain('person-');
    expect(log).not.toContain('token=');
  });
});

describe('the limits of mails to users', () => {
  it('are three of one purpose in an hour to one address, however its domain is written', async () => {
    const { api, sent, pass, request, instance } = await start();
    const domains = ['example.com', 'ｅxample.com', 'eｘample.com', 'EXAMPLE.COM', '𝐞xample.com'];
    for (const domain of domains) await request({ email: `kim@${domain}` });
    await request({ purpose: 'changed', email: 'kim@example.com' });
    await pass();

    expect(sent).toHaveLength(4);
    expect(await userMailsToday(api.platform, instance)).toEqual({ sent: 4, dropped: 2 });
    expect(api.logged.filter(({ message }) => /was dropped/.test(message)).length).toBe(2);
    await pass(3601);
    await request({ email: 'kim@example.com' });
    await pass();
    expect(sent).toHaveLength(5);
  });

  it('are ten in an hour to one address, from all instances', async () => {
    const { api, sent, pass, request, instance } = await start();
    const purposes = ['register', 'changed', 'deleted'] as const;
    for (const purpose of purposes) for (let n = 0; n < 3; n += 1) await request({ purpose });
    const other = await openWorld(api, 'other-1');
    const second = await instanceId(api.platform.store, other.instance);
    await configure(other, second);
    await pass();
    sent.length = 0;
    for (let n = 0; n < 3; n += 1) await request({ purpose: 'register', instance: second });
    await pass();

    expect(sent).toHaveLength(1);
    expect(await userMailsToday(api.platform, instance)).toEqual({ sent: 9, dropped: 0 });
    expect(await userMailsToday(api.platform, second)).toEqual({ sent: 1, dropped: 2 });
  });

  it('are those of an instance and of the server in a day, and the next day has its own', async () => {
    const limits = { userMailPerDay: 3, userMailTotalPerDay: 4 };
    const { api, sent, pass, request, instance } = await start({ limits });
    const other = await openWorld(api, 'other-1');
    const second = await instanceId(api.platform.store, other.instance);
    await configure(other, second);
    await pass();
    sent.length = 0;
    for (let n = 0; n < 5; n += 1) await request({ email: `first-${n}@example.com` });
    await pass();
    for (let n = 0; n < 3; n += 1)
      await request({ email: `second-${n}@example.com`, instance: second });
    await pass();
    const counts = [await userMailsToday(api.platform, instance), sent.length];
    await pass(24 * 3600);
    await request({ email: 'first-9@example.com' });
    await pass();

    expect(counts).toEqual([{ sent: 3, dropped: 2 }, 4]);
    expect(sent).toHaveLength(5);
  });

  it('count no mail that is not sent: requests for unknown addresses use up no mails of others', async () => {
    const { api, pass, request, instance } = await start();
    for (let n = 0; n < 10; n += 1)
      await request({ purpose: 'reset', email: `no-${n}@example.com` });
    await pass();

    expect(await userMailsToday(api.platform, instance)).toEqual({ sent: 0, dropped: 0 });
  });
});

describe('where the operator has not allowed mails to users', () => {
  it.each([
    ['user/register/', { confirmed: 'required' }],
    ['user/password/reset/', {}],
    ['user/auth/code/', { codes: true }],
  ] as const)('%s is 403, for each address', async (path, settings) => {
    const { world, records } = await start({ limits: { userMail: 'off' }, settings });
    const key = await world.apiKey({ allow_user_create: true });
    const responses = [];
    for (const email of [known, unknown]) {
      responses.push(await world.call(key, 'POST', path, { email }));
    }

    for (const { status, body } of responses) {
      expect([status, body.detail]).toEqual([
        403,
        'The operator of this server has not allowed mail to users.',
      ]);
    }
    expect(await records()).toEqual([]);
  });
});

interface Options {
  readonly steps?: Step[];
  readonly limits?: ApiOptions['settings'];
  readonly settings?: Partial<UserSettingsData>;
}

/** Starts a platform for this test, with a user; the mails end with these steps. */
async function start({ steps = [], limits, settings: given }: Options = {}) {
  const clock = openMovedClock('2026-01-31T09:00:00Z'); // hours before the day ends
  const attempts: Step[] = []; // of mails of accounts all are sent
  const opened = openStepMailer(attempts);
  const api = await startApi({
    mailer: opened.mailer,
    clock,
    settings: { userMail: 'on', ...limits },
  });
  onTestFinished(() => api.close());
  const { platform } = api;
  const world = await openWorld(api);
  const instance = await instanceId(platform.store, world.instance);
  await configure(world, instance, given);
  const { id } = await world.create('users/', { username: 'ada', password: 'x' });
  await confirmAddress(platform, instance, id);
  await pass();
  opened.sent.length = 0;
  attempts.push(...steps);

  /** Lets jobs run that are due within some seconds. */
  async function pass(seconds = 0) {
    clock.forward(seconds);
    const none = { instance: 0, mail: '', request: 0 };
    await maintain(platform, [newJob(platform, sendUserMailName, none)]); // timers use real time
    await platform.idle();
  }
  const request = (about: Partial<UserMailAbout>) =>
    maintain(
      platform,
      planUserMail(platform, {
        purpose: 'register',
        instance,
        email: unknown,
        key: 1,
        user: 0,
        ...about,
      }),
    );
  const records = () => queuedMailEntity.listAll(platform.store, []);
  return { ...opened, api, world, instance, user: id as number, request, pass, records };
}

async function configure(world: World, instance: number, settings: Partial<UserSettingsData> = {}) {
  const data = { ...noUserSettings, email: 'optional' as const, redirects: [page], ...settings };
  const key = userSettingsEntity.key(instance);
  await maintain(world.api.platform, [putItem(userSettingsEntity, key, data)]);
}

/** Gives the user the known address. */
async function confirmAddress(platform: Platform, instance: number, id: number) {
  const user = await userEntity.read(platform.store, instance, id);
  if (user === undefined) throw new Error('no user');
  const data = { ...user.data, email: known, isEmailConfirmed: true as const };
  const key = userAddressEntity.key(instance, encodeText(known));
  await maintain(platform, [
    updateItem(user, data),
    createItem(userAddressEntity, key, { user: id }),
  ]);
}

function linkIn(text = ''): URL {
  return new URL(/^\S+:\/\/\S+$/m.exec(text)?.[0] ?? 'none:');
}
