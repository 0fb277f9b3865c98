import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { checkDataFile } from './file.ts';
import { keyEncoder } from './keys.ts';

/** The tables of one LMDB environment. Keys and values are texts. */
export interface Tables {
  readonly environment: RootDatabase<string, string>;
  /** Items by `itemKey`. */
  readonly items: Database<string, string>;
  /** By `indexKey`, the item's sort key; by `expiryKey`, an empty value. */
  readonly indexes: Database<string, string>;
  /** The last number taken, by `itemKey`. */
  readonly counters: Database<string, string>;
  /** Changes that not every consumer has taken yet, by position. */
  readonly changes: Database<string, string>;
}

/** One change of a table: puts or removes a value. Keys and values are checked before. */
export interface TableOperation {
  readonly table: 'items' | 'indexes' | 'counters' | 'changes';
  readonly key: string;
  /** Absent: removes the key. */
  readonly value?: string;
  /** Whether the key did not exist before: then no reader can have cached it. */
  readonly isNew?: boolean;
}

/** Name of the file with all tables. */
export const dataFile = 'data.mdb';

const tableNames = ['items', 'indexes', 'counters', 'changes'];

export interface TablesOptions {
  /** The folder of `data.mdb` and `lock.mdb`; created when absent. */
  readonly folder: string;
  /** Whether a commit waits until it is on the disk. */
  readonly durable: boolean;
  /** Another process may write at the same time. The tables must exist. */
  readonly readOnly?: boolean;
}

/**
 * Opens the tables in a folder; creates missing ones.
 *
 * @throws Error when the folder holds something else, or a damaged file
 */
export function openTables({ folder, durable, readOnly = false }: TablesOptions): Tables {
  try {
    checkDataFile(join(folder, dataFile));
    const environment = open<string, string>({
      path: folder,
      noSubdir: false,
      maxDbs: 8,
      noSync: !durable,
      readOnly,
      eventTurnBatching: false, // commits are batched here; LMDB's own batching leaves a promise that cannot be caught
      overlappingSync: false, // a commit is then flushed to disk before it is acknowledged and before it is visible
    });
    const foreign = [...environment.getKeys()].find((name) => !tableNames.includes(name));
    if (foreign !== undefined) throw new Error(`it holds ${JSON.stringify(foreign)}`);
    const texts = { encoding: 'string', keyEncoder } as const;
    const opened = tableNames.map((name) => [name, environment.openDB(name, texts)]);
    return { environment, ...Object.fromEntries(opened) } as Tables; // a table for each name
  } catch (error) {
    throw new Error(`the data in ${folder} cannot be read: it is damaged, or not ours`, {
      cause: error,
    });
  }
}
