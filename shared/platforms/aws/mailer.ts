import type { SESv2Client } from '@aws-sdk/client-sesv2';
import type { Mailer } from '../../ports/ports.ts';
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
  return {
    delivery: 'direct',
    send: async ({ to, subject, text, html }) => {
      const { SESv2Client, SendEmailCommand } = await sdk();
      opened ??= naming(client ?? new SESv2Client(clientLimits(limits)));
      await opened.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [withAsciiDomain(to)] },
          Content: {
            Simple: {
              Subject: content(subject),
              Body: { Text: content(text), ...(html !== undefined && { Html: content(html) }) },
            },
          },
        }),
      );
    },
  };
}

function content(Data: string) {
  return { Data, Charset: 'UTF-8' };
}
