import { EmptyBTree } from 'sorted-btree';
import { type Range, type TableName, type TableOperation, tableNames } from '../tables.ts';
import { compareKeys } from './order.ts';

/** A key of a layer with its value; null: the key is removed. */
export interface LayerEntry {
  readonly key: string;
  readonly value: string | null;
}

type Tree = import('sorted-btree').default<string, string | null>;
/** The class itself; tools differ in what the default import of a CommonJS package is. */
const SortedTree = EmptyBTree.constructor as unknown as new (
  entries: [],
  compare: (one: string, other: string) => number,
) => Tree;

/** Operations in memory: the last one of each key. */
export interface Layer {
  add(operations: readonly TableOperation[]): void;
  isEmpty(): boolean;
  /** Returns a value; null: it is removed; undefined: the layer does not know the key. */
  get(table: TableName, key: string): string | null | undefined;
  /** Returns the entries of a range in its order, or undefined when there are none. */
  entries(table: TableName, range: Range): Iterable<LayerEntry> | undefined;
  /** Returns all of them, in the order of tables and keys. */
  operations(): Iterable<TableOperation>;
  /** Returns a copy, which later operations do not change; takes no time. */
  copy(): Layer;
}

/** Creates an empty layer. */
export function createLayer(): Layer {
  return layerOf(new Map(tableNames.map((name) => [name, new SortedTree([], compareKeys)])));
}

function layerOf(trees: ReadonlyMap<TableName, Tree>): Layer {
  const treeOf = (name: TableName) => trees.get(name) as Tree; // there is one for each name
  return {
    add: (operations) => {
      for (const { table, key, value } of operations) treeOf(table).set(key, value ?? null);
    },
    isEmpty: () => [...trees.values()].every(({ isEmpty }) => isEmpty),
    get: (table, key) => treeOf(table).get(key),
    entries: (table, range) => {
      const entries = entriesOf(treeOf(table), range);
      const first = entries.next();
      return first.done === true ? undefined : startingWith(first.value, entries);
    },
    *operations() {
      for (const [table, tree] of trees) {
        for (const [key, value] of tree.entries()) yield { table, key, value: value ?? undefined };
      }
    },
    copy: () => layerOf(new Map([...trees].map(([name, tree]) => [name, tree.clone()]))),
  };
}

function* startingWith(first: LayerEntry, rest: Iterable<LayerEntry>): Generator<LayerEntry> {
  yield first;
  yield* rest;
}

function* entriesOf(tree: Tree, range: Range): Generator<LayerEntry, undefined> {
  const { start, exclusiveStart = false, end, inclusiveEnd = false, reverse = false } = range;
  if (tree.isEmpty) return;
  const found = reverse ? tree.entriesReversed(start) : tree.entries(start);
  for (const [key, value] of found) {
    if (exclusiveStart && key === start) continue;
    if (end !== undefined) {
      const order = reverse ? compareKeys(end, key) : compareKeys(key, end);
      if (order > 0 || (order === 0 && !inclusiveEnd)) return;
    }
    yield { key, value };
  }
}
