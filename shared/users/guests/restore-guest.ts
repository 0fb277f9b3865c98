import { newJob } from '../../jobs/jobs.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Put } from '../../store/store.ts';
import { putItem } from '../../store/writes.ts';
import { guestPlaceEntity } from '../../table/entities/user-accounts.ts';
import type { UserData } from '../../table/records/records.ts';
import { removeGuest } from './remove-guest.ts';

const restoreMs = 24 * 3_600_000; // a restore has ended by then

/** Returns the puts by which a restored guest has its place and its end again; none for another user. */
export function guestPuts(
  platform: Pick<Platform, 'clock' | 'ids'>,
  instance: number,
  { id: user, guestUntil, guestPlace }: UserData,
): readonly Put[] {
  if (guestUntil === undefined || guestPlace === undefined) return [];
  const due = Math.max(guestUntil * 1000, platform.clock.micros() / 1000 + restoreMs);
  const place = putItem(guestPlaceEntity, guestPlaceEntity.key(instance, guestPlace), { user });
  return [
    { ...place, expiresAt: Math.floor(due / 1000) },
    newJob(platform, removeGuest, { instance, user }, due),
  ];
}
