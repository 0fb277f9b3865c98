import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { maxQueryLimit } from '../../../store/limits.ts';
import type { Query, QueryPage, Stored } from '../../../store/store.ts';
import type { StoreContext } from './context.ts';
import { type Item, readItem, storedAttributes, textAttribute } from './item.ts';
import { type KeyCondition, keyCondition } from './range.ts';
import { readItems } from './read.ts';
import { retry } from './retry.ts';
import { partitionKey, sortKey, tableIndex } from './table.ts';

/**
 * Reads one range of one partition. DynamoDB responds in parts of 1 MB, and counts expired items; so it is queried
 * until `limit` items are read or the range ends.
 */
export async function queryItems(context: StoreContext, query: Query): Promise<QueryPage> {
  const { limit } = query;
  if (!(limit >= 1 && limit <= maxQueryLimit)) throw new Error(`limit ${limit}`);
  const range = keyCondition(query);
  const found: Found[] = [];
  let last: Item | undefined;
  do {
    if (range === undefined) break;
    const part = await queryPart(context, { query, range, last, wanted: limit - found.length });
    found.push(...(await complete(context, query, part.entries)));
    last = part.last;
  } while (last !== undefined && found.length < limit);
  return {
    items: found.slice(0, limit).map(({ item }) => item),
    positions: found.slice(0, limit).map(({ position }) => position),
    more: last !== undefined || found.length > limit,
  };
}

interface Found {
  readonly position: string;
  readonly item: Stored;
}

interface Entry {
  readonly position: string;
  readonly item: Item;
}

interface PartQuery {
  readonly query: Query;
  readonly range: KeyCondition;
  /** The end of the last part. */
  readonly last: Item | undefined;
  readonly wanted: number;
}

interface Part {
  readonly entries: readonly Entry[];
  /** Absent when the range has ended. */
  readonly last: Item | undefined;
}

async function queryPart(
  { client, table, pacing }: StoreContext,
  { query, range, last, wanted }: PartQuery,
): Promise<Part> {
  const { attribute, skipped, ...condition } = range;
  const { index } = query;
  const output = await retry(pacing, () =>
    client.send(
      new QueryCommand({
        TableName: table,
        ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
        ...condition,
        ProjectionExpression: projection(query),
        ScanIndexForward: !query.descending,
        Limit: skipped === undefined ? wanted : wanted + 1,
        ...(last && { ExclusiveStartKey: last }),
      }),
    ),
  );
  const entries = (output.Items ?? [])
    .map((item) => ({ position: textAttribute(item, attribute), item }))
    .filter(({ position }) => position !== skipped);
  return { entries, last: output.LastEvaluatedKey };
}

function projection({ index }: Query): string {
  if (index === undefined) return storedAttributes;
  const { sortKey: attribute } = tableIndex(index);
  return hasKeysOnly(index)
    ? `${partitionKey}, ${sortKey}, ${attribute}`
    : `${storedAttributes}, ${attribute}`;
}

function hasKeysOnly(index: Query['index']): boolean {
  return index !== undefined && tableIndex(index).projection === 'KEYS_ONLY';
}

/** Reads the items of index entries, except those that were deleted since or have expired. */
async function complete(
  context: StoreContext,
  { index }: Query,
  entries: readonly Entry[],
): Promise<readonly Found[]> {
  const now = context.now();
  const items = hasKeysOnly(index)
    ? await readItems(context, entries.map(keyOf))
    : entries.map(({ item }) => readItem(item, now));
  return entries.flatMap(({ position }, at) => {
    const item = items[at];
    return item === undefined ? [] : [{ position, item }];
  });
}

function keyOf({ item }: Entry) {
  return { pk: textAttribute(item, partitionKey), sk: textAttribute(item, sortKey) };
}
