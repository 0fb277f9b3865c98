import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { maintain } from '../../jobs/maintain.ts';
import type { Platform } from '../../ports/ports.ts';
import { putItem } from '../../store/writes.ts';
import { userCodeEntity } from '../../table/entities/user-accounts.ts';
import { encodeText } from '../../table/index-keys.ts';
import type { UserCodeData, UserMailAbout } from '../../table/records/user-accounts.ts';

/** What a code is for. */
export type CodeUse = NonNullable<UserMailAbout['use']>;

/** A code counts for ten minutes (docs/reference/user-accounts.md#codes). */
export const codeSeconds = 600;
const digits = 6;

/** An address, and what a code for it allows. */
export interface CodeSubject {
  /** Data id. */
  readonly instance: number;
  readonly email: string;
  readonly use: CodeUse;
}

/**
 * Makes a code for the mail that is being sent; it replaces an earlier one. Only its MAC is stored.
 *
 * @param about.key id of the API key of the request
 */
export async function issueCode(
  platform: Pick<Platform, 'store' | 'ids' | 'clock' | 'secrets'>,
  about: CodeSubject & { readonly key: number },
): Promise<string> {
  const code = String(randomInt(10 ** digits)).padStart(digits, '0');
  const { version, secret } = await platform.secrets.current();
  const until = Math.floor(platform.clock.micros() / 1_000_000) + codeSeconds;
  const mac = `${version}.${macOf(secret, about, code).toString('hex')}`;
  const data: UserCodeData = { mac, tries: 0, key: about.key, until };
  const write = putItem(userCodeEntity, codeKey(about), data);
  await maintain(platform, [{ ...write, expiresAt: until }]);
  return code;
}

/** Checks a code against a stored MAC. */
export async function isCode(
  { secrets }: Pick<Platform, 'secrets'>,
  subject: CodeSubject,
  { code, mac }: { readonly code: string; readonly mac: string },
): Promise<boolean> {
  const [version = '', hex = ''] = mac.split('.');
  const found = (await secrets.get(Number(version))) ?? (await secrets.current());
  const expected = macOf(found.secret, subject, code);
  const stored = Buffer.from(hex, 'hex');
  return stored.length === expected.length && timingSafeEqual(stored, expected);
}

/** Returns the key of the code of an address. */
export function codeKey({ instance, email, use }: CodeSubject) {
  return userCodeEntity.key(instance, use, encodeText(email));
}

function macOf(secret: Uint8Array, { instance, email, use }: CodeSubject, code: string): Buffer {
  return createHmac('sha256', secret)
    .update(`user code ${JSON.stringify([use, instance, email, code])}`)
    .digest();
}
