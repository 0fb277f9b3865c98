import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TableOperation } from '../tables.ts';
import type { LogDisk, LogFile } from './disk.ts';
import { encodeRecord, idBytes, type LogRecord, pageBytes } from './record.ts';
import { DamagedLog, firstPage, readId, recoverRecords } from './recovery.ts';

/** Names of the files, which are used in turns. */
export const logFiles: readonly string[] = ['log-1', 'log-2'];

/** Bytes of a file, which is written when it is created: flushing a record then changes nothing but its pages. */
export const logFileBytes = 4_194_304;

/** What the tables know of their log. */
export interface LogState {
  readonly id: Buffer;
  /** Number of the last record that the tables have. */
  readonly applied: number;
}

/** Formats a state for the tables. */
export function formatState({ id, applied }: LogState): string {
  return `${id.toString('hex')} ${applied}`;
}

/** Parses the text of {@link formatState}. */
export function parseState(text: string): LogState {
  const [id = '', applied = ''] = text.split(' ');
  return { id: Buffer.from(id, 'hex'), applied: Number(applied) };
}

/** The records of operations that the tables may not have yet. */
export interface StoreLog {
  /** State of the tables when they have all records that were appended. */
  state(): LogState;
  /**
   * Appends a record; it is on the disk when the promise resolves. There is one call at a time.
   *
   * @param blocks whether the event loop waits for the disk
   * @returns the bytes of the record
   * @throws the error of the disk; the record is not in the log then
   */
  append(operations: readonly TableOperation[], blocks: boolean): Promise<number>;
  /** Begins the other file, whose records the tables must have. */
  switchFile(): void;
  close(): void;
}

/** Returns the state of tables that begin a log. */
export function newState(): LogState {
  return { id: randomBytes(idBytes), applied: 0 };
}

/** Creates the files of a log, or replaces them: the tables must have what they hold. */
export async function createFiles(folder: string, disk: LogDisk, { id }: LogState): Promise<void> {
  const contents = Buffer.concat([firstPage(id), Buffer.alloc(logFileBytes - pageBytes)]);
  for (const name of logFiles) await disk.create(join(folder, name), contents);
}

/** Reads the files of a log that are there. */
export function readLogFiles(folder: string, disk: LogDisk): readonly Buffer[] {
  return logFiles.flatMap((name) => disk.read(join(folder, name)) ?? []);
}

/** Writes a log with some records into a folder. */
export async function copyLog(
  folder: string,
  disk: LogDisk,
  { id, records }: { readonly id: Buffer; readonly records: readonly LogRecord[] },
): Promise<void> {
  const [first = '', second = ''] = logFiles;
  const pages = records.map(({ bytes }) => bytes);
  await disk.create(join(folder, first), Buffer.concat([firstPage(id), ...pages]));
  await disk.create(join(folder, second), firstPage(id));
}

/**
 * Returns the records of a log that the tables do not have.
 *
 * @param state undefined: the tables have had no log
 * @throws DamagedLog when the log is gone, damaged, or that of other tables
 */
export function recordsAfter(
  files: readonly Buffer[],
  state: LogState | undefined,
): readonly LogRecord[] {
  if (state === undefined) {
    const isUsed = files.some(
      (file) => recoverRecords([file], { id: readId(file), applied: 0 }).length > 0,
    );
    if (isUsed) throw new DamagedLog('the log is that of another store');
    return [];
  }
  if (files.length < logFiles.length) throw new DamagedLog('the log of the store is gone');
  if (files.some((file) => !readId(file).equals(state.id))) {
    throw new DamagedLog('the log is that of another store');
  }
  return recoverRecords(files, state);
}

/**
 * Opens a log for writing.
 *
 * @param start state of the tables: they have all records
 */
export function openLog(folder: string, disk: LogDisk, { id, applied }: LogState): StoreLog {
  const files = logFiles.map((name) => disk.open(join(folder, name)));
  let [current, other] = files as [LogFile, LogFile]; // there are two names
  let last = applied;
  let end = pageBytes;
  let isBroken = false; // the disk may have a record that was not acknowledged

  /** Makes sure that nothing is where the next record will be. */
  function clearNext(): void {
    current.write(Buffer.alloc(pageBytes), end);
    current.flushSync();
    isBroken = false;
  }

  return {
    state: () => ({ id, applied: last }),
    append: async (operations, blocks) => {
      const bytes = encodeRecord(id, last + 1, operations);
      const { length } = bytes;
      isBroken = true;
      try {
        current.write(bytes, end);
        if (blocks) current.flushSync();
        else await current.flush();
        isBroken = false;
      } catch (error) {
        clearAfter(clearNext);
        throw error;
      }
      last += 1;
      end += length;
      return length;
    },
    switchFile: () => {
      if (isBroken) clearNext();
      [current, other] = [other, current];
      end = pageBytes;
    },
    close: () => {
      if (isBroken) clearAfter(clearNext);
      for (const file of files) file.close();
    },
  };
}

/** Tries to remove a record that failed: until that succeeds, nothing else is written. */
function clearAfter(clearNext: () => void): void {
  try {
    clearNext();
  } catch {
    // the disk refuses this as well; the error of the write says why, and the next one tries again
  }
}
