import { type Actor, depthOf } from '../values/access.ts';
import type { ApiError } from '../values/errors/errors.ts';
import type { JsonObject } from '../values/json/json.ts';
import {
  ConditionFailed,
  type Store,
  type Transaction,
  type Write,
  type WriteCause,
} from './store.ts';

/** The parts of a request that its commit needs. */
export interface Committer {
  readonly platform: { readonly store: Store; readonly ids: { random(): string } };
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
  await by.platform.store.write({ id, change: changeBy(by.actor), writes });
  return id;
}

/**
 * Commits groups of writes that a client requested, each all or nothing and independently of the others, in any order.
 *
 * @returns one promise for each, in their order; it rejects with ConditionFailed on a write conflict
 */
export function commitEach(
  { platform: { store, ids }, actor }: Committer,
  groups: readonly (readonly Write[])[],
): readonly Promise<void>[] {
  const change = changeBy(actor);
  const transactions = groups.map((writes) => ({ id: ids.random(), change, writes }));
  return writeEach(store, transactions);
}

/** Applies transactions, each as `write` of the store does and independently of the others, in any order. */
export function writeEach(
  store: Pick<Store, 'write' | 'writeAll'>,
  transactions: readonly Transaction[],
): readonly Promise<void>[] {
  return store.writeAll?.(transactions) ?? transactions.map((each) => store.write(each));
}

function changeBy(actor: Actor): WriteCause {
  return { actor: actorName(actor), cause: 'client', depth: depthOf(actor) };
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
    throw uniqueError(error, writes, conflictError);
  }
}

/** Returns the error for a create whose key is taken, given the error of its commit; any other error as it is. */
export function uniqueError(
  error: unknown,
  writes: readonly Write[],
  conflictError: (write: Write) => ApiError | undefined,
): unknown {
  const failed = error instanceof ConditionFailed ? writes[error.index] : undefined;
  return (failed?.condition.kind === 'absent' ? conflictError(failed) : undefined) ?? error;
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
