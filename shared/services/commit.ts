import type { Actor } from '../domain/access.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Write } from '../store/store.ts';
import type { Platform } from './ports.ts';

/** What a commit needs to know of the call that it is for. */
export interface Committer {
  readonly platform: Pick<Platform, 'store' | 'ids'>;
  readonly actor: Actor;
}

/**
 * Writes what a client asked for, all or nothing.
 *
 * @returns the version that the items written now have
 * @throws ConditionFailed when somebody was faster
 */
export async function commit(by: Committer, writes: readonly Write[]): Promise<string> {
  const id = by.platform.ids.random();
  await by.platform.store.write({
    id,
    change: { actor: actorName(by.actor), cause: 'client', depth: 0 },
    writes,
  });
  return id;
}

/** Who acts, as notifications name it (reference: channel messages). */
function actorName(actor: Actor): JsonObject {
  switch (actor.kind) {
    case 'anonymous':
      return {};
    case 'admin':
      return { admin: actor.account };
    case 'apiKey':
      return actor.user === undefined
        ? { api_key: actor.key }
        : { api_key: actor.key, user: actor.user.id };
  }
}
