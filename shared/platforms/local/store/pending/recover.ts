import { StartError } from '../../server/start-error.ts';
import type { LogDisk } from '../log/disk.ts';
import {
  createFiles,
  formatState,
  type LogState,
  logFileBytes,
  newState,
  parseState,
  readLogFiles,
  recordsAfter,
} from '../log/log.ts';
import { type LogRecord, operationsOf } from '../log/record.ts';
import { DamagedLog } from '../log/recovery.ts';
import { commitOperations, type StoredTables } from '../tables.ts';
import { applyLayer, logStateKey } from './apply.ts';
import { createLayer, type Layer } from './layer.ts';

interface LogPlace {
  readonly folder: string;
  readonly disk: LogDisk;
}

/**
 * Gives the tables all that their log has; creates the log when they have had none.
 *
 * @returns the state of the tables
 * @throws StartError when the log is gone, damaged, or that of other tables
 */
export async function recoverLog(
  stored: StoredTables,
  { folder, disk }: LogPlace,
): Promise<LogState> {
  const state = readLogState(stored);
  const files = readLogFiles(folder, disk);
  const records = unappliedRecords(files, { state, folder });
  if (state === undefined) return startLog(stored, { folder, disk });
  const recovered = { id: state.id, applied: state.applied + records.length };
  await applyRecords(stored, { state, recovered, records }).catch((error: unknown) => {
    const advice = 'make space on its disk, or restore a backup';
    throw new StartError(`the log of ${folder} cannot be applied: ${advice}`, { cause: error });
  });
  // those of a backup are short
  if (files.some(({ length }) => length < logFileBytes)) await createFiles(folder, disk, recovered);
  return recovered;
}

interface Recovery {
  readonly state: LogState;
  readonly recovered: LogState;
  readonly records: readonly LogRecord[];
}

async function applyRecords(
  stored: StoredTables,
  { state, recovered, records }: Recovery,
): Promise<void> {
  // LMDB crashes when the first commit in a compact copy frees many pages, so that is a small one
  await writeState(stored, state);
  if (records.length === 0) return;
  await applyLayer(stored, { layer: layerOf(records), state: formatState(recovered) });
}

function writeState(stored: StoredTables, state: LogState): Promise<void> {
  const value = formatState(state);
  return commitOperations(stored, [{ table: 'counters', key: logStateKey, value }]);
}

async function startLog(stored: StoredTables, { folder, disk }: LogPlace): Promise<LogState> {
  const state = newState();
  await createFiles(folder, disk, state);
  await writeState(stored, state);
  return state;
}

/** Returns what the tables know of their log; undefined: they have had none. */
export function readLogState({ counters }: StoredTables): LogState | undefined {
  const text = counters.get(logStateKey);
  return text === undefined ? undefined : parseState(text);
}

/**
 * Returns the records that the tables do not have, in order.
 *
 * @throws StartError when the log is gone, damaged, or that of other tables
 */
export function unappliedRecords(
  files: readonly Buffer[],
  { state, folder }: { readonly state: LogState | undefined; readonly folder: string },
): readonly LogRecord[] {
  try {
    return recordsAfter(files, state);
  } catch (error) {
    if (!(error instanceof DamagedLog)) throw error;
    const advice = 'restore the whole folder from one backup';
    throw new StartError(`the store in ${folder} cannot be used: ${error.message}. ${advice}`, {
      cause: error,
    });
  }
}

/** Returns the operations of records as a layer. */
export function layerOf(records: readonly LogRecord[]): Layer {
  const layer = createLayer();
  for (const record of records) layer.add(operationsOf(record));
  return layer;
}
