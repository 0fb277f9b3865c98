import { maintain } from '../jobs/maintain.ts';
import { unlessConflict } from '../jobs/write-conflict.ts';
import type { Meter, Platform } from '../ports/ports.ts';
import type { Stored } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';
import type { SessionData } from '../table/records/user-accounts.ts';
import { maxNotedSessions, sessionIdleSeconds, sessionUseSeconds } from '../values/bounds.ts';
import { faultOf } from '../values/caught.ts';

/** Uses of sessions that are not written yet. */
interface SessionUses {
  readonly note: Meter['noteSession'];
  /** Returns the writes of all uses, which never reject, and starts with none. */
  take(): readonly (() => Promise<void>)[];
}

type Services = Pick<Platform, 'store' | 'clock' | 'ids' | 'log'>;

/** Opens the notes of a process about the use of sessions, by which they last longer. */
export function openSessionUses(services: Services): SessionUses {
  let noted = new Map<string, () => Promise<void>>();
  return {
    note: (session, end = Number.MAX_SAFE_INTEGER) => {
      const usedAt = Math.floor(services.clock.micros() / 1_000_000);
      if (usedAt - session.data.usedAt < sessionUseSeconds) return;
      const name = `${session.key.pk} ${session.key.sk}`;
      if (noted.has(name) || noted.size >= maxNotedSessions) return;
      const until = Math.min(usedAt + sessionIdleSeconds, end);
      noted.set(name, () => write(services, session, { usedAt, until }));
    },
    take: () => {
      const taken = [...noted.values()];
      noted = new Map();
      return taken;
    },
  };
}

/** Writes a use, unless the session was ended or written since. A failed one is noted again by the next request. */
async function write(
  services: Services,
  session: Stored<SessionData>,
  use: Pick<SessionData, 'usedAt' | 'until'>,
): Promise<void> {
  const put = updateItem(session, { ...session.data, ...use });
  try {
    await unlessConflict(maintain(services, [{ ...put, expiresAt: use.until }]));
  } catch (error) {
    const message = 'the use of a session could not be written';
    services.log({ level: 'error', message, ...faultOf(error) });
  }
}
