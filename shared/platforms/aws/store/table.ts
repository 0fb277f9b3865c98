import { type IndexName, indexNames } from '../../../store/store.ts';

/*
 * THE TABLE in DynamoDB: read by the stack that creates it, by the adapter and by tests. No other code names its
 * attributes. Names are short, because every item stores them, and none is a reserved word, so that expressions need
 * no substitutes.
 *
 * | Attribute      | Type | What                                                                               |
 * |----------------|------|------------------------------------------------------------------------------------|
 * | pk, sk         | S    | the key                                                                            |
 * | t              | S    | the kind of entity (of a counter: `counter`)                                       |
 * | w              | S    | id of the item's last write; the item's version                                    |
 * | c              | S    | why: cause, depth and actor, as `client 0 {"admin":7}`; a stream can filter on it  |
 * | d              | S    | the entity's data as JSON: keeps doubles that are beyond DynamoDB's numbers         |
 * | x              | N    | epoch seconds when it expires; absent: never                                       |
 * | n              | N    | the last number taken, of a counter                                                |
 * | s0 … s15       | S    | sort keys in slot0 … slot15                                                        |
 * | su, so, sh     | S    | sort keys in updated, owned, shared                                                |
 */

/** Partition key of the table and of all its indexes, a string. */
export const partitionKey = 'pk';

/** Sort key of the table, a string. */
export const sortKey = 'sk';

/** The attribute by which DynamoDB deletes expired items. */
export const timeToLive = 'x';

/** Attributes of an item in addition to its keys. */
export const tableAttributes = {
  kind: 't',
  version: 'w',
  change: 'c',
  data: 'd',
  number: 'n',
} as const;

/** One index: sparse, and with the table's own partition key. */
export interface TableIndex {
  readonly name: IndexName;
  /** Attribute that is its sort key, a string. */
  readonly sortKey: string;
  readonly projection: 'ALL' | 'KEYS_ONLY';
}

/**
 * All indexes. Slots serve filters and orders, mostly one or two of a class's, so each has a complete projection; the
 * three others change with nearly every write and are cheaper with keys only.
 */
export const tableIndexes: readonly TableIndex[] = indexNames.map((name) => {
  switch (name) {
    case 'updated':
      return { name, sortKey: 'su', projection: 'KEYS_ONLY' };
    case 'owned':
      return { name, sortKey: 'so', projection: 'KEYS_ONLY' };
    case 'shared':
      return { name, sortKey: 'sh', projection: 'KEYS_ONLY' };
    default:
      return { name, sortKey: name.replace('slot', 's'), projection: 'ALL' };
  }
});

/** Returns the index of this name. */
export function tableIndex(name: IndexName): TableIndex {
  const index = tableIndexes.find((one) => one.name === name);
  if (index === undefined) throw new Error(`no index ${name}`);
  return index;
}
