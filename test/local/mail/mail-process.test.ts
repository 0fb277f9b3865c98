import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SMTPServerOptions } from 'smtp-server';
import { test as base, describe, expect, vi } from 'vitest';
import { openClient } from '../../../shared/clients/client.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { endProcesses, type ServerProcess, startProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const test = base
  .extend('folder', temporaryFolder('groundwork-mails-'))
  .extend('given', { auto: true }, ({ folder }, { onCleanup }) => {
    const given: Given = { folder, mails: undefined };
    onCleanup(async () => {
      endProcesses();
      await given.mails?.close();
    });
    return given;
  });

const from = { GROUNDWORK_MAIL_FROM: 'Us <no-reply@example.com>' };

describe('a server that is killed while it sends a mail', { timeout: 120_000 }, () => {
  test('before the content is handed over sends it after its next start, once', async ({
    given,
  }) => {
    let server: ServerProcess | undefined;
    const mails = await startMailsThatStop(given, 'recipient', async () => {
      await server?.end('SIGKILL');
    });
    server = await start(given, mails.port);
    const stateOf = await invite(server).catch(() => undefined);
    await vi.waitFor(() => expect(() => process.kill(server?.pid ?? 0, 0)).toThrow(), 20_000);

    const next = await start(given, mails.port);
    await vi.waitFor(() => expect(toKim(mails)).toBe(1), 90_000);
    await new Promise((resolve) => setTimeout(resolve, 3000));

    expect(toKim(mails)).toBe(1);
    if (stateOf !== undefined) expect(await stateOf(next)).toBe('sent');
    await next.end('SIGTERM');
  });

  test('after that shows it as unconfirmed, and does not send it again', async ({ given }) => {
    let server: ServerProcess | undefined;
    const isInvited = { done: () => {} };
    const invited = new Promise<void>((resolve) => {
      isInvited.done = resolve;
    });
    const mails = await startMailsThatStop(given, 'content', async () => {
      await invited; // the response has arrived
      await server?.end('SIGKILL');
    });
    server = await start(given, mails.port);
    const stateOf = await invite(server);
    isInvited.done();
    await vi.waitFor(() => expect(() => process.kill(server?.pid ?? 0, 0)).toThrow(), 20_000);

    const next = await start(given, mails.port);
    await vi.waitFor(async () => expect(await stateOf(next)).toBe('unconfirmed'), 90_000);
    await new Promise((resolve) => setTimeout(resolve, 3000));

    expect(toKim(mails)).toBe(1);
    await next.end('SIGTERM');
  });
});

test('a mail waits for a mail server that is down', { timeout: 120_000 }, async ({ given }) => {
  const { port, close } = await startMails(given);
  await close();
  const server = await start(given, port);
  const stateOf = await invite(server);
  await vi.waitFor(() => expect(server.complaints()).toContain('ECONNREFUSED'), 20_000);
  const waiting = await stateOf();

  const mails = await startMails(given, {}, port);
  await vi.waitFor(() => expect(toKim(mails)).toBe(1), 60_000);

  expect(waiting).toBe('waiting');
  expect(server.complaints()).not.toContain('token');
  await server.end('SIGTERM');
});

describe('the start', () => {
  test.for<[string, Readonly<Record<string, string>>, string[], string]>([
    ['without a sender', { GROUNDWORK_MAIL_FROM: '' }, [], 'needs GROUNDWORK_MAIL_FROM'],
    ['for other machines without an address', from, ['--host', '0.0.0.0'], 'needs GROUNDWORK_URL'],
  ])('%s is refused', async ([, variables, args, message], { folder }) => {
    const smtp = { GROUNDWORK_SMTP_URL: 'smtps://mail.example.com' };
    const started = startProcess(folder, { args, variables: { ...variables, ...smtp } });

    await expect(started).rejects.toThrow(message);
  });

  test.for([
    'http://mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls=no',
    'smtp://me:%zz@mail.example.com',
    'mail.example.com',
  ])('with %s is refused, and does not show it', async (url, { folder }) => {
    const started = startProcess(folder, { variables: { ...from, GROUNDWORK_SMTP_URL: url } });

    const { message } = await started.then(
      () => new Error('it started'),
      (error: Error) => error,
    );
    expect(message).toContain('GROUNDWORK_SMTP_URL takes smtp://');
    expect(message).not.toContain('%zz');
  });

  test('says whether mails leave the server', async ({ given }) => {
    const sending = await start(given, 2525);
    expect(sending.output()).toContain(
      'Mails are sent from Us <no-reply@example.com> by 127.0.0.1:2525\n',
    );
    await sending.end('SIGTERM');
    const logging = await startProcess(given.folder);
    expect(logging.output()).toContain('Mails are not sent: they are lines of the log');
    await logging.end('SIGTERM');
  });
});

