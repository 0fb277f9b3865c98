import { maintain } from '../../jobs/maintain.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import type { Platform } from '../../ports/ports.ts';
import { createOrUpdate } from '../../store/writes.ts';
import { mailsSentEntity } from '../../table/entities/deployment.ts';
import type { MailPurpose, MailsSentData } from '../../table/records/address-limits.ts';
import type { MailAbout } from '../../table/records/mails.ts';
import { withAsciiDomain } from '../../values/values.ts';

const maxMails = 3;
const maxInvitations = 100;
const windowSeconds = 3600;

/** Limit that a mail exceeds: of its address, or of the instance that invites. */
export type ExceededMailLimit = 'address' | 'instance';

/**
 * Counts a mail before it is sent: three in an hour of one purpose to one address, and a hundred invitations of one
 * instance (docs/reference/accounts.md#confirmation).
 *
 * @returns the limit that it exceeds; undefined: it may be sent
 */
export async function takeMail(
  platform: Platform,
  about: MailAbout,
  to: string,
): Promise<ExceededMailLimit | undefined> {
  const { purpose } = about;
  if (!(await takeSlot(platform, { name: oneSpelling(to), purpose, max: maxMails })))
    return 'address';
  if (about.purpose !== 'invite') return undefined;
  const name = `instance ${about.instance}`; // never an address: it has a space and no @
  return (await takeSlot(platform, { name, purpose, max: maxInvitations }))
    ? undefined
    : 'instance';
}

/** Returns the one spelling of an address: many of a domain are one in the DNS. */
export function oneSpelling(address: string): string {
  return withAsciiDomain(address).toLowerCase();
}

/** A mail that is counted for an hour. */
export interface CountedMail {
  /** Of what has the limit: an address, or a text that is none. */
  readonly name: string;
  readonly purpose: MailPurpose;
  readonly max: number;
}

/** Counts under a condition, so that parallel requests cannot exceed the limit. Returns false for a mail beyond it. */
export function takeSlot(
  platform: Pick<Platform, 'store' | 'clock' | 'ids'>,
  { name, purpose, max }: CountedMail,
): Promise<boolean> {
  const key = mailsSentEntity.key(name, purpose);
  return retryOnConflict(async () => {
    const current = await mailsSentEntity.read(platform.store, name, purpose);
    const now = Math.floor(platform.clock.micros() / 1_000_000);
    // a time far ahead is from before the clock was set back
    const recent = (current?.data.sentAt ?? []).filter((at) => Math.abs(now - at) < windowSeconds);
    if (recent.length >= max) return false;
    const data: MailsSentData = { sentAt: [...recent, now] };
    const put = createOrUpdate(mailsSentEntity, { key, current }, data);
    await maintain(platform, [{ ...put, expiresAt: now + windowSeconds }]);
    return true;
  });
}
