import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { tlsCertificate } from './tls-certificate.ts';

/** A mail that the server received. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The whole message, as transmitted. */
  readonly raw: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

/** A mail server, of a library that the product does not use as a server. */
export interface MailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  close(): Promise<void>;
}

/** Starts a mail server on a port of 127.0.0.1; it takes every mail unless the options say otherwise. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  port = 0,
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...tlsCertificate(),
    authOptional: true,
    closeTimeout: 100,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username ?? '' }),
    onData: (stream, session, callback) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(parts).toString('latin1'),
          isSecure: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
        });
        callback(null);
      });
    },
    ...options,
  });
  server.on('error', () => {}); // of a client that went away
  const listening = once(server.server, 'listening');
  server.listen(port, '127.0.0.1');
  await listening;
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns the text part of a message, decoded. */
export function textOf({ raw }: ReceivedMail): string {
  const part = /Content-Type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(raw);
  const encoding = /Content-Type: text\/plain[\s\S]*?Content-Transfer-Encoding: (\S+)/.exec(
    raw,
  )?.[1];
  const text = part?.[1] ?? '';
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString();
  if (encoding !== 'quoted-printable') return text;
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
