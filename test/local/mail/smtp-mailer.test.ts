import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  openSmtpMailer,
  type SmtpLimits,
} from '../../../shared/platforms/local/mail/smtp-mailer.ts';
import type { SmtpServer } from '../../../shared/platforms/local/mail/smtp-url.ts';
import type { Mail, MailError } from '../../../shared/ports/ports.ts';
import { type MailServer, startMailServer, textOf } from '../../support/mail-server.ts';

/** For a mail server that responds, however busy this machine is. */
const patient: SmtpLimits = {
  connectMs: 30_000,
  silenceMs: 30_000,
  waitMs: 30_000,
  totalMs: 60_000,
};
/** For one that does not. */
const hasty: SmtpLimits = { connectMs: 500, silenceMs: 500, waitMs: 300, totalMs: 1500 };
const secret = 'token-of-a-mail-0123456789';
const mail = { to: 'ada@example.com', subject: 'Hello', text: `a text with ${secret}` };
const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

async function start(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  closes.push(server.close);
  return server;
}

function open(port: number, changes: Partial<SmtpServer> = {}, limits = patient) {
  const server: SmtpServer = {
    host: '127.0.0.1',
    port,
    isSecure: false,
    isLoopback: true,
    auth: undefined,
    ...changes,
  };
  return openSmtpMailer({ server, from: 'Us <no-reply@example.com>', limits });
}

/** Sends a mail, and returns how that ends with whether it was handed over. */
interface Attempt {
  readonly changes?: Partial<SmtpServer>;
  readonly sent?: Mail;
  readonly limits?: SmtpLimits;
}

async function outcomeOf(port: number, { changes, sent = mail, limits }: Attempt = {}) {
  let isHandedOver = false;
  const error = await open(port, changes, limits)
    .send(sent, {
      handOver: () => {
        isHandedOver = true;
        return Promise.resolve();
      },
    })
    .then(
      () => undefined,
      (thrown: MailError) => thrown,
    );
  return { outcome: error?.outcome ?? 'sent', text: error?.message ?? '', isHandedOver };
}

/** Starts a server that speaks as a function says. */
async function startRaw(talk: (socket: Socket) => void, allowHalfOpen = false): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closes.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** Answers each line of a client by the first rule that matches. */
function answering(rules: readonly (readonly [RegExp, string])[]) {
  return (socket: Socket) => {
    socket.write('220 ready\r\n');
    socket.on('data', (part) => {
      for (const line of part.toString('latin1').split('\r\n')) {
        const rule = rules.find(([pattern]) => pattern.test(line));
        if (rule !== undefined) socket.write(rule[1]);
      }
    });
  };
}

const polite = [
  [/^EHLO/, '250 ready\r\n'],
  [/^(MAIL|RCPT)/, '250 ok\r\n'],
  [/^DATA/, '354 go on\r\n'],
] as const;