describe('groundwork doctor --mail', () => {
  const program = fileURLToPath(new URL('../../../bin/groundwork.mjs', import.meta.url));
  const doctor = ({ folder }: Given, to: string) =>
    promisify(execFile)(process.execPath, [program, 'doctor', '--mail', to, '--data', folder]).then(
      ({ stdout }) => stdout,
      (error: { readonly stderr: string; readonly code: number }) => error.stderr,
    );

  test('has the server send a mail', async ({ given }) => {
    const mails = await startMails(given);
    const server = await start(given, mails.port);

    expect(await doctor(given, 'kim@example.com')).toContain('has taken a mail to kim@example.com');
    expect(toKim(mails)).toBe(1);
    await server.end('SIGTERM');
  });

  test('shows why a mail is not sent', async ({ given }) => {
    const mails = await startMails(given, {
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no'), { responseCode: 550 })),
    });
    const server = await start(given, mails.port);
    const texts = [await doctor(given, 'kim@example.com'), await doctor(given, 'no address')];
    await server.end('SIGTERM');
    const silent = await startProcess(given.folder);
    texts.push(await doctor(given, 'kim@example.com'));
    await silent.end('SIGTERM');
    texts.push(await doctor(given, 'kim@example.com'));

    expect(texts).toEqual([
      expect.stringContaining('the mail server responded 550'),
      expect.stringContaining('that is no e-mail address'),
      expect.stringContaining('the server sends no mail: set GROUNDWORK_SMTP_URL'),
      expect.stringContaining('no server uses'),
    ]);
  });
});

interface Given {
  readonly folder: string;
  /** The last mail server of the test. */
  mails: MailServer | undefined;
}

async function startMails(given: Given, options: SMTPServerOptions = {}, port = 0) {
  given.mails = await startMailServer(options, port);
  return given.mails;
}

const registration = { email: 'ada@example.com', password: 'a long password' };

function start({ folder }: Given, port: number) {
  const own = { GROUNDWORK_SMTP_URL: `smtp://127.0.0.1:${port}`, GROUNDWORK_LOG: 'info' };
  return startProcess(folder, { variables: { ...from, ...own } });
}

/** Registers an account, makes an instance, and invites an address. Returns how its mail is. */
async function invite({ url }: ServerProcess) {
  const { body } = await openClient(url)({ path: '/v1.1/account/register/', body: registration });
  const send = openClient(url, body.account_key);
  await send({ path: '/v1.1/instances/', body: { name: 'library' } });
  const invitations = '/v1.1/instances/library/invitations/';
  const invited = { email: 'kim@example.com', role: 'read' };
  const { id } = (await send({ path: invitations, body: invited })).body;
  return (now: ServerProcess = { url } as ServerProcess) =>
    openClient(
      now.url,
      body.account_key,
    )({ path: `${invitations}${id}/mail/` }).then((response): unknown => response.body.state);
}

const toKim = ({ received }: MailServer) =>
  received.filter(({ to }) => to.includes('kim@example.com')).length;

/** Starts a mail server that calls a function at a step of a mail to Kim, before it responds. */
function startMailsThatStop(
  given: Given,
  step: 'recipient' | 'content',
  stop: () => Promise<void>,
): Promise<MailServer> {
  const isKim = (addresses: readonly { readonly address: string }[]) =>
    addresses.some(({ address }) => address === 'kim@example.com');
  let isFirst = true;
  const once = async (isIt: boolean) => {
    if (!isIt || !isFirst) return;
    isFirst = false;
    await stop();
  };
  const onRcptTo: SMTPServerOptions['onRcptTo'] = (address, _session, done) => {
    once(isKim([address])).then(() => done(), done);
  };
  const onData: SMTPServerOptions['onData'] = (stream, { envelope }, done) => {
    stream.resume().on('end', () => {
      const to = envelope.rcptTo.map(({ address }) => address);
      given.mails?.received.push({ from: '', to, raw: '', isSecure: true, user: undefined });
      once(isKim(envelope.rcptTo)).then(() => done(null), done);
    });
  };
  return startMails(given, step === 'recipient' ? { onRcptTo } : { onData });
}
