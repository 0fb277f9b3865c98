import { sessionKey } from '../../accounts/keys.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Stored, Write } from '../../store/store.ts';
import { createItem, deleteIfExists } from '../../store/writes.ts';
import { sessionEntity } from '../../table/entities/user-accounts.ts';
import type { UserData } from '../../table/records/records.ts';
import type { SessionData, SessionProof } from '../../table/records/user-accounts.ts';
import { maxSessions, sessionIdleSeconds } from '../../values/bounds.ts';
import { isOpenSession } from '../../values/keys/open-session.ts';
import { timestamp } from '../../values/timestamp.ts';

/** A session that begins. */
export interface NewSession {
  /** Data id. */
  readonly instance: number;
  /** As it is after the writes that begin the session: the session ends with its generation, and with a guest. */
  readonly user: Pick<UserData, 'id' | 'generation' | 'guestUntil'>;
  readonly proof: SessionProof;
  /** Name of the service, where the user came from one. */
  readonly provider?: string | undefined;
  /** When the user proved who it is, in seconds, where that was not now. */
  readonly provedAt?: number;
}

/** Key of a session, which works once the writes are committed. */
export interface PlannedSession {
  readonly key: string;
  readonly writes: readonly Write[];
}

type Sources = Pick<Platform, 'store' | 'secrets' | 'ids' | 'clock'>;

/** Plans a new session of a user; it replaces sessions that have ended, and the oldest of too many. */
export async function planSession(
  platform: Sources,
  { instance, user, proof, provider, provedAt }: NewSession,
): Promise<PlannedSession> {
  const { store, secrets, ids, clock } = platform;
  const { version } = await secrets.current();
  const micros = clock.micros();
  const now = Math.floor(micros / 1_000_000);
  const data: SessionData = {
    number: (Number.parseInt(ids.random().slice(0, 8), 16) % 0xffff_fffe) + 1,
    secret_version: version,
    generation: user.generation,
    proof,
    ...(provider !== undefined && { provider }),
    created_at: timestamp(micros),
    provedAt: provedAt ?? now,
    usedAt: now,
    until: Math.min(now + sessionIdleSeconds, user.guestUntil ?? Number.MAX_SAFE_INTEGER),
  };
  const before = await sessionEntity.list(store, [instance, user.id], { limit: mostStored });
  const write = createItem(sessionEntity, sessionEntity.key(instance, user.id, data.number), data);
  return {
    key: await sessionKey(secrets, { instance, user: user.id }, data),
    writes: [
      { ...write, expiresAt: data.until },
      ...replacedBy(before.items, user, now).map(({ key }) => deleteIfExists(key)),
    ],
  };
}

/** Plans the session that replaces another one, because the user has a new key. It proves no more than that one. */
export function planNextSession(
  platform: Sources,
  { instance, user, session }: Pick<NewSession, 'instance' | 'user'> & { session: SessionData },
): Promise<PlannedSession> {
  const { proof, provider, provedAt } = session;
  return planSession(platform, { instance, user, proof, provider, provedAt });
}

const mostStored = 1000; // concurrent requests may begin a few more than the most
const mostDeleted = 50; // in one transaction

/** Returns sessions that end when another one begins. */
function replacedBy(
  stored: readonly Stored<SessionData>[],
  user: NewSession['user'],
  now: number,
): readonly Stored<SessionData>[] {
  const [open, ended] = [true, false].map((isOpen) =>
    stored.filter(({ data }) => isOpenSession(data, user, now) === isOpen),
  ) as [Stored<SessionData>[], Stored<SessionData>[]];
  const oldest = open.toSorted((one, other) => one.data.usedAt - other.data.usedAt);
  const surplus = oldest.slice(0, Math.max(0, open.length + 1 - maxSessions));
  return [...surplus, ...ended].slice(0, mostDeleted);
}
