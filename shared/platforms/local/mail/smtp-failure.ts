import { MailError } from '../../../ports/ports.ts';
import { codeOf } from '../../../values/caught.ts';

const aboutTheMail = ['MAIL FROM', 'RCPT TO', 'DATA']; // a rejection of other commands is one of the login

/**
 * Returns what an error of the SMTP library means for the mail. Its message has only codes: a mail server may repeat the
 * mail's content, with its token, or the password of the log-in.
 *
 * @param isHandedOver whether the content was transmitted, at least in part
 */
export function mailFailure(error: unknown, isHandedOver: boolean): MailError {
  const { responseCode, response, command, originalCode } = error as SmtpError; // the library's, or one without these members
  const where = aboutTheMail.find((each) => command?.startsWith(each));
  if (!responseCode || responseCode < 400) {
    const reason = originalCode ?? codeOf(error) ?? 'closed';
    const text = `the connection to the mail server failed: ${reason}`;
    return new MailError(isHandedOver ? 'unconfirmed' : 'temporary', text);
  }
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1];
  const codes = status === undefined ? responseCode : `${responseCode} ${status}`;
  const text = `the mail server responded ${codes} to ${where ?? 'the log-in'}`;
  const isFinal = responseCode >= 500 && where !== undefined;
  return new MailError(isFinal ? 'rejected' : 'temporary', text);
}

interface SmtpError {
  readonly responseCode?: number | false;
  /** Code of a system error whose `code` the library has replaced. */
  readonly originalCode?: string;
  readonly response?: string;
  readonly command?: string;
}
