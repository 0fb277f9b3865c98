import { oneSpelling, takeSlot } from '../../accounts/mail/mail-limit.ts';
import { maintain } from '../../jobs/maintain.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import type { Platform } from '../../ports/ports.ts';
import { createOrUpdate } from '../../store/writes.ts';
import { userMailCountEntity } from '../../table/entities/deployment.ts';
import type { UserMailCountData } from '../../table/records/address-limits.ts';
import type { UserMailAbout } from '../../table/records/user-accounts.ts';
import { ownerOfData } from '../../values/keys/data-ids.ts';
import { timestamp } from '../../values/timestamp.ts';

const maxOfPurpose = 3; // mails of one purpose in an hour to an address, from one instance
const maxOfAddress = 10; // mails in an hour to an address, from all instances
const usualPerDay = 200; // mails of an instance in a day
const usualTotalPerDay = 2000; // mails of all instances in a day
const keptSeconds = 2 * 24 * 3600;

type Sources = Pick<Platform, 'store' | 'clock' | 'ids' | 'settings'>;

/** Limit that a mail to a user exceeds. */
export type ExceededUserMailLimit = 'address' | 'instance' | 'server';

/**
 * Counts a mail to a user before it is sent (docs/reference/user-accounts.md#limits-of-mails). One beyond a limit is
 * counted as dropped.
 *
 * @returns the limit that it exceeds; undefined: it may be sent
 */
export async function takeUserMail(
  platform: Sources,
  about: Pick<UserMailAbout, 'instance' | 'email' | 'purpose'>,
): Promise<ExceededUserMailLimit | undefined> {
  const { userMailPerDay = usualPerDay, userMailTotalPerDay = usualTotalPerDay } =
    platform.settings;
  const isWithin = await isWithinHour(platform, about);
  if (isWithin && (await countMail(platform, about.instance, userMailPerDay))) {
    if (await countMail(platform, undefined, userMailTotalPerDay)) return undefined;
    await countMail(platform, about.instance, 0);
    return 'server';
  }
  if (isWithin) return 'instance';
  await countMail(platform, about.instance, 0);
  return 'address';
}

/** Returns the mails of an instance to its users today (UTC): those within the limits, and those that were dropped. */
export async function userMailsToday(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  instance: number,
): Promise<UserMailCountData> {
  const found = await userMailCountEntity.read(store, dayOf(clock.micros()), instance);
  return found?.data ?? none;
}

const none: UserMailCountData = { sent: 0, dropped: 0 };

async function isWithinHour(
  platform: Sources,
  { instance, email, purpose }: Pick<UserMailAbout, 'instance' | 'email' | 'purpose'>,
): Promise<boolean> {
  const address = oneSpelling(email);
  const own = `user of ${ownerOfData(instance)} ${address}`; // never an address: it has spaces
  if (!(await takeSlot(platform, { name: own, purpose, max: maxOfPurpose }))) return false;
  return takeSlot(platform, { name: `user ${address}`, purpose: 'any', max: maxOfAddress });
}

/** Counts under a condition, so that parallel jobs cannot exceed the limit. Returns false for a mail beyond it. */
function countMail(platform: Sources, instance: number | undefined, max: number): Promise<boolean> {
  return retryOnConflict(async () => {
    const micros = platform.clock.micros();
    const day = dayOf(micros);
    const key = userMailCountEntity.key(day, instance);
    const current = await userMailCountEntity.read(platform.store, day, instance);
    const { sent, dropped } = current?.data ?? none;
    const isWithin = sent < max;
    const data = isWithin ? { sent: sent + 1, dropped } : { sent, dropped: dropped + 1 };
    const put = createOrUpdate(userMailCountEntity, { key, current }, data);
    const expiresAt = Math.floor(micros / 1_000_000) + keptSeconds;
    await maintain(platform, [{ ...put, expiresAt }]);
    return isWithin;
  });
}

function dayOf(micros: number): string {
  return timestamp(micros).slice(0, 10);
}
