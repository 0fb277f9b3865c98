import type { Log, Mail, Mailer, Platform } from '../ports/ports.ts';
import { faultOf } from '../values/caught.ts';

/**
 * Writes mails to the log, for deployments without a mail sender: their operator forwards them. A mail contains keys
 * and tokens, so this is the only place where the log does, too (docs/reference/accounts.md#confirmation).
 */
export function loggingMailer(log: Log): Mailer {
  return {
    send: ({ to, subject, text }) => {
      log({ level: 'info', message: 'mail', to, subject, text });
      return Promise.resolve();
    },
  };
}

/**
 * Sends a mail after a completed action: a failure is logged and does not undo the action, and the mail can be
 * requested again.
 */
export async function sendAfterwards(
  { mailer, log }: Pick<Platform, 'mailer' | 'log'>,
  requestId: string,
  mail: Mail,
): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (error) {
    log({ level: 'error', message: 'a mail could not be sent', requestId, ...faultOf(error) });
  }
}
