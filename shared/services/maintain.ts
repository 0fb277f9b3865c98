import type { Change, Write } from '../store/store.ts';
import type { Platform } from './ports.ts';

const maintenance: Change = { actor: {}, cause: 'maintenance', depth: 0 };

/**
 * Writes what no client asked for, all or nothing: nothing follows from it.
 *
 * @returns the version that the items written now have
 * @throws ConditionFailed when somebody was faster
 */
export async function maintain(
  { store, ids }: Pick<Platform, 'store' | 'ids'>,
  writes: readonly Write[],
): Promise<string> {
  const id = ids.random();
  await store.write({ id, change: maintenance, writes });
  return id;
}
