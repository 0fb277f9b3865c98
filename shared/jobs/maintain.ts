import type { Platform } from '../ports/ports.ts';
import type { Write, WriteCause } from '../store/store.ts';

type Writer = Pick<Platform, 'store' | 'ids'>;

/**
 * Commits writes that no client requested, all or nothing: nothing follows from them.
 *
 * @returns the version of the written items
 * @throws ConditionFailed on a write conflict
 */
export function maintain(by: Writer, writes: readonly Write[]): Promise<string> {
  return writeFor(by, 'maintenance', writes);
}

/**
 * Commits writes that follow from a client's request, all or nothing.
 *
 * @returns the version of the written items
 * @throws ConditionFailed on a write conflict
 */
export function cascade(by: Writer, writes: readonly Write[]): Promise<string> {
  return writeFor(by, 'cascade', writes);
}

async function writeFor(
  { store, ids }: Writer,
  cause: WriteCause['cause'],
  writes: readonly Write[],
): Promise<string> {
  const id = ids.random();
  await store.write({ id, change: { actor: {}, cause, depth: 0 }, writes });
  return id;
}