describe('a mail', () => {
  it('is sent with text and HTML, from the sender, to one address', async () => {
    const server = await start();
    await open(server.port).send({ ...mail, text: 'grüße', html: '<p>grüße</p>' });

    const [received, ...others] = server.received;

    expect(others).toEqual([]);
    expect([received?.from, received?.to]).toEqual(['no-reply@example.com', ['ada@example.com']]);
    expect(received?.raw).toMatch(/^From: Us <no-reply@example\.com>\r$/m);
    expect(received?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(received?.raw).toContain('multipart/alternative');
    expect(Buffer.from(textOf(received ?? fail()), 'latin1').toString()).toBe('grüße');
  });

  it.each([
    'a@example.com, b@example.com',
    '"x, y" <a@example.com>',
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com>\r\nRCPT TO:<b@example.com',
  ])('to %j reaches at most one address, and adds no header', async (to) => {
    const server = await start();

    await open(server.port)
      .send({ ...mail, to, subject: 'a\r\nBcc: c@example.com' })
      .catch(() => {});

    expect(server.received.flatMap((each) => each.to).length).toBeLessThanOrEqual(1);
    for (const { raw } of server.received) expect(raw).not.toMatch(/^bcc:/im);
  });

  it('goes to a domain with letters beyond ASCII by its name in the DNS', async () => {
    let sent = '';
    const port = await startRaw((socket) => {
      answering(polite)(socket);
      socket.on('data', (part) => {
        sent += part.toString();
      });
    });

    await outcomeOf(port, { sent: { ...mail, to: 'ada@münchen.de' }, limits: hasty });

    expect(sent).toContain('RCPT TO:<ada@xn--mnchen-3ya.de>');
  });

  it('is sent with the log-in of the address', async () => {
    const server = await start({ authOptional: false });

    await open(server.port, { auth: { user: 'me', pass: 'p w' } }).send(mail);

    expect(server.received.map(({ user, isSecure }) => [user, isSecure])).toEqual([['me', true]]);
  });

  it.each([true, false])(
    'may not go in clear text to another machine; TLS first: %s',
    async (isSecure) => {
      const plain = await start({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });

      const result = await outcomeOf(plain.port, { changes: { isLoopback: false, isSecure } });

      expect([result.outcome, result.isHandedOver, plain.received]).toEqual([
        'temporary',
        false,
        [],
      ]);
    },
  );

  it('does not go to another machine whose certificate nobody has signed', async () => {
    const server = await start();

    const result = await outcomeOf(server.port, { changes: { isLoopback: false } });

    expect([result.outcome, result.isHandedOver, server.received]).toEqual([
      'temporary',
      false,
      [],
    ]);
  });
});

describe('a mail that is not accepted', () => {
  const reply = (responseCode: number) =>
    Object.assign(new Error(`no ${secret}`), { responseCode });

  it.each([
    ['the sender, for now', { onMailFrom: 451 }, 'temporary', false],
    ['the sender', { onMailFrom: 550 }, 'rejected', false],
    ['the recipient, for now', { onRcptTo: 450 }, 'temporary', false],
    ['the recipient', { onRcptTo: 550 }, 'rejected', false],
    ['the content, for now', { onData: 451 }, 'temporary', true],
    ['the content', { onData: 554 }, 'rejected', true],
  ] as const)('%s', async (_, codes, outcome, isHandedOver) => {
    const [name, code] = Object.entries(codes)[0] ?? fail();
    const server = await start(
      name === 'onData'
        ? { onData: (stream, _session, done) => stream.resume().on('end', () => done(reply(code))) }
        : {
            [name]: (_address: unknown, _session: unknown, done: (error: Error) => void) =>
              done(reply(code)),
          },
    );

    const result = await outcomeOf(server.port);

    expect([result.outcome, result.isHandedOver]).toEqual([outcome, isHandedOver]);
    expect(result.text).toContain(String(code));
    expect(result.text).not.toContain(secret);
  });

  it('because of the log-in is tried again, and does not show what the server says', async () => {
    const server = await start({
      authOptional: false,
      onAuth: ({ password }, _session, done) => done(new Error(`wrong: ${password}`)),
    });

    const result = await outcomeOf(server.port, {
      changes: { auth: { user: 'me', pass: secret } },
    });

    expect(result).toEqual({
      outcome: 'temporary',
      text: 'the mail server responded 535 to the log-in',
      isHandedOver: false,
    });
  });
});

describe('a mail server', () => {
  it('that is down leaves the mail for later', async () => {
    const server = await startMailServer();
    await server.close();

    const result = await outcomeOf(server.port);

    expect([result.outcome, result.isHandedOver]).toEqual(['temporary', false]);
  });

  it.each<[string, (socket: Socket) => void, string]>([
    ['says nothing', () => {}, 'temporary'],
    ['says nothing after the greeting', answering([]), 'temporary'],
    ['closes at once', (socket) => socket.end(), 'temporary'],
    [
      'closes after the recipient',
      (socket) => {
        answering(polite.slice(0, 2))(socket);
        socket.on('data', (part) => part.toString('latin1').includes('DATA') && socket.destroy());
      },
      'temporary',
    ],
    ['says nothing after the content', answering(polite), 'unconfirmed'],
    [
      'closes after the content',
      (socket) => {
        answering(polite)(socket);
        socket.on(
          'data',
          (part) => part.toString('latin1').endsWith('\r\n.\r\n') && socket.destroy(),
        );
      },
      'unconfirmed',
    ],
    [
      'is no mail server',
      (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'temporary',
    ],
  ])('that %s', async (_, talk, outcome) => {
    const result = await outcomeOf(await startRaw(talk), { limits: hasty });

    expect([result.outcome, result.isHandedOver]).toEqual([outcome, outcome === 'unconfirmed']);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['lines without end', (socket) => flood(socket, Buffer.alloc(65_536, 'x'))],
    ['responses without end', (socket) => flood(socket, Buffer.from('250-more\r\n'.repeat(6000)))],
    [
      'a byte now and then',
      (socket) => {
        const timer = setInterval(() => socket.write('2'), 100);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('that sends %s costs little memory and ends in time', async (_, talk) => {
    const port = await startRaw(talk);
    const before = process.memoryUsage().rss;

    const result = await outcomeOf(port, { limits: hasty });

    expect(result.outcome).toBe('temporary');
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  it('has two connections for one owner and four for all; a mail that waits too long is tried later', async () => {
    let most = 0;
    let now = 0;
    const port = await startRaw((socket) => {
      now += 1;
      most = Math.max(most, now);
      socket.on('close', () => {
        now -= 1;
      });
    });
    const mailer = open(port, {}, hasty);
    const send = (owner: string) =>
      mailer.send(mail, { share: { owner, instance: '' } }).catch(({ message }: Error) => message);

    const ofOne = await Promise.all(['a', 'a', 'a'].map(send));
    const mostOfOne = most;
    const ofMany = await Promise.all(['a', 'a', 'a', 'b', 'c', 'd'].map(send));

    expect([mostOfOne, most]).toEqual([2, 4]);
    expect(
      [ofOne, ofMany].map((all) => all.filter((text) => text === 'too many mails at once').length),
    ).toEqual([1, 2]);
  });

  it.each<[string, boolean, (socket: Socket) => void]>([
    [
      'after it took a mail',
      true,
      answering([...polite, [/^\.$/, '250 taken\r\n'], [/^QUIT/, '2']]),
    ],
    [
      'after it refused one',
      false,
      answering([
        [/^EHLO/, '250 ok\r\n'],
        [/^MAIL/, '550 no\r\n'],
      ]),
    ],
  ])('leaves no connection to a server that keeps it open %s', async (_, isTaken, talk) => {
    const sockets: Socket[] = [];
    const port = await startRaw((socket) => {
      sockets.push(socket);
      talk(socket);
      const timer = setInterval(() => !socket.destroyed && socket.write('2'), 100);
      socket.on('close', () => clearInterval(timer));
    }, true);

    const { outcome } = await outcomeOf(port);

    expect(outcome).toBe(isTaken ? 'sent' : 'rejected');
    await vi.waitFor(
      () => expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]),
      20_000,
    );
  });

  it('that hangs does not delay the end of the process', async () => {
    const port = await startRaw((socket) => socket.write('220 ready\r\n'));
    const mailer = open(port);
    const started = performance.now();
    const errors = ['a', 'a', 'a'].map((owner) =>
      mailer.send(mail, { share: { owner, instance: '' } }).catch((error: MailError) => error),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    mailer.close?.();
    const outcomes = (await Promise.all(errors)).map((error) => error?.outcome);

    expect(outcomes).toEqual(['temporary', 'temporary', 'temporary']);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('whose connection ends during the hand-over is not unconfirmed', async () => {
    const port = await startRaw((socket) => {
      answering(polite)(socket);
      socket.on('data', (part) => {
        if (part.toString('latin1').includes('DATA')) setTimeout(() => socket.destroy(), 50);
      });
    });
    let isMarked = false;

    const error = await open(port, {}, hasty)
      .send(mail, {
        handOver: async () => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          isMarked = true;
        },
      })
      .catch((thrown: MailError) => thrown);

    expect([error?.outcome, isMarked]).toEqual(['temporary', true]);
  });

  it('that does not take the hand-over sees no content', async () => {
    const server = await start();
    const lost = new Error('another process has it');

    const error = await open(server.port)
      .send(mail, { handOver: () => Promise.reject(lost) })
      .catch((thrown: unknown) => thrown);

    expect([error, server.received]).toEqual([lost, []]);
  });
});

function flood(socket: Socket, part: Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', write);
  write();
}

function fail(): never {
  throw new Error('nothing there');
}
