import type { Platform } from '../platform/ports.ts';
import type { Change, Write } from '../store/store.ts';

type Writer = Pick<Platform, 'store' | 'ids'>;

/**
 * Writes what no client asked for, all or nothing: nothing follows from it.
 *
 * @returns the version that the items written now have
 * @throws ConditionFailed when somebody was faster
 */
export function maintain(by: Writer, writes: readonly Write[]): Promise<string> {
  return writeFor(by, 'maintenance', writes);
}

/**
 * Writes what follows from something that a client asked for, all or nothing.
 *
 * @returns the version that the items written now have
 * @throws ConditionFailed when somebody was faster
 */
export function cascade(by: Writer, writes: readonly Write[]): Promise<string> {
  return writeFor(by, 'cascade', writes);
}

async function writeFor(
  { store, ids }: Writer,
  cause: Change['cause'],
  writes: readonly Write[],
): Promise<string> {
  const id = ids.random();
  await store.write({ id, change: { actor: {}, cause, depth: 0 }, writes });
  return id;
}
