import type { Log, Mail, Mailer, Platform } from '../platform/ports.ts';
import { causeOf } from '../values/caught.ts';

/**
 * Writes mails into the log, for deployments without a mail sender: their operator passes on what stands there.
 * A mail holds keys and tokens, so this is the one place where the log does too
 * (docs/reference/accounts.md#confirmation).
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
 * Sends a mail that follows from something that is done already: a failure is logged and does not undo it, and the
 * mail can be asked for again.
 */
export async function sendAfterwards(
  { mailer, log }: Pick<Platform, 'mailer' | 'log'>,
  requestId: string,
  mail: Mail,
): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (error) {
    const cause = causeOf(error);
    log({ level: 'error', message: 'a mail could not be sent', requestId, cause });
  }
}
