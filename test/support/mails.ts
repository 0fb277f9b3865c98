import type { Api } from './api.ts';

/** A mail, which a deployment without a sender writes into its log. */
export interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Every mail so far to an address, the oldest first. */
export function mailsTo({ logged }: Api, address: string): readonly SentMail[] {
  return logged.flatMap(({ message, to, subject, text }) =>
    message === 'mail' && to === address
      ? [{ to, subject: String(subject), text: String(text) }]
      : [],
  );
}

/** What the newest mail to an address proves with; `undefined` values where there was none. */
export function proofTo(api: Api, address: string) {
  const text = mailsTo(api, address).at(-1)?.text ?? '';
  return { uid: /^uid: (.*)$/m.exec(text)?.[1], token: /^token: (.*)$/m.exec(text)?.[1] };
}
