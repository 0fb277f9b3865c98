/** Whether users of an instance have an address. */
export const emailModes = ['off', 'optional', 'required'] as const;
export type EmailMode = (typeof emailModes)[number];

/** Whether an address counts before its owner has proved it. */
export const confirmModes = ['optional', 'required'] as const;
export type ConfirmMode = (typeof confirmModes)[number];

/** Letters to users whose texts an instance may change. */
export const userLetters = [
  'register',
  'registered',
  'confirm',
  'reset',
  'code',
  'changed',
  'deleted',
] as const;
export type UserLetter = (typeof userLetters)[number];

/** Kinds of services for log-ins by redirect. */
export const providerKinds = ['oidc', 'google', 'github', 'apple', 'facebook'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** A service for log-ins by redirect. */
export interface UserProviderData {
  /** As in paths. */
  readonly name: string;
  readonly kind: ProviderKind;
  readonly client_id: string;
  /** Sealed by the vault; of Apple: the private key of which its secret is made. */
  readonly secret?: string;
  /** Issuer of a service of kind `oidc`. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  /** Ids of team and key, at Apple. */
  readonly team_id?: string;
  readonly key_id?: string;
}

/** Text of one letter, as templates. */
export interface UserMailText {
  readonly subject: string;
  readonly text: string;
}

/** Settings of the users of an instance; without an item everything is off. */
export interface UserSettingsData {
  readonly email: EmailMode;
  readonly confirmed: ConfirmMode;
  readonly guests: boolean;
  /** Whether users log in by a code in a mail. */
  readonly codes: boolean;
  readonly providers: readonly UserProviderData[];
  /** Addresses of the app's pages that links and log-ins may lead to. */
  readonly redirects: readonly string[];
  readonly mails: Readonly<Partial<Record<UserLetter, UserMailText>>>;
}

/** The user that has an address. */
export interface UserAddressData {
  readonly user: number;
}

/** How a session began. */
export const sessionProofs = ['password', 'email', 'code', 'guest', 'provider', 'key'] as const;
export type SessionProof = (typeof sessionProofs)[number];

/** A session of a user; it expires. */
export interface SessionData {
  readonly number: number;
  /** Version of the master secret of its key. */
  readonly secret_version: number;
  /** Of the user's key when the session began: the next one ends it. */
  readonly generation: number;
  readonly proof: SessionProof;
  /** Name of the service, of a session that began there. */
  readonly provider?: string;
  readonly created_at: string;
  /** When its user last proved who it is, in seconds. */
  readonly provedAt: number;
  /** Last use, in seconds, at most a day old. */
  readonly usedAt: number;
  /** End, in seconds. */
  readonly until: number;
}

/** A guest that takes a place; it expires. */
export interface GuestPlaceData {
  readonly user: number;
}

/** Mark that a token was used; it expires with the token. */
export interface UsedTokenData {
  readonly at: number;
}

/** A code that was sent to an address, for one purpose; it expires. */
export interface UserCodeData {
  /** MAC of the code. */
  readonly mac: string;
  /** Wrong codes so far. */
  readonly tries: number;
  /** Id of the API key with which it was requested. */
  readonly key: number;
  /** End, in seconds. */
  readonly until: number;
}

/** A code with which another client logs in to an account. */
export interface AccountCode {
  /** Digest of the code: its text is not stored. */
  readonly digest: string;
  /** Digest of a text that only the other client has. */
  readonly challenge: string;
  /** Of the account's key when the code was made: the next one ends it. */
  readonly generation: number;
  /** End, in seconds. */
  readonly until: number;
}

/** The codes of an account that were not used yet, the oldest first; they expire with the last one. */
export interface AccountCodesData {
  readonly codes: readonly AccountCode[];
}

/** Purposes of mails to users of an instance. The job that sends one decides by the address which letter is written. */
export const userMailPurposes = [
  'register',
  'confirm',
  'reset',
  'code',
  'changed',
  'deleted',
] as const;
export type UserMailPurpose = (typeof userMailPurposes)[number];

/** What a mail to a user of an instance is about. */
export type UserMailAbout = {
  readonly purpose: UserMailPurpose;
  /** Data id. */
  readonly instance: number;
  /** As the request has it, with a domain in ASCII. */
  readonly email: string;
  /** Id of the API key of the request; 0 without. */
  readonly key: number;
  /** Id of the user who is signed in; 0: the address decides. */
  readonly user: number;
  /** Generation of that user's key at the request, and its time in microseconds: a mail that waits is void after a change. */
  readonly asked?: { readonly generation: number; readonly at: number };
  /** One of the app's pages, for the link; absent: a plain page of ours. */
  readonly redirect?: string;
  /** Of a code: what it is for. */
  readonly use?: 'log-in' | 'delete';
};
