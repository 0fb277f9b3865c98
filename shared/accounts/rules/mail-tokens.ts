import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * Tokens in mails that prove that the reader owns the address: `<seconds in base 36>-<MAC in hex>`. They are derived,
 * not stored: the MAC covers their purpose, the account, the time, and a state of the account; a change of the state
 * invalidates them.
 */

const lifetimeSeconds = 3 * 24 * 3600; // docs/reference/accounts.md#confirmation
const macBytes = 20;

/** Purpose of a token: to confirm an address, or to set a new password. */
export type TokenPurpose = 'activate' | 'reset';

/** Values that a token is bound to. */
export interface TokenSubject {
  readonly purpose: TokenPurpose;
  readonly account: number;
  /** Text of the state in which the token is valid. */
  readonly state: string;
}

/**
 * Returns what a token of an account is bound to: it expires when the address or the password changes
 * (docs/reference/accounts.md#confirmation).
 *
 * @param hash of the password; absent when there is none
 */
export function tokenSubject(
  purpose: TokenPurpose,
  { id, email }: { readonly id: number; readonly email: string },
  hash: string | undefined,
): TokenSubject {
  return { purpose, account: id, state: `${email} ${hash ?? ''}` };
}

export function mailToken(secret: Uint8Array, subject: TokenSubject, nowSeconds: number): string {
  const at = Math.floor(nowSeconds);
  return `${at.toString(36)}-${macOf(secret, subject, at).toString('hex')}`;
}

/** Checks whether a token was created for this subject within the last three days. */
export function isMailToken(
  token: string,
  secret: Uint8Array,
  subject: TokenSubject,
  nowSeconds: number,
): boolean {
  const parts = /^([0-9a-z]{1,9})-([0-9a-f]{40})$/.exec(token);
  if (parts === null) return false;
  const at = Number.parseInt(parts[1] ?? '', 36);
  const isInTime = at <= nowSeconds + 1 && nowSeconds - at <= lifetimeSeconds;
  const expected = macOf(secret, subject, at);
  return timingSafeEqual(expected, Buffer.from(parts[2] ?? '', 'hex')) && isInTime;
}

/** Returns the `uid` of an account in mails: its id in URL-safe base64. */
export function mailUid(account: number): string {
  return Buffer.from(String(account)).toString('base64url');
}

/** Returns the account id of a `uid`; undefined when it is invalid. */
export function accountOfUid(uid: string): number | undefined {
  const text = Buffer.from(uid, 'base64url').toString('latin1');
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

function macOf(secret: Uint8Array, { purpose, account, state }: TokenSubject, at: number): Buffer {
  const text = [purpose, account, at, state].join('\n');
  return createHmac('sha256', secret).update(text).digest().subarray(0, macBytes);
}
