import type { UserMailAbout } from './user-accounts.ts';

/** What a mail of an account is about: its text is written, and its token made, when it is sent. */
export type MailAbout =
  | { readonly purpose: 'activate' | 'reset'; readonly account: number }
  | { readonly purpose: 'invite'; readonly instance: number; readonly invitation: number };

/** What a mail to a user of an instance is about, with a random id: each is a mail of its own. */
export type QueuedUserMail = UserMailAbout & { readonly mail: string };

/** State of a queued mail; `sending`: its content is being handed over. A mail that was sent has no item. */
export type QueuedMailState = 'waiting' | 'sending' | 'unconfirmed' | 'failed';

/** A mail in the queue of a mailer that sends later; expires. */
export interface QueuedMailData {
  readonly about: MailAbout | QueuedUserMail;
  readonly to: string;
  /** Number of requests for this mail. A job of an earlier request has nothing to do. */
  readonly request: number;
  readonly state: QueuedMailState;
  /** Whether a mail to a user is within its limits; absent: it was not counted yet. */
  readonly isCounted?: true;
  /** Attempts that failed. */
  readonly tries: number;
  /** Reason of the last failure, without any text of the mail server. */
  readonly error?: string;
  readonly created_at: string;
  readonly updated_at: string;
}
