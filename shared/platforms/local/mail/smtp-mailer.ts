import type { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { openRequestQueue } from '../../../ports/limits/request-queue.ts';
import { type Mail, MailError, type Mailer } from '../../../ports/ports.ts';
import { withAsciiDomain } from '../../../values/values.ts';
import { mailFailure } from './smtp-failure.ts';
import type { SmtpServer } from './smtp-url.ts';

/** Options of mails that leave this machine. */
export interface SmtpOptions {
  readonly server: SmtpServer;
  /** Sender: an address, or a name and `<an address>`. */
  readonly from: string;
  /** Counts results, for metrics. */
  readonly count?: Mailer['count'];
  /** For tests: shorter limits. */
  readonly limits?: SmtpLimits;
}

/** Limits of one mail, in milliseconds; one that exceeds them is tried again, or unconfirmed. */
export interface SmtpLimits {
  /** To connect, and for the greeting. */
  readonly connectMs: number;
  /** Without any byte from the mail server. */
  readonly silenceMs: number;
  /** For one of the connections. */
  readonly waitMs: number;
  /** In all, after the wait; both are less than the lease of a job. */
  readonly totalMs: number;
}

const usualLimits: SmtpLimits = {
  connectMs: 10_000,
  silenceMs: 20_000,
  waitMs: 10_000,
  totalMs: 40_000,
};
const endMs = 3000; // for the response to content that was handed over, when the process ends
const closeMs = 1000; // for the mail server to close its side; afterwards the connection is cut
const maxResponseSize = 16_384; // bytes of one response; a hostile server may send any number
// fewer in all than the slow jobs of a shard, so that a mail server that hangs delays no other job
const atOnce = { capacity: 4, perOwner: 2, queue: 40, queuePerOwner: 20, queuePerInstance: 20 };
const operator = { owner: 'operator', instance: '' };

const loadComposer = async () => (await import('nodemailer/lib/mail-composer')).default;
const loadConnection = async () => (await import('nodemailer/lib/smtp-connection')).default;

/** Opens a mailer for an SMTP server. Connects for each mail; owners take turns with four connections. Loads its library with the first. */
export function openSmtpMailer(options: SmtpOptions): Mailer {
  const queue = openRequestQueue(atOnce);
  const ending = new AbortController();
  return {
    delivery: 'queue',
    close: () => ending.abort(),
    ...(options.count && { count: options.count }),
    send: async (mail, { handOver = () => Promise.resolve(), share = operator } = {}) => {
      const { waitMs } = options.limits ?? usualLimits;
      const release = await queue.enter({ ...share, waitMs });
      if (release === 'full' || release === 'late') {
        throw new MailError('temporary', 'too many mails at once');
      }
      try {
        if (ending.signal.aborted) throw new MailError('temporary', 'the server stops');
        await sendOne(options, { mail, handOver, ending: ending.signal });
      } finally {
        release();
      }
    },
  };
}

interface Attempt {
  readonly mail: Mail;
  readonly handOver: () => Promise<void>;
  /** Aborted when the process ends. */
  readonly ending: AbortSignal;
}

async function sendOne(options: SmtpOptions, { mail, handOver, ending }: Attempt): Promise<void> {
  const composed = await compose(options.from, mail);
  const connection = await connectionTo(options);
  let ownError: unknown;
  let isHandedOver = false;
  let hasEnded = false;
  let marking: Promise<void> | undefined;
  // the library reads the message only after the mail server has accepted sender and recipient
  async function* content() {
    try {
      marking = handOver();
      await marking;
    } catch (error) {
      ownError = error;
      throw error;
    }
    if (hasEnded) return;
    isHandedOver = true;
    yield composed.content;
  }
  const { totalMs } = options.limits ?? usualLimits;
  const restMs = () => (isHandedOver ? endMs : 0);
  try {
    await within({ totalMs, restMs, ending }, connection, async () => {
      await settled((done) => connection.connect(done));
      const { auth } = options.server;
      if (auth !== undefined) await settled((done) => connection.login(auth, done));
      const message = Readable.from(content(), { objectMode: false });
      await settled((done) => connection.send(composed.envelope, message, done));
    });
    connection.quit();
    connection.close(); // does not wait for the response, which may never come
  } catch (error) {
    hasEnded = true;
    connection.close();
    await Promise.allSettled([marking]); // a failure is `ownError`; the caller must not write at the same time
    throw ownError ?? mailFailure(error, isHandedOver);
  }
}

async function compose(from: string, { to, subject, text, html }: Mail) {
  const Composer = await loadComposer();
  const recipient = withAsciiDomain(to);
  const message = new Composer({
    from,
    to: { name: '', address: recipient }, // an object: a text would be parsed as a list of addresses
    subject,
    text,
    html,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const { from: sender } = message.getEnvelope();
  return { envelope: { from: sender, to: [recipient] }, content: await message.build() };
}

async function connectionTo({ server, limits = usualLimits }: SmtpOptions) {
  const Connection = await loadConnection();
  const { host, port, isSecure, isLoopback } = server;
  const connection = new Connection({
    host,
    port,
    secure: isSecure,
    requireTLS: !isLoopback,
    tls: { rejectUnauthorized: !isLoopback },
    connectionTimeout: limits.connectMs,
    dnsTimeout: limits.connectMs,
    greetingTimeout: limits.connectMs,
    socketTimeout: limits.silenceMs,
    socketCloseTimeout: closeMs,
    maxResponseSize,
  });
  return connection;
}

interface Time {
  readonly totalMs: number;
  /** Returns what is left when the process ends. */
  readonly restMs: () => number;
  readonly ending: AbortSignal;
}

/** Runs the steps of a mail, until the connection fails, they take too long in all, or the process ends. */
async function within(
  { totalMs, restMs, ending }: Time,
  connection: EventEmitter,
  steps: () => Promise<void>,
): Promise<void> {
  const { promise: failed, reject } = openFailure();
  connection.on('error', reject); // the library calls no step back for some of them
  connection.once('end', () => reject(new Error('the connection was closed')));
  const late = Object.assign(new Error('the mail took too long'), { code: 'ETIMEDOUT' });
  let timer = setTimeout(reject, totalMs, late);
  const end = () => {
    clearTimeout(timer);
    timer = setTimeout(reject, restMs(), late);
  };
  ending.addEventListener('abort', end);
  if (ending.aborted) end();
  try {
    await Promise.race([steps(), failed]);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', end);
  }
}

/** Returns a promise that only fails, and the function that fails it. */
function openFailure() {
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  return { promise, reject };
}

function settled(start: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()));
  });
}
