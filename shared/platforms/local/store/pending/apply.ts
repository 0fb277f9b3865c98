import { commitOperations, type StoredTables, type TableOperation } from '../tables.ts';
import type { Layer } from './layer.ts';

/** Key of the counters table with the state of the log. */
export const logStateKey = 'LOG';

/**
 * Applies a layer in one commit: the tables have no part of a record at any time, since other processes read them.
 *
 * @param state of the log that holds then, as a text; undefined without a log
 * @throws Error with the cause; nothing was applied then
 */
export function applyLayer(
  stored: StoredTables,
  { layer, state }: { readonly layer: Layer; readonly state: string | undefined },
): Promise<void> {
  const operations: TableOperation[] = [...layer.operations()];
  if (state !== undefined) operations.push({ table: 'counters', key: logStateKey, value: state });
  return commitOperations(stored, operations);
}
