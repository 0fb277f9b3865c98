import type { Platform } from '../platform/ports.ts';
import { type Actor, depthOf } from '../values/access.ts';
import type { ApiError } from '../values/errors/errors.ts';
import type { JsonObject } from '../values/json/json.ts';
import { type Change, ConditionFailed, type Write } from './store.ts';

/** The parts of a request that its commit needs. */
export interface Committer {
  readonly platform: Pick<Platform, 'store' | 'ids'>;
  readonly actor: Actor;
}

/**
 * Commits writes that a client requested, all or nothing.
 *
 * @returns the version of the written items
 * @throws ConditionFailed on a write conflict
 */
export async function commit(by: Committer, writes: readonly Write[]): Promise<string> {
  const id = by.platform.ids.random();
  const change: Change = { actor: actorName(by.actor), cause: 'client', depth: depthOf(by.actor) };
  await by.platform.store.write({ id, change, writes });
  return id;
}

/**
 * Commits writes of which some create names or values that must be unique.
 *
 * @param conflictError the error for a create whose key is taken; undefined: an ordinary write conflict
 */
export async function commitUnique(
  by: Committer,
  writes: readonly Write[],
  conflictError: (write: Write) => ApiError | undefined,
): Promise<string> {
  try {
    return await commit(by, writes);
  } catch (error) {
    const failed = error instanceof ConditionFailed ? writes[error.index] : undefined;
    throw (failed?.condition.kind === 'absent' ? conflictError(failed) : undefined) ?? error;
  }
}

/** Returns the actor as notifications name it. */
export function actorName(actor: Actor): JsonObject {
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
