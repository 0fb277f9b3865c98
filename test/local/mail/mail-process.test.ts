import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openClient } from '../../../shared/clients/client.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { endProcesses, type ServerProcess, startProcess } from '../../support/server-process.ts';

let folder: string;
let mails: MailServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'groundwork-mails-'));
});
afterEach(async () => {
  endProcesses();
  await mails?.close();
  mails = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const from = { GROUNDWORK_MAIL_FROM: 'Us <no-reply@example.com>' };
const registration = { email: 'ada@example.com', password: 'a long password' };

function start(port: number, variables: Readonly<Record<string, string>> = from) {
  return startProcess(folder, {
    variables: {
      ...variables,
      GROUNDWORK_SMTP_URL: `smtp://127.0.0.1:${port}`,
      GROUNDWORK_LOG: 'info',
    },
  });
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

/** A mail server that calls a function at a step of a mail to Kim, before it responds. */
function stoppingAt(step: 'recipient' | 'content', stop: () => Promise<void>): SMTPServerOptions {
  const isKim = (addresses: readonly { readonly address: string }[]) =>
    addresses.some(({ address }) => address === 'kim@example.com');
  let isFirst = true;
  const once = async (isIt: boolean) => {
    if (!isIt || !isFirst) return;
    isFirst = false;
    await stop();
  };
  if (step === 'recipient') {
    return {
      onRcptTo: (address, _session, done) => {
        once(isKim([address])).then(() => done(), done);
      },
    };
  }
  return {
    onData: (stream, session, done) => {
      stream.resume().on('end', () => {
        mails?.received.push({
          from: '',
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw: '',
          isSecure: true,
          user: undefined,
        });
        once(isKim(session.envelope.rcptTo)).then(() => done(null), done);
      });
    },
  };
}

describe('a server that is killed while it sends a mail', () => {
  test('before the content is handed over sends it after its next start, once', async () => {
    let server: ServerProcess | undefined;
    mails = await startMailServer(
      stoppingAt('recipient', async () => {
        await server?.end('SIGKILL');
      }),
    );
    server = await start(mails.port);
    const stateOf = await invite(server).catch(() => undefined);
    await vi.waitFor(() => expect(() => process.kill(server?.pid ?? 0, 0)).toThrow(), 20_000);

    const next = await start(mails.port);
    await vi.waitFor(() => expect(toKim(mails as MailServer)).toBe(1), 90_000);
    await new Promise((resolve) => setTimeout(resolve, 3000));

    expect(toKim(mails)).toBe(1);
    if (stateOf !== undefined) expect(await stateOf(next)).toBe('sent');
    await next.end('SIGTERM');
  }, 120_000);

  test('after that shows it as unconfirmed, and does not send it again', async () => {
    let server: ServerProcess | undefined;
    const isInvited = { done: () => {} };
    const invited = new Promise<void>((resolve) => {
      isInvited.done = resolve;
    });
    mails = await startMailServer(
      stoppingAt('content', async () => {
        await invited; // the response has arrived
        await server?.end('SIGKILL');
      }),
    );
    server = await start(mails.port);
    const stateOf = await invite(server);
    isInvited.done();
    await vi.waitFor(() => expect(() => process.kill(server?.pid ?? 0, 0)).toThrow(), 20_000);

    const next = await start(mails.port);
    await vi.waitFor(async () => expect(await stateOf(next)).toBe('unconfirmed'), 90_000);
    await new Promise((resolve) => setTimeout(resolve, 3000));

    expect(toKim(mails)).toBe(1);
    await next.end('SIGTERM');
  }, 120_000);
});

test('a mail waits for a mail server that is down', async () => {
  mails = await startMailServer();
  const { port } = mails;
  await mails.close();
  const server = await start(port);
  const stateOf = await invite(server);
  await vi.waitFor(() => expect(server.complaints()).toContain('ECONNREFUSED'), 20_000);
  const waiting = await stateOf();

  mails = await startMailServer({}, port);
  await vi.waitFor(() => expect(toKim(mails as MailServer)).toBe(1), 60_000);

  expect(waiting).toBe('waiting');
  expect(server.complaints()).not.toContain('token');
  await server.end('SIGTERM');
}, 120_000);

describe('the start', () => {
  test.each([
    ['without a sender', { GROUNDWORK_MAIL_FROM: '' }, [], 'needs GROUNDWORK_MAIL_FROM'],
    ['for other machines without an address', from, ['--host', '0.0.0.0'], 'needs GROUNDWORK_URL'],
  ])('%s is refused', async (_, variables, args, message) => {
    const smtp = { GROUNDWORK_SMTP_URL: 'smtps://mail.example.com' };
    const started = startProcess(folder, { args, variables: { ...variables, ...smtp } });

    await expect(started).rejects.toThrow(message);
  });

  test.each([
    'http://mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls=no',
    'smtp://me:%zz@mail.example.com',
    'mail.example.com',
  ])('with %s is refused, and does not show it', async (url) => {
    const started = startProcess(folder, { variables: { ...from, GROUNDWORK_SMTP_URL: url } });

    const { message } = await started.then(
      () => new Error('it started'),
      (error: Error) => error,
    );
    expect(message).toContain('GROUNDWORK_SMTP_URL takes smtp://');
    expect(message).not.toContain('%zz');
  });

  test('says whether mails leave the server', async () => {
    const sending = await start(2525);
    expect(sending.output()).toContain(
      'Mails are sent from Us <no-reply@example.com> by 127.0.0.1:2525\n',
    );
    await sending.end('SIGTERM');
    const logging = await startProcess(folder);
    expect(logging.output()).toContain('Mails are not sent: they are lines of the log');
    await logging.end('SIGTERM');
  });
});

describe('groundwork doctor --mail', () => {
  const program = fileURLToPath(new URL('../../../bin/groundwork.mjs', import.meta.url));
  const doctor = (to: string) =>
    promisify(execFile)(process.execPath, [program, 'doctor', '--mail', to, '--data', folder]).then(
      ({ stdout }) => stdout,
      (error: { readonly stderr: string; readonly code: number }) => error.stderr,
    );

  test('has the server send a mail', async () => {
    mails = await startMailServer();
    const server = await start(mails.port);

    expect(await doctor('kim@example.com')).toContain('has taken a mail to kim@example.com');
    expect(toKim(mails)).toBe(1);
    await server.end('SIGTERM');
  });

  test('shows why a mail is not sent', async () => {
    mails = await startMailServer({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no'), { responseCode: 550 })),
    });
    const server = await start(mails.port);
    const texts = [await doctor('kim@example.com'), await doctor('no address')];
    await server.end('SIGTERM');
    const silent = await startProcess(folder);
    texts.push(await doctor('kim@example.com'));
    await silent.end('SIGTERM');
    texts.push(await doctor('kim@example.com'));

    expect(texts).toEqual([
      expect.stringContaining('the mail server responded 550'),
      expect.stringContaining('that is no e-mail address'),
      expect.stringContaining('the server sends no mail: set GROUNDWORK_SMTP_URL'),
      expect.stringContaining('no server uses'),
    ]);
  });
});
