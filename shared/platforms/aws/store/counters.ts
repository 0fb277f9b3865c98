import {
  ConditionalCheckFailedException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { CounterEnded, type Key } from '../../../store/store.ts';
import type { StoreContext } from './context.ts';
import { writeKey } from './item.ts';
import { retry } from './retry.ts';
import { tableAttributes } from './table.ts';

/** Takes the next `count` numbers of a counter and returns the first. */
export type TakeNumbers = (counter: Key, count: number) => Promise<number>;

const expression = `SET ${tableAttributes.kind} = :kind ADD ${tableAttributes.number} :count`;

/**
 * Takes numbers from the table. A lost response costs numbers: the retry takes others.
 *
 * @param most the highest number to take; absent: there is none
 * @throws StoreBusy, StoreUnavailable, CounterEnded
 */
export async function takeFromTable(
  { client, table, pacing }: StoreContext,
  counter: Key,
  count: number,
  most?: number,
): Promise<number> {
  // the condition of the table cannot say it of a counter that is not there yet
  if (most !== undefined && count > most) throw new CounterEnded(counter);
  const values = { ':kind': { S: 'counter' }, ':count': { N: String(count) } };
  const update = {
    TableName: table,
    Key: writeKey(counter),
    UpdateExpression: expression,
    ExpressionAttributeValues: values,
    ReturnValues: 'UPDATED_NEW',
  } as const;
  const limited = most === undefined ? update : limitedTo(update, most - count);
  const { Attributes } = await retry(pacing, () =>
    client.send(new UpdateItemCommand(limited)),
  ).catch((error: unknown) => {
    throw error instanceof ConditionalCheckFailedException ? new CounterEnded(counter) : error;
  });
  const last = Number(Attributes?.[tableAttributes.number]?.N);
  if (!Number.isSafeInteger(last)) throw new Error('a counter without a number');
  return last - count + 1;
}

/** Returns an update that fails when the number is above `room` before it. */
function limitedTo(update: UpdateItemCommandInput, room: number): UpdateItemCommandInput {
  const { number } = tableAttributes;
  return {
    ...update,
    ConditionExpression: `attribute_not_exists(${number}) OR ${number} <= :room`,
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ':room': { N: String(room) },
    },
  };
}
