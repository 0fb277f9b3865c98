import { EmptyBTree } from 'sorted-btree';
import { type Range, type TableName, type TableOperation, tableNames } from '../tables.ts';
import { type LayerCursor, type Tree, TreeCursor } from './cursor.ts';
import { compareKeys, comparePlain, isPlain } from './order.ts';

/** Operations in memory: the last one of each key. */
export interface Layer {
  add(operations: readonly TableOperation[]): void;
  /** Returns a value; null: it is removed; undefined: the layer does not have the key. */
  get(table: TableName, key: string): string | null | undefined;
  /** Begins a range; undefined when the layer has nothing in it. */
  scan(table: TableName, range: Range): LayerCursor | undefined;
  /** Returns all of them, in the order of tables and keys. */
  operations(): Iterable<TableOperation>;
  /** Returns a copy, which later operations do not change. Takes no time: what both have is shared until it changes. */
  copy(): Layer;
}

/** The class itself; tools differ in what the default import of a CommonJS package is. */
const SortedTree = EmptyBTree.constructor as unknown as new (
  entries: [],
  compare: (one: string, other: string) => number,
) => Tree;

/** Creates an empty layer. */
export function createLayer(): Layer {
  return layerOf(new Map(tableNames.map((name) => [name, createTable()])));
}

function layerOf(tables: ReadonlyMap<TableName, LayerTable>): Layer {
  const tableOf = (name: TableName) => tables.get(name) as LayerTable; // there is one for each name
  return {
    add: (operations) => {
      for (const { table, key, value } of operations) tableOf(table).set(key, value ?? null);
    },
    get: (table, key) => tableOf(table).tree.get(key),
    scan: (table, range) => {
      const { tree } = tableOf(table);
      if (tree.isEmpty) return undefined;
      const cursor = new TreeCursor(tree, range);
      return cursor.key === undefined ? undefined : cursor;
    },
    *operations() {
      for (const [table, { tree }] of tables) {
        for (const [key, value] of tree.entries()) yield { table, key, value: value ?? undefined };
      }
    },
    copy: () => layerOf(new Map([...tables].map(([name, table]) => [name, table.copy()]))),
  };
}

/** The keys of a layer in one table. */
interface LayerTable {
  readonly tree: Tree;
  set(key: string, value: string | null): void;
  copy(): LayerTable;
}

function createTable(): LayerTable {
  let areAllPlain = true;
  // keys that are plain have one order by both
  const compare = (one: string, other: string) =>
    areAllPlain ? comparePlain(one, other) : compareKeys(one, other);
  const tableOf = (tree: Tree): LayerTable => ({
    tree,
    set: (key, value) => {
      areAllPlain &&= isPlain(key);
      tree.set(key, value);
    },
    copy: () => tableOf(tree.clone()),
  });
  return tableOf(new SortedTree([], compare));
}
