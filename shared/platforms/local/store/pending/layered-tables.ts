import {
  type Range,
  type Table,
  type TableEntry,
  type TableName,
  type Tables,
  tableNames,
} from '../tables.ts';
import type { Layer, LayerEntry } from './layer.ts';
import { compareKeys } from './order.ts';

/**
 * Returns tables as they are with layers of operations over them.
 *
 * @param layers the newest first; it is called at each read
 */
export function layTables(stored: Tables, layers: () => readonly Layer[]): Tables {
  const layTable = (name: TableName): [TableName, Table] => {
    const table = stored[name];
    return [
      name,
      {
        get: (key) => {
          for (const layer of layers()) {
            const value = layer.get(name, key);
            if (value !== undefined) return value ?? undefined;
          }
          return table.get(key);
        },
        getKeys: (range = {}) => {
          const over = entriesOver(layers(), name, range);
          if (over === undefined) return table.getKeys(range);
          return keysOf(mergeEntries(over, entriesWithoutValues(table, range), range));
        },
        getRange: (range = {}) => {
          const over = entriesOver(layers(), name, range);
          if (over === undefined) return table.getRange(range);
          return mergeEntries(over, table.getRange(withoutLimit(range)), range);
        },
      },
    ];
  };
  return Object.fromEntries(tableNames.map(layTable)) as unknown as Tables; // a table for each name
}

/** Returns what some layers have in a range; undefined when they have nothing there. */
function entriesOver(
  layers: readonly Layer[],
  name: TableName,
  range: Range,
): Iterable<LayerEntry> | undefined {
  let over: Iterable<LayerEntry> | undefined;
  for (const layer of layers.toReversed()) {
    const entries = layer.entries(name, range);
    if (entries === undefined) continue;
    over = over === undefined ? entries : mergeOver(entries, over, range);
  }
  return over;
}

function withoutLimit({ limit: _, ...range }: Range): Range {
  return range;
}

function* entriesWithoutValues(table: Table, range: Range): Generator<LayerEntry> {
  for (const key of table.getKeys(withoutLimit(range))) yield { key, value: '' };
}

function* keysOf(entries: Iterable<TableEntry>): Generator<string> {
  for (const { key } of entries) yield key;
}

/** Merges a layer over a table: removed keys are left out, and the limit of the range holds for the result. */
function* mergeEntries(
  upper: Iterable<LayerEntry>,
  lower: Iterable<LayerEntry>,
  range: Range,
): Generator<TableEntry> {
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  if (left === 0) return;
  for (const { key, value } of mergeOver(upper, lower, range)) {
    if (value === null) continue;
    yield { key, value };
    left -= 1;
    if (left === 0) return;
  }
}

/** Merges two sequences in the order of a range; of equal keys it takes the upper one. */
function* mergeOver(
  upper: Iterable<LayerEntry>,
  lower: Iterable<LayerEntry>,
  { reverse = false }: Range,
): Generator<LayerEntry> {
  const above = upper[Symbol.iterator]();
  let next = above.next();
  for (const entry of lower) {
    let order = 1;
    while (next.done !== true) {
      order = reverse
        ? compareKeys(entry.key, next.value.key)
        : compareKeys(next.value.key, entry.key);
      if (order > 0) break;
      yield next.value;
      next = above.next();
      if (order === 0) break;
    }
    if (order !== 0) yield entry;
  }
  while (next.done !== true) {
    yield next.value;
    next = above.next();
  }
}
