/** Times when mails of one purpose were sent to an address; expires. */
export interface MailsSentData {
  /** Epoch seconds, the oldest first; those of the last hour. */
  readonly sentAt: readonly number[];
}

/** Purpose of a mail. */
export type MailPurpose = 'activate' | 'reset' | 'invite';
