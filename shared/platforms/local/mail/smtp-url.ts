import * as v from 'valibot';

/** A mail server, as `GROUNDWORK_SMTP_URL` names it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; else STARTTLS, which only a server of this machine may lack. */
  readonly isSecure: boolean;
  readonly isLoopback: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
}

const ports = { 'smtp:': 587, 'smtps:': 465 } as const;
const valid = 'smtp://user:password@mail.example.com:587 or smtps://…, without path and query';

/** Parses the address of a mail server; undefined for an absent or empty text. */
export const smtpUrl = v.pipe(
  v.optional(v.string(), ''),
  v.check((text) => text === '' || parse(text) !== undefined, valid),
  v.transform((text) => (text === '' ? undefined : parse(text))),
);

function parse(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return undefined;
  if (hostname === '' || !['', '/'].includes(pathname) || search !== '' || hash !== '') {
    return undefined;
  }
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    return {
      host,
      port: port === '' ? ports[protocol] : Number(port),
      isSecure: protocol === 'smtps:',
      isLoopback: host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host),
      auth: username === '' ? undefined : auth,
    };
  } catch {
    return undefined; // a % that encodes nothing
  }
}
