import type { Log, Mailer } from '../../ports/ports.ts';

/**
 * Writes mails to the log, for deployments without a mail sender: their operator forwards them. A mail contains keys
 * and tokens, so this is the only place where the log does, too (docs/reference/accounts.md#confirmation).
 */
export function loggingMailer(log: Log): Mailer {
  return {
    delivery: 'log',
    send: ({ to, subject, text }) => {
      log({ level: 'info', message: 'mail', to, subject, text });
      return Promise.resolve();
    },
  };
}
