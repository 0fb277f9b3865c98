import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { handleMailLetter, listMailLetters } from '../../shared/accounts/mail/mail-letters.ts';
import { sendMailName } from '../../shared/accounts/mail/queued-mail.ts';
import { changeSuspension } from '../../shared/instances/suspension.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { queuedMailEntity } from '../../shared/table/entities/deployment.ts';
import { invitationEntity } from '../../shared/table/entities/instances.ts';
import { jobEntity } from '../../shared/table/entities/jobs.ts';
import type { MailAbout } from '../../shared/table/records/mails.ts';
import { expected, openWorld, startApi } from '../support/api.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { openStepMailer, type Step } from '../support/step-mailer.ts';

const account = '/v1.1/account/';
const password = 'a password';
const day = 24 * 3600;
const noMail = { purpose: 'reset', account: 0, request: 0 };

describe('a queued mail', () => {
  it('is sent by a job, with a link and a token that is made then', async () => {
    const { api, sent, pass, register, read } = await start();
    const about = await register('ada@example.com');
    await pass();

    const [mail] = sent;
    const link = /^(http\S+)$/m.exec(mail?.text ?? '')?.[1] ?? '';
    const { searchParams } = new URL(new URL(link).hash.slice(1), api.url);

    expect(new URL(link).origin).toBe(api.url);
    expect(link).toContain('/console/#/activate?');
    expect(mail?.html).toContain(`href="${link.replace('&', '&amp;')}"`);
    expect(mail?.text).toContain(
      `uid: ${searchParams.get('uid')}\ntoken: ${searchParams.get('token')}`,
    );
    expect(await read(about)).toBeUndefined();
    const body = Object.fromEntries(searchParams);
    expect((await api.send({ path: `${account}activate/`, body })).status).toBe(200);
  });

  it('is stored as what it is about: no token, no link', async () => {
    const { register, read } = await start(Array(3).fill('before'));

    const about = await register('ada@example.com');

    expect(await read(about)).toEqual({
      about,
      to: 'ada@example.com',
      request: 1,
      state: 'waiting',
      tries: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      ...((await read(about))?.error && { error: 'the mail server responded 451' }),
    });
  });

  it('is tried again until it is accepted, and sent once', async () => {
    const { sent, results, pass, register, read } = await start(['before', 'temporary', 'before']);
    const about = await register('ada@example.com');
    for (let n = 0; n < 10; n += 1) await pass(60);

    expect(sent).toHaveLength(1);
    expect(results).toEqual(['retried', 'retried', 'retried', 'sent']);
    expect(await read(about)).toBeUndefined();
  });

  it('has failed when it was not accepted for a day', async () => {
    const { sent, pass, register, read } = await start(Array(500).fill('before'));
    const about = await register('ada@example.com');
    for (let n = 0; n < 100; n += 1) await pass(1900);
    const { state, error, tries } = (await read(about)) ?? {};

    expect([sent, state, error]).toEqual([[], 'failed', 'the mail server responded 451']);
    expect(tries).toBeGreaterThan(40);
    expect(tries).toBeLessThan(110);
  });

  it.each([
    ['rejected', 'failed', 'the mail server: rejected'],
    ['unconfirmed', 'unconfirmed', 'the mail server: unconfirmed'],
    ['dies', 'unconfirmed', 'the server stopped'],
  ] as const)('that is %s is %s, and never sent again by itself', async (step, state, error) => {
    const { sent, pass, register, read } = await start([step]);
    const about = await register('ada@example.com');
    for (let n = 0; n < 10; n += 1) await pass(600);
    const record = await read(about);

    expect([sent, record?.state, record?.error]).toEqual([[], state, error]);
  });

  it('is sent after a process that died before the hand-over', async () => {
    const { sent, pass, register } = await start(['dies before']);
    await register('ada@example.com');
    for (let n = 0; n < 3; n += 1) await pass(60);

    expect(sent).toHaveLength(1);
  });

  it('that is unconfirmed is sent again when somebody asks for it', async () => {
    const { api, sent, pass, register, read } = await start(['unconfirmed']);
    const about = await register('ada@example.com');
    await pass();
    const body = { email: 'ada@example.com' };
    expected(await api.send({ path: `${account}resend_email/`, body }), 204);
    await pass();

    expect(sent).toHaveLength(1);
    expect(await read(about)).toBeUndefined();
  });

  it('that is requested twice while it waits is sent once', async () => {
    const { api, sent, pass, register } = await start(['before', 'before']);
    await register('ada@example.com');
    const body = { email: 'ada@example.com' };
    expected(await api.send({ path: `${account}resend_email/`, body }), 204);
    for (let n = 0; n < 5; n += 1) await pass(60);

    expect(sent).toHaveLength(1);
  });

  it('is not sent when its address was changed or confirmed before', async () => {
    const { api, sent, pass, register, read } = await start(['before', 'before']);
    const about = await register('ada@example.com');
    const logIn = { email: 'ada@example.com', password };
    const { account_key } = expected(await api.send({ path: `${account}auth/`, body: logIn }), 200);
    const body = { email: 'lovelace@example.com' };
    expected(await api.send({ as: account_key, method: 'PATCH', path: account, body }), 200);
    for (let n = 0; n < 5; n += 1) await pass(60);

    expect(sent.map(({ to }) => to)).toEqual(['lovelace@example.com']);
    expect(await read(about)).toBeUndefined();
  });

  it('of an invitation that was deleted before is not sent', async () => {
    const { api, sent, pass } = await start(Array(3).fill('before'));
    const world = await openWorld(api);
    const body = { email: 'kim@example.com', role: 'read' };
    const { id } = expected(await world.call(world.owner, 'POST', 'invitations/', body), 201);
    expected(await world.call(world.owner, 'DELETE', `invitations/${id}/`), 204);
    for (let n = 0; n < 5; n += 1) await pass(60);

    expect(sent.filter(({ to }) => to === 'kim@example.com')).toEqual([]);
  });

  it('of an invitation has a link that opens it, in the words of the inviter’s instance', async () => {
    const { api, sent, pass } = await start();
    const world = await openWorld(api);
    const body = { email: 'kim@example.com', role: 'read' };
    const { key } = expected(await world.call(world.owner, 'POST', 'invitations/', body), 201);
    await pass();

    const mail = sent.find(({ to }) => to === 'kim@example.com');

    expect(mail?.text).toContain(`${api.url}/console/#/invitation?key=${key}\n`);
    expect(mail?.text).toContain(`\n${key}\n`);
  });

  it('that failed or is unconfirmed is a dead letter, which sends it again or drops it', async () => {
    const { api, sent, pass, register } = await start(['rejected', 'unconfirmed', 'before']);
    for (const name of ['ada', 'bea', 'cor']) await register(`${name}@example.com`);
    await pass();
    const { platform } = api;
    const letters = await listMailLetters(platform.store);
    const [first, second] = letters;
    await handleMailLetter(platform, { action: 'replay', id: first?.id ?? '' });
    await handleMailLetter(platform, { action: 'drop', id: second?.id ?? '' });
    await pass();

    expect(letters.map(({ kind, error }) => [kind, error])).toEqual([
      ['mail', 'failed: the mail server: rejected'],
      ['mail', 'unconfirmed: the mail server: unconfirmed'],
    ]);
    expect(first?.id).toMatch(/^mail\.activate\.\d{10}$/);
    expect(sent.map(({ to }) => to)).toEqual(['ada@example.com']);
    expect(await listMailLetters(platform.store)).toEqual([]);
    await expect(handleMailLetter(platform, { action: 'drop', id: 'mail.x' })).rejects.toThrow(
      'there is no dead letter mail.x',
    );
  });

  it('leaves no token in the log, whatever happens to it', async () => {
    const steps: Step[] = ['before', 'dies', 'unconfirmed', 'rejected', 'temporary', 'dies before'];
    const { api, sent, pass, register } = await start([...steps]);
    for (let n = 0; n < 8; n += 1) await register(`person-${n}@example.com`);
    for (let n = 0; n < 10; n += 1) await pass(600);
    const log = JSON.stringify(api.logged);

    for (const { text } of sent) expect(log).not.toContain(/^token: (.*)$/m.exec(text)?.[1]);
    expect(sent.length).toBeGreaterThan(2);
    expect(log).not.toContain('"message":"mail"');
  });
});

