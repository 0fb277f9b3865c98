import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { writeJson } from '../../../store/exact-json.ts';
import { checkIndexKey } from '../../../store/key-limits.ts';
import type { IndexKeys, Key, Put, Stored, WriteCause } from '../../../store/store.ts';
import { TextItem } from '../../../store/text-item.ts';
import { partitionKey, sortKey, tableAttributes, tableIndexes, timeToLive } from './table.ts';

/** An item, a key or the values of an expression, in DynamoDB's format. */
export type Item = Record<string, AttributeValue>;

/** The attributes of a `Stored`: others are not read. */
export const storedAttributes = [
  partitionKey,
  sortKey,
  timeToLive,
  tableAttributes.kind,
  tableAttributes.version,
  tableAttributes.data,
].join(', ');

/** Writes a key. */
export function writeKey({ pk, sk }: Key): Item {
  return { [partitionKey]: { S: pk }, [sortKey]: { S: sk } };
}

/**
 * Writes an item.
 *
 * @throws Error when a key of an index breaks the limits of keys
 */
export function writeItem(put: Put, version: string, change: WriteCause): Item {
  const item = writeKey(put.key);
  item[tableAttributes.kind] = { S: put.kind };
  item[tableAttributes.version] = { S: version };
  item[tableAttributes.change] = { S: writeCause(change) };
  item[tableAttributes.data] = { S: put.text ?? writeJson(put.data) };
  if (put.expiresAt !== undefined) item[timeToLive] = { N: String(Math.ceil(put.expiresAt)) };
  if (put.indexes !== undefined) addIndexKeys(item, put.key.pk, put.indexes);
  return item;
}

/** Writes the cause of an item's change: `client 0 {"admin":7}`. */
export function writeCause({ cause, depth, actor }: WriteCause): string {
  return `${cause} ${depth} ${JSON.stringify(actor)}`;
}

/** Reads the cause of an item's change. */
export function readChange(text: string): WriteCause {
  const [cause, depth, ...actor] = text.split(' ');
  return {
    cause: cause as WriteCause['cause'], // this module wrote it
    depth: Number(depth),
    actor: JSON.parse(actor.join(' ')) as WriteCause['actor'],
  };
}

function addIndexKeys(item: Item, pk: string, indexes: IndexKeys): void {
  for (const index of tableIndexes) {
    const key = indexes[index.name];
    if (key === undefined) continue;
    checkIndexKey(index.name, pk, key);
    item[index.sortKey] = { S: key };
  }
}

/** Returns the bytes of an item as DynamoDB counts them; for numbers a little more. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += name.length + Buffer.byteLength(value.S ?? value.N ?? '');
  }
  return bytes;
}

/**
 * Reads an item.
 *
 * @param now epoch seconds
 * @returns undefined when it is absent, has expired, or is a counter
 */
export function readItem(item: Item | undefined, now: number): Stored | undefined {
  const data = item?.[tableAttributes.data]?.S;
  if (item === undefined || data === undefined) return undefined;
  const expiresAt = item[timeToLive]?.N;
  if (expiresAt !== undefined && now > Number(expiresAt)) return undefined;
  const key = { pk: textAttribute(item, partitionKey), sk: textAttribute(item, sortKey) };
  const [kind, version] = [
    textAttribute(item, tableAttributes.kind),
    textAttribute(item, tableAttributes.version),
  ];
  return new TextItem({ key, kind, version }, data);
}

/** Returns a text attribute that every item has. */
export function textAttribute(item: Item, name: string): string {
  const value = item[name]?.S;
  if (value === undefined) throw new Error(`an item without ${name}`);
  return value;
}
