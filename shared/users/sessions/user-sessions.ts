import { instanceOf } from '../../core/resource/context-values.ts';
import type { Context } from '../../core/routing/route.ts';
import { maintain } from '../../jobs/maintain.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Stored } from '../../store/store.ts';
import { deleteIfExists } from '../../store/writes.ts';
import { sessionEntity } from '../../table/entities/user-accounts.ts';
import type { UserData } from '../../table/records/records.ts';
import type { SessionData } from '../../table/records/user-accounts.ts';
import { isOpenSession } from '../../values/keys/open-session.ts';

/** Returns the sessions of a user that have not ended. */
export async function openSessionsOf(
  context: Context,
  user: UserData,
): Promise<readonly Stored<SessionData>[]> {
  const { store, clock } = context.platform;
  const now = clock.micros() / 1_000_000;
  const stored = await sessionEntity.listAll(store, [instanceOf(context), user.id]);
  return stored.filter(({ data }) => isOpenSession(data, user, now));
}

/** Ends sessions of a user, and returns their number. */
export async function endSessions(
  context: Context,
  user: UserData,
  isMeant: (session: SessionData) => boolean,
): Promise<number> {
  const sessions = await openSessionsOf(context, user);
  const meant = sessions.filter(({ data }) => isMeant(data));
  await deleteSessions(context.platform, meant);
  return meant.length;
}

/** Deletes what is stored of the sessions of a user that was deleted. */
export async function clearSessions(
  platform: Pick<Platform, 'store' | 'ids'>,
  { instance, user }: { readonly instance: number; readonly user: number },
): Promise<void> {
  await deleteSessions(platform, await sessionEntity.listAll(platform.store, [instance, user]));
}

const writesAtOnce = 100;

async function deleteSessions(
  platform: Pick<Platform, 'store' | 'ids'>,
  sessions: readonly Stored<SessionData>[],
): Promise<void> {
  for (let at = 0; at < sessions.length; at += writesAtOnce) {
    const some = sessions.slice(at, at + writesAtOnce);
    await maintain(
      platform,
      some.map(({ key }) => deleteIfExists(key)),
    );
  }
}