describe('an instance', () => {
  /** Invites an address; returns how its mail is. */
  async function invite(world: Awaited<ReturnType<typeof openWorld>>, email: string) {
    const body = { email, role: 'read' };
    const { id } = expected(await world.call(world.owner, 'POST', 'invitations/', body), 201);
    return async () => {
      const { state, error } = expected(
        await world.call(world.owner, 'GET', `invitations/${id}/mail/`),
        200,
      );
      return [state, error];
    };
  }

  it('sends three invitations an hour to one address, whatever letters its domain is written with', async () => {
    const { api, sent, pass } = await start();
    const world = await openWorld(api);
    const domains = ['example.com', 'ｅxample.com', 'eｘample.com', 'exａmple.com', '𝐞xample.com'];
    const states = [];
    for (const domain of domains) states.push(await invite(world, `kim@${domain}`));
    await pass();

    expect(sent.filter(({ to }) => to.startsWith('kim@'))).toHaveLength(3);
    expect(await states.at(-1)?.()).toEqual(['failed', 'too many mails in an hour']);
  });

  it('whose invitation is dropped sees that, and not an earlier one that waits', async () => {
    const { api, sent, pass } = await start(Array(4).fill('before'));
    const world = await openWorld(api);
    const state = await invite(world, 'kim@example.com');
    const [{ id }] = expected(await world.call(world.owner, 'GET', 'invitations/'), 200).objects;
    for (let n = 0; n < 5; n += 1) {
      expected(await world.call(world.owner, 'POST', `invitations/${id}/resend/`), 204);
    }
    const waiting = await state();
    for (let n = 0; n < 5; n += 1) await pass(60);

    expect(waiting[0]).toBe('waiting');
    expect(sent.filter(({ to }) => to === 'kim@example.com')).toHaveLength(1);
    expect(await state()).toEqual(['sent', null]);
  });

  it('queues the mail of an invitation in the transaction that creates it', async () => {
    const { api, pass } = await start();
    const world = await openWorld(api);
    await pass();
    const write = vi.spyOn(api.platform.store, 'write');
    await invite(world, 'kim@example.com');
    const kinds = write.mock.calls.map(([{ writes }]) =>
      writes.flatMap((each) => ('kind' in each ? [each.kind] : [])),
    );
    write.mockRestore();

    expect(kinds.find((each) => each.includes(invitationEntity.kind))).toEqual(
      expect.arrayContaining([queuedMailEntity.kind, jobEntity.kind]),
    );
  });

  it('that is suspended sends its invitations after it is resumed', async () => {
    const { api, sent, pass } = await start(Array(4).fill('before'));
    const world = await openWorld(api);
    const state = await invite(world, 'kim@example.com');
    await changeSuspension(api.platform, { action: 'suspend', instance: world.instance });
    for (let n = 0; n < 5; n += 1) await pass(60);
    const whileSuspended = sent.filter(({ to }) => to === 'kim@example.com');
    await changeSuspension(api.platform, { action: 'resume', instance: world.instance });
    const waiting = await state();
    for (let n = 0; n < 5; n += 1) await pass(600);

    expect([whileSuspended, waiting[0]]).toEqual([[], 'waiting']);
    expect(sent.filter(({ to }) => to === 'kim@example.com')).toHaveLength(1);
    expect(await state()).toEqual(['sent', null]);
  });

  it('shares the turns of its owner', async () => {
    const { api, shares, pass } = await start();
    const world = await openWorld(api);
    await invite(world, 'kim@example.com');
    await pass();

    expect(shares.at(-1)).toEqual({
      owner: expect.stringMatching(/^account \d+$/),
      instance: expect.stringMatching(/^\d+$/),
    });
    expect(shares.at(-1)?.owner).toBe(shares[0]?.owner); // its activation
  });

  it('sends a hundred invitations an hour; further ones are dropped with a line in the log', async () => {
    const { api, sent, pass, clock } = await start();
    const world = await openWorld(api);
    const invite = async (n: number) => {
      const body = { email: `guest-${n}@example.com`, role: 'read' };
      expected(await world.call(world.owner, 'POST', 'invitations/', body), 201);
    };
    for (let n = 0; n < 103; n += 1) await invite(n);
    await pass();
    const first = sent.filter(({ to }) => to.startsWith('guest-')).length;
    clock.forward(day);
    await invite(200);
    await pass();

    expect([first, sent.at(-1)?.to]).toEqual([100, 'guest-200@example.com']);
    const dropped = 'a mail was dropped: its instance had its mails of this hour';
    expect(api.logged.filter(({ message }) => message === dropped)).toHaveLength(3);
  });
});

/** Starts a platform for this test, whose mails end with these steps. */
async function start(steps?: Step[]) {
  const clock = openMovedClock();
  const opened = openStepMailer(steps);
  const api = await startApi({ mailer: opened.mailer, clock });
  onTestFinished(() => api.close());
  /** Lets jobs run that are due within some seconds. */
  const pass = async (seconds = 0) => {
    clock.forward(seconds);
    await maintain(api.platform, [newJob(api.platform, sendMailName, noMail)]); // timers use real time
    await api.platform.idle();
  };
  const register = async (email: string) => {
    const body = { email, password };
    const { id } = expected(await api.send({ path: `${account}register/`, body }), 201);
    return { purpose: 'activate', account: id } as const;
  };
  const read = async (about: MailAbout) =>
    (await queuedMailEntity.read(api.platform.store, about))?.data;
  return { ...opened, api, clock, pass, register, read };
}
