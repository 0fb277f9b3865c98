import { BatchGetItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { checkKeyLimits } from '../../../store/key-limits.ts';
import type { Key, Stored } from '../../../store/store.ts';
import type { StoreContext } from './context.ts';
import { type Item, readItem, storedAttributes, textAttribute, writeKey } from './item.ts';
import { Incomplete, retry } from './retry.ts';
import { partitionKey, sortKey } from './table.ts';

/** Maximum keys of one BatchGetItem. */
const maxBatchKeys = 100;

/**
 * Reads items by key, strongly consistent for each one.
 *
 * @returns one entry a key, in the order of `keys`
 */
export async function readItems(
  context: StoreContext,
  keys: readonly Key[],
): Promise<readonly (Stored | undefined)[]> {
  const distinct = new Map<string, Key>();
  for (const key of keys) {
    checkKeyLimits(key);
    distinct.set(joinKey(key), key);
  }
  const items = await fetchItems(context, [...distinct.values()]);
  const now = context.now();
  const found = new Map<string, Stored>();
  for (const item of items) {
    const stored = readItem(item, now);
    if (stored !== undefined) found.set(joinKey(stored.key), stored);
  }
  return keys.map((key) => found.get(joinKey(key)));
}

/** Joins a key into one text: no partition key contains U+0000. */
function joinKey({ pk, sk }: Key): string {
  return `${pk}\u0000${sk}`;
}

async function fetchItems(context: StoreContext, keys: readonly Key[]): Promise<readonly Item[]> {
  const [first] = keys;
  if (first === undefined) return [];
  if (keys.length === 1) return fetchOne(context, first);
  const batches: Promise<readonly Item[]>[] = [];
  for (let at = 0; at < keys.length; at += maxBatchKeys) {
    batches.push(fetchBatch(context, keys.slice(at, at + maxBatchKeys)));
  }
  return (await Promise.all(batches)).flat();
}

async function fetchOne(context: StoreContext, key: Key): Promise<readonly Item[]> {
  const { Item } = await retry(context.pacing, () =>
    context.client.send(
      new GetItemCommand({
        TableName: context.table,
        Key: writeKey(key),
        ConsistentRead: true,
        ProjectionExpression: storedAttributes,
      }),
    ),
  );
  return Item === undefined ? [] : [Item];
}

/** Fetches a batch, which may arrive in parts: beyond 16 MB, or when a partition is busy. */
async function fetchBatch(context: StoreContext, keys: readonly Key[]): Promise<readonly Item[]> {
  const { client, table, pacing } = context;
  const found: Item[] = [];
  let rest: Item[] = keys.map(writeKey);
  await retry(pacing, async () => {
    const asked = rest.length;
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetItemCommand({
        RequestItems: {
          [table]: {
            Keys: rest,
            ConsistentRead: true,
            ProjectionExpression: storedAttributes,
          },
        },
      }),
    );
    found.push(...(Responses?.[table] ?? []));
    rest = (UnprocessedKeys?.[table]?.Keys ?? []).map(keyPart);
    if (rest.length > 0) throw new Incomplete(rest.length === asked ? 'none' : 'some');
  });
  return found;
}

function keyPart(item: Item): Item {
  return writeKey({ pk: textAttribute(item, partitionKey), sk: textAttribute(item, sortKey) });
}
