import type { Api } from './api.ts';

/** A mail, which a deployment without a sender writes into its log. */
export interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Returns every mail so far to an address, the oldest first. */
export function mailsTo({ logged }: Api, address: string): readonly SentMail[] {
  return logged.flatMap(({ message, to, subject, text }) =>
    message === 'mail' && to === address
      ? [{ to, subject: String(subject), text: String(text) }]
      : [],
  );
}

/** Returns the tokens of the newest mail to an address; `undefined` values without mail. */
export function proofTo(api: Api, address: string) {
  const text = mailsTo(api, address).at(-1)?.text ?? '';
  return { uid: /^uid: (.*)$/m.exec(text)?.[1], token: /^token: (.*)$/m.exec(text)?.[1] };
}

/** Returns the token of the link in the newest mail to a user of an app. */
export function linkTokenTo(api: Api, address: string): string | undefined {
  return /#token=([^&\s]+)/.exec(mailsTo(api, address).at(-1)?.text ?? '')?.[1];
}

/** Returns the code in the newest mail to a user of an app. */
export function codeTo(api: Api, address: string): string | undefined {
  return /\b\d{6}\b/.exec(mailsTo(api, address).at(-1)?.text ?? '')?.[0];
}
