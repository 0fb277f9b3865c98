import {
  type Range,
  type StoreTable,
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
  const layTable = (name: TableName): [TableName, StoreTable] => {
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

function* entriesWithoutValues(table: StoreTable, range: Range): Generator<LayerEntry> {
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
  const compare = (one: LayerEntry, other: LayerEntry) =>
    reverse ? compareKeys(other.key, one.key) : compareKeys(one.key, other.key);
  const [uppers, lowers] = [upper[Symbol.iterator](), lower[Symbol.iterator]()];
  try {
    let [above, below] = [uppers.next(), lowers.next()];
    for (;;) {
      const order = orderOf(above, below, compare);
      const next = order <= 0 ? above : below;
      if (next.done === true) return;
      yield next.value;
      if (order >= 0) below = lowers.next();
      if (order <= 0) above = uppers.next();
    }
  } finally {
    lowers.return?.(); // LMDB uses its cursor for another scan
  }
}

function orderOf(
  above: IteratorResult<LayerEntry>,
  below: IteratorResult<LayerEntry>,
  compare: (one: LayerEntry, other: LayerEntry) => number,
): number {
  if (above.done === true) return 1;
  if (below.done === true) return -1;
  return compare(above.value, below.value);
}
