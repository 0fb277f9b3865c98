import { commitOperations, type StoredTables, type TableOperation } from '../tables.ts';
import type { Layer } from './layer.ts';

/** Key of the counters table with the state of the log. */
export const logStateKey = 'LOG';

const chunkSize = 2000; // operations of one commit: passing them to LMDB takes some 2 ms of the event loop

/** What the tables get. */
export interface Application {
  readonly layer: Layer;
  /** Operations that follow those of the layer, in one commit; none when absent. */
  readonly more?: readonly TableOperation[];
  /** The state of the log that holds then, as a text; undefined without a log. */
  readonly state: string | undefined;
}

/**
 * Applies operations, some in each commit, and the state with the last ones. What a crash leaves undone is done again
 * from the log: an operation may be applied twice.
 *
 * @throws the error of the disk or of LMDB; the last commit was not made then
 */
export async function applyLayer(
  stored: StoredTables,
  { layer, more = [], state }: Application,
): Promise<void> {
  let chunk: TableOperation[] = [];
  for (const operation of layer.operations()) {
    chunk.push(operation);
    if (chunk.length < chunkSize) continue;
    await commitOperations(stored, chunk);
    chunk = [];
  }
  chunk.push(...more);
  if (state !== undefined) chunk.push({ table: 'counters', key: logStateKey, value: state });
  if (chunk.length > 0) await commitOperations(stored, chunk);
}
