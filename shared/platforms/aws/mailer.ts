import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { type Mail, MailError, type Mailer } from '../../ports/ports.ts';
import { errorName } from '../../values/caught.ts';
import { withAsciiDomain } from '../../values/values.ts';
import { clientLimits, naming } from './sdk/client.ts';

/** Options of outgoing mails. */
export interface MailerOptions {
  /** Sender, an address or domain that SES has verified: `Groundwork <no-reply@example.com>`. */
  readonly from: string;
  /** Created with the first mail when absent. */
  readonly client?: SESv2Client;
}

const sdk = () => import('@aws-sdk/client-sesv2'); // most functions never send a mail
const limits = { requestMs: 5000, maxAttempts: 1 }; // a repeated request could send a mail twice

/** Opens a mailer that sends by SES. Sends no request by itself. */
export function openMailer({ from, client }: MailerOptions): Mailer {
  let opened: SESv2Client | undefined;
  const sendBy = async (mail: Mail) => {
    const { SESv2Client, SendEmailCommand } = await sdk();
    opened ??= naming(client ?? new SESv2Client(clientLimits(limits)));
    await opened.send(new SendEmailCommand(requestOf(from, mail)));
  };
  return {
    delivery: 'direct',
    send: async (mail, { handOver } = {}) => {
      if (handOver === undefined) return sendBy(mail);
      await handOver();
      try {
        await sendBy(mail);
      } catch (error) {
        throw jobFailure(error);
      }
    },
  };
}

function requestOf(from: string, { to, subject, text, html }: Mail) {
  return {
    FromEmailAddress: from,
    Destination: { ToAddresses: [withAsciiDomain(to)] },
    Content: {
      Simple: {
        Subject: content(subject),
        Body: { Text: content(text), ...(html !== undefined && { Html: content(html) }) },
      },
    },
  };
}

/**
 * Returns what an error of SES means for the mail of a job. Without a response, or with one of a server error, the mail
 * may have been sent. Its message has only names: a text of SES may contain the address.
 */
function jobFailure(error: unknown): MailError {
  const name = errorName(error);
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } }; // the SDK's, or one without it
  const status = $metadata?.httpStatusCode ?? 500;
  const text = `SES responded ${name}`;
  if (status >= 500) return new MailError('unconfirmed', text);
  return new MailError(status === 429 || isPause.test(name) ? 'temporary' : 'rejected', text);
}

const isPause = /^(TooManyRequests|LimitExceeded|SendingPaused|Throttling)/;

function content(Data: string) {
  return { Data, Charset: 'UTF-8' };
}
