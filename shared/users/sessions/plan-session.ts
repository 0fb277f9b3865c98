import { sessionKey } from '../../accounts/keys.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Write } from '../../store/store.ts';
import { createItem } from '../../store/writes.ts';
import { sessionEntity } from '../../table/entities/user-accounts.ts';
import type { UserData } from '../../table/records/records.ts';
import type { SessionData, SessionProof } from '../../table/records/user-accounts.ts';
import { timestamp } from '../../values/timestamp.ts';

/** Seconds without use after which a session ends (docs/reference/user-accounts.md#sessions). */
export const sessionIdleSeconds = 90 * 24 * 3600;

/** A session that begins. */
export interface NewSession {
  /** Data id. */
  readonly instance: number;
  /** As it is after the writes that begin the session: the session ends with its generation. */
  readonly user: UserData;
  readonly proof: SessionProof;
  /** Name of the service, where the user came from one. */
  readonly provider?: string;
  /** End in seconds where it is earlier than by disuse, as of a guest. */
  readonly until?: number | undefined;
}

/**
 * Plans a new session of a user.
 *
 * @returns its key, which works once the writes are committed
 */
export async function planSession(
  { secrets, ids, clock }: Pick<Platform, 'secrets' | 'ids' | 'clock'>,
  { instance, user, proof, provider, until }: NewSession,
): Promise<{ readonly key: string; readonly writes: readonly Write[] }> {
  const micros = clock.micros();
  const now = Math.floor(micros / 1_000_000);
  const number = Number.parseInt(ids.random().slice(0, 8), 16) % 0xffff_fffe;
  const data: SessionData = {
    number: number + 1,
    generation: user.generation,
    proof,
    ...(provider !== undefined && { provider }),
    created_at: timestamp(micros),
    provedAt: now,
    usedAt: now,
    until: Math.min(now + sessionIdleSeconds, until ?? Number.MAX_SAFE_INTEGER),
  };
  const key = sessionEntity.key(instance, user.id, data.number);
  const write = { ...createItem(sessionEntity, key, data), expiresAt: data.until };
  return { key: await sessionKey(secrets, instance, user, data.number), writes: [write] };
}
