import {
  type Range,
  type StoredTables,
  type TableEntry,
  type TableName,
  tableNames,
} from '../../../shared/platforms/local/store/tables.ts';
import { never } from './simulated-disk.ts';

/** Tables in memory in place of LMDB: a commit is applied as a whole, and then is on the disk. */
export interface MemoryTables {
  /** Returns the tables for the process until it ends. */
  open(): StoredTables;
  /** Sets the error of the next commits. */
  fail(error: Error | undefined): void;
  /** Ends the process: a commit that has not ended happens, or does not. */
  crash(): void;
}

/** @param random returns numbers from 0 to 1 */
export function createTables(random: () => number): MemoryTables {
  const contents = new Map<TableName, Map<string, string>>(
    tableNames.map((name) => [name, new Map()]),
  );
  let operations: (() => void)[] = [];
  let underway: readonly (() => void)[] = [];
  let failure: Error | undefined;
  let lives = 0;

  const commit = (all: readonly (() => void)[]) => {
    for (const operation of all) operation();
  };
  const environmentOf = (life: number) => ({
    batch: async (act: () => void) => {
      if (life !== lives) await never;
      act();
      underway = operations;
      operations = [];
      for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await Promise.resolve();
      if (life !== lives) await never;
      const own = underway;
      underway = [];
      if (failure !== undefined) throw failure;
      commit(own);
    },
    resetReadTxn: () => undefined,
  });
  const tableOf = (map: Map<string, string>) => ({
    get: (key: string) => map.get(key),
    getRange: (range: Range = {}) => entriesIn(map, range),
    getKeys: (range: Range = {}) => entriesIn(map, range).map(({ key }) => key),
    put: (key: string, value: string) => operations.push(() => map.set(key, value)),
    remove: (key: string) => operations.push(() => map.delete(key)),
  });
  const tables = [...contents].map(([name, map]) => [name, tableOf(map)]);
  return {
    open: () => {
      const environment = environmentOf(lives);
      const extend = () => undefined;
      return { environment, extend, ...Object.fromEntries(tables) } as unknown as StoredTables; // what the store uses
    },
    fail: (error) => {
      failure = error;
    },
    crash: () => {
      lives += 1;
      if (random() < 0.5 && failure === undefined) commit(underway);
      underway = [];
      failure = undefined;
    },
  };
}

/** Returns the entries of a range of a plain map. */
export function entriesIn(map: ReadonlyMap<string, string>, range: Range): readonly TableEntry[] {
  const { start, exclusiveStart = false, end, inclusiveEnd = false, reverse = false } = range;
  const sign = reverse ? -1 : 1;
  const compare = (one: string, other: string) =>
    sign * Buffer.compare(Buffer.from(one), Buffer.from(other));
  return [...map]
    .map(([key, value]) => ({ key, value }))
    .filter(({ key }) => start === undefined || compare(key, start) >= (exclusiveStart ? 1 : 0))
    .filter(({ key }) => end === undefined || compare(key, end) < (inclusiveEnd ? 1 : 0))
    .sort((one, other) => compare(one.key, other.key))
    .slice(0, range.limit);
}
