import type { Platform } from '../../../ports/ports.ts';
import { askServer } from '../control.ts';

/**
 * Sends a mail that shows that mails arrive, at once.
 *
 * @throws Error when the server sends no mail; MailError when its mail server does not take this one
 */
export async function sendTestMail(
  { mailer, apiUrl }: Pick<Platform, 'mailer' | 'apiUrl'>,
  to: string,
): Promise<void> {
  if (mailer.delivery === 'log') {
    throw new Error('the server sends no mail: set GROUNDWORK_SMTP_URL, and restart it');
  }
  const subject = 'Mails of Groundwork arrive';
  const text = `The operator of ${apiUrl()} has sent this mail to see whether mails arrive.\n`;
  await mailer.send({ to, subject, text });
}

/**
 * Has the server that uses a folder send such a mail.
 *
 * @throws StartError when there is no server; Error as {@link sendTestMail}
 */
export function requestTestMail(folder: string, to: string): Promise<void> {
  return askServer(folder, { testMail: { to } });
}
