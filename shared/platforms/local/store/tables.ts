import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { checkDataFile, openDataFile } from './file.ts';
import { keyEncoder } from './keys.ts';

export type TableName = 'items' | 'indexes' | 'counters' | 'changes';

/** A part of a table; in the order of the bytes of UTF-8, or in the reverse. */
export interface Range {
  readonly start?: string;
  readonly exclusiveStart?: boolean;
  readonly end?: string;
  readonly inclusiveEnd?: boolean;
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface TableEntry {
  readonly key: string;
  readonly value: string;
}

/** A table for reading. Its iterators are read to the end, or left, in the turn of the event loop that began them. */
export interface StoreTable {
  get(key: string): string | undefined;
  getKeys(range?: Range): Iterable<string>;
  getRange(range?: Range): Iterable<TableEntry>;
}

/** The tables of a store. Keys and values are texts. */
export interface Tables extends Readonly<Record<TableName, StoreTable>> {
  /** Items by `itemKey`. */
  readonly items: StoreTable;
  /** By `indexKey`, the item's sort key; by `expiryKey`, an empty value. */
  readonly indexes: StoreTable;
  /** The last number taken, by `itemKey`. */
  readonly counters: StoreTable;
  /** Changes that not every consumer has taken yet, by position. */
  readonly changes: StoreTable;
}

/** The tables of one LMDB environment. */
export interface StoredTables extends Readonly<Record<TableName, Database<string, string>>> {
  readonly environment: RootDatabase<string, string>;
  /** Prepares the file for the next commit. */
  extend(): void;
  close(): Promise<void>;
}

/** One change of a table: puts or removes a value. Keys and values are checked before. */
export interface TableOperation {
  readonly table: TableName;
  readonly key: string;
  /** Absent: removes the key. */
  readonly value?: string | undefined;
  /** Whether the key did not exist before: then no reader can have cached it. */
  readonly isNew?: boolean;
}

/** Name of the file with all tables. */
export const dataFile = 'data.mdb';

export const tableNames: readonly TableName[] = ['items', 'indexes', 'counters', 'changes'];

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
export function openTables({ folder, durable, readOnly = false }: TablesOptions): StoredTables {
  try {
    checkDataFile(join(folder, dataFile));
    const environment = open<string, string>({
      path: folder,
      noSubdir: false,
      maxDbs: 8,
      noSync: !durable,
      readOnly,
      eventTurnBatching: false, // commits are batched here; LMDB's own batching leaves a promise that cannot be caught
      overlappingSync: false, // a commit is then flushed to disk before its promise resolves
    });
    const names: readonly string[] = tableNames;
    const foreign = [...environment.getKeys()].find((name) => !names.includes(name));
    if (foreign !== undefined) throw new Error(`it holds ${JSON.stringify(foreign)}`);
    const texts = { encoding: 'string', keyEncoder } as const;
    const opened = tableNames.map((name) => [name, environment.openDB(name, texts)]);
    const file = readOnly ? undefined : openDataFile(join(folder, dataFile));
    file?.extend();
    return {
      ...(Object.fromEntries(opened) as Omit<StoredTables, 'environment' | 'extend' | 'close'>), // a table for each name
      environment,
      extend: () => file?.extend(),
      close: async () => {
        file?.close();
        await environment.close();
      },
    };
  } catch (error) {
    throw new Error(`the data in ${folder} cannot be read: it is damaged, or not ours`, {
      cause: error,
    });
  }
}

/**
 * Writes operations in one commit, which is durable when the promise resolves.
 *
 * @throws the error of the disk or of LMDB; nothing was written then
 */
export async function commitOperations(
  tables: StoredTables,
  operations: Iterable<TableOperation>,
): Promise<void> {
  try {
    await tables.environment.batch(() => {
      for (const { table, key, value } of operations) {
        // Their promises add nothing to the promise of the batch.
        if (value === undefined) void tables[table].remove(key);
        else void tables[table].put(key, value);
      }
    });
  } catch (error) {
    throw new Error('nothing was written', { cause: await commitErrorOf(error) });
  }
  tables.extend();
}

/** Returns the cause of a failed commit; LMDB has it in a second promise, which must be handled. */
async function commitErrorOf(failure: unknown): Promise<unknown> {
  if (!(failure instanceof Error && 'commitError' in failure)) return failure;
  try {
    await failure.commitError;
    return failure;
  } catch (cause) {
    return cause;
  }
}
