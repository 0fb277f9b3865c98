/** When mails of one purpose were sent to an address; it expires. */
export interface MailsSentData {
  /** Epoch seconds, the oldest first; those of the last hour. */
  readonly sentAt: readonly number[];
}

/** What a mail is for. */
export type MailPurpose = 'activate' | 'reset' | 'invite';
