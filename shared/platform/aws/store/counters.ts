import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Key } from '../../../store/store.ts';
import type { StoreContext } from './context.ts';
import { writeKey } from './item.ts';
import { retry } from './retry.ts';
import { attributes } from './table.ts';

/** Takes the next `count` numbers of a counter and returns the first. */
export type Take = (counter: Key, count: number) => Promise<number>;

const expression = `SET ${attributes.kind} = :kind ADD ${attributes.number} :count`;

/**
 * Takes numbers from the table. A lost response costs numbers: the retry takes others.
 *
 * @throws StoreBusy, StoreUnavailable
 */
export async function takeFromTable(
  { client, table, pacing }: StoreContext,
  counter: Key,
  count: number,
): Promise<number> {
  const { Attributes } = await retry(pacing, () =>
    client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: writeKey(counter),
        UpdateExpression: expression,
        ExpressionAttributeValues: { ':kind': { S: 'counter' }, ':count': { N: String(count) } },
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
  );
  const last = Number(Attributes?.[attributes.number]?.N);
  if (!Number.isSafeInteger(last)) throw new Error('a counter without a number');
  return last - count + 1;
}
