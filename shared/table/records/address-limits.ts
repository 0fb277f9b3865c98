import type { UserMailPurpose } from './user-accounts.ts';

/** Failed attempts to log in. */
export interface AttemptsData {
  readonly count: number;
  /** Epoch seconds of the last one. */
  readonly at: number;
  /** Epoch seconds when they expire. */
  readonly until: number;
}

/** Addresses from which a name has logged in, the latest first. */
export interface KnownAddressesData {
  readonly addresses: readonly KnownAddress[];
}

/** An address, in the form used for limiting attempts, and when it was stored. */
export interface KnownAddress {
  readonly address: string;
  /** Epoch seconds. */
  readonly at: number;
}

/** Times when mails of one purpose were sent to an address; expires. */
export interface MailsSentData {
  /** Epoch seconds, the oldest first; those of the last hour. */
  readonly sentAt: readonly number[];
}

/** Purpose of a mail. */
export type MailPurpose = 'activate' | 'invite' | UserMailPurpose | 'any';

/** Mails to users in a day. */
export interface UserMailCountData {
  /** Those within the limits. */
  readonly sent: number;
  /** Those that exceeded a limit and were dropped. */
  readonly dropped: number;
}
