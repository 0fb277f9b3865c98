import { loggingMailer } from '../../../accounts/mail/logging-mailer.ts';
import type { Log, Mailer } from '../../../ports/ports.ts';
import { StartError } from '../server/start-error.ts';
import { openSmtpMailer } from './smtp-mailer.ts';
import type { SmtpServer } from './smtp-url.ts';

/** Settings of mails on one machine. */
export interface MailSettings {
  /** Undefined: mails are lines of the log. */
  readonly smtp: SmtpServer | undefined;
  readonly mailFrom: string | undefined;
  /** Public address of the server, which links in mails begin with. */
  readonly url: string | undefined;
  /** Address that the server listens on. */
  readonly host: string;
}

/** Opens a mailer, with the log and a function that counts results. */
export type OpenMailer = (log: Log, count?: Mailer['count']) => Mailer;

const loopback = ['127.0.0.1', '::1', 'localhost'];

/**
 * Checks the settings of mails.
 *
 * @throws StartError when mails would have no sender, or links that only this machine can open
 */
export function planMailer({ smtp, mailFrom, url, host }: MailSettings): OpenMailer {
  if (smtp === undefined) return loggingMailer;
  if (mailFrom === undefined) {
    throw new StartError('GROUNDWORK_SMTP_URL needs GROUNDWORK_MAIL_FROM, the sender of mails');
  }
  if (url === undefined && !loopback.includes(host)) {
    const why =
      'links in mails begin with it, and the address of a request is not trusted for that';
    throw new StartError(`GROUNDWORK_SMTP_URL needs GROUNDWORK_URL: ${why}`);
  }
  return (_log, count) => openSmtpMailer({ server: smtp, from: mailFrom, ...(count && { count }) });
}

/** Returns the line of the start that says whether mails leave this machine. */
export function describeMails({ smtp, mailFrom }: Pick<MailSettings, 'smtp' | 'mailFrom'>): string {
  if (smtp !== undefined) return `Mails are sent from ${mailFrom} by ${smtp.host}:${smtp.port}`;
  const ignored = mailFrom === undefined ? '' : '; GROUNDWORK_MAIL_FROM alone sends none';
  return `Mails are not sent: they are lines of the log, until you set GROUNDWORK_SMTP_URL${ignored}`;
}
