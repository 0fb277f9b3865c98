import {
  type Range,
  type StoreTable,
  type TableEntry,
  type TableName,
  type Tables,
  tableNames,
} from '../tables.ts';
import { isUpTo, type LayerCursor, PairCursor } from './cursor.ts';
import type { Layer } from './layer.ts';

/**
 * Returns tables as they are with layers of operations over them.
 *
 * @param layers the newest first; it is called at each read
 */
export function layTables(stored: Tables, layers: () => readonly Layer[]): Tables {
  const layTable = (name: TableName): [TableName, StoreTable] => {
    const table = stored[name];
    const scan = <Entry>(range: Range, scanned: Scanned<Entry>): Iterable<Entry> => {
      const cursor = scanLayers(layers(), name, range);
      if (cursor === undefined) return scanned.read(table, range);
      const { limit, ...whole } = range;
      const merged = merge(cursor, scanned.read(table, whole), { ...scanned, range });
      return limit === undefined ? merged : takeFirst(merged, limit);
    };
    const get = (key: string) => {
      for (const layer of layers()) {
        const value = layer.get(name, key);
        if (value !== undefined) return value ?? undefined;
      }
      return table.get(key);
    };
    const getKeys = (range = {}) => scan(range, scannedKeys);
    const getRange = (range = {}) => scan(range, scannedEntries);
    return [name, { get, getKeys, getRange }];
  };
  return Object.fromEntries(tableNames.map(layTable)) as unknown as Tables; // a table for each name
}

/** What a scan returns. */
interface Scanned<Entry> {
  read(table: StoreTable, range: Range): Iterable<Entry>;
  keyOf(entry: Entry): string;
  entryOf(key: string, value: string): Entry;
}

const scannedKeys: Scanned<string> = {
  read: (table, range) => table.getKeys(range),
  keyOf: (key) => key,
  entryOf: (key) => key,
};

const scannedEntries: Scanned<TableEntry> = {
  read: (table, range) => table.getRange(range),
  keyOf: ({ key }) => key,
  entryOf: (key, value) => ({ key, value }),
};

/** Begins a range in some layers; undefined when they have nothing there. */
function scanLayers(
  layers: readonly Layer[],
  name: TableName,
  range: Range,
): LayerCursor | undefined {
  let cursor: LayerCursor | undefined;
  for (const layer of layers) {
    const lower = layer.scan(name, range);
    if (lower === undefined) continue;
    cursor = cursor === undefined ? lower : new PairCursor(cursor, lower, range);
  }
  return cursor;
}

/** Merges layers over the entries of a table; removed keys are left out. */
function* merge<Entry>(
  cursor: LayerCursor,
  stored: Iterable<Entry>,
  { keyOf, entryOf, range }: Scanned<Entry> & { readonly range: Range },
): Generator<Entry> {
  for (const entry of stored) {
    const key = keyOf(entry);
    let isHidden = false;
    while (!isHidden && isUpTo(cursor, key, range)) {
      isHidden = cursor.key === key;
      const own = entryAt(cursor, entryOf);
      if (own !== undefined) yield own;
      cursor.next();
    }
    if (!isHidden) yield entry;
  }
  for (; cursor.key !== undefined; cursor.next()) {
    const own = entryAt(cursor, entryOf);
    if (own !== undefined) yield own;
  }
}

/** Returns the entry of a cursor; undefined when it is removed. */
function entryAt<Entry>(
  { key, value }: LayerCursor,
  entryOf: (key: string, value: string) => Entry,
): Entry | undefined {
  return key === undefined || value === null ? undefined : entryOf(key, value);
}

function* takeFirst<Entry>(entries: Iterable<Entry>, count: number): Generator<Entry> {
  if (count === 0) return;
  let left = count;
  for (const entry of entries) {
    yield entry;
    left -= 1;
    if (left === 0) return;
  }
}
