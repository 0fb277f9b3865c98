import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ConditionFailed, type Stored, type Transaction } from '../../../store/store.ts';
import { isConditionMet } from '../../../store/writes.ts';
import { conditionPart } from './condition.ts';
import type { StoreContext } from './context.ts';
import { type Item, readItem, writeKey } from './item.ts';
import { type PreparedWrite, prepareTransaction } from './prepare.ts';
import { readItems } from './read.ts';
import { retry } from './retry.ts';
import { tableAttributes } from './table.ts';
import { writeTogether } from './transaction.ts';

/** A write may have been applied, but its item has changed since, so that the outcome is unknown. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('a write whose response was lost may or may not have been applied', { cause });
    this.name = 'OutcomeUnknown';
  }
}

/**
 * Applies a transaction: one write by itself, several together.
 *
 * @throws ConditionFailed, ItemTooLarge, StoreBusy, StoreUnavailable, OutcomeUnknown
 */
export async function writeItems(context: StoreContext, transaction: Transaction): Promise<void> {
  const { id, writes } = prepareTransaction(transaction);
  const [first] = writes;
  if (first === undefined) return;
  if (writes.length > 1) return writeTogether(context, { id, writes });
  if (first.write.action === 'check') return checkOne(context, first);
  return writeOne(context, id, first);
}

/** Checks a condition; a check alone is a read. */
async function checkOne(context: StoreContext, { write, position }: PreparedWrite): Promise<void> {
  const [item] = await readItems(context, [write.key]);
  if (!isConditionMet(write.condition, item)) throw new ConditionFailed(position, item);
}

async function writeOne(context: StoreContext, id: string, prepared: PreparedWrite): Promise<void> {
  const now = Math.ceil(context.now());
  const attempt = async (mayBeApplied: boolean): Promise<void> => {
    try {
      await send(context, prepared, now);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (isApplied(prepared, { id, mayBeApplied, existing: error.Item })) return;
      if (mayBeApplied) throw new OutcomeUnknown(error);
      throw conditionFailed(context, prepared, error.Item);
    }
  };
  await retry(context.pacing, attempt, { isWrite: true });
}

async function send(
  { client, table }: StoreContext,
  { write, item }: PreparedWrite,
  now: number,
): Promise<void> {
  const condition = conditionPart(write.condition, now);
  const conditional = {
    TableName: table,
    ...condition,
    ...(condition.ConditionExpression !== undefined && {
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }),
  };
  if (item !== undefined) await client.send(new PutItemCommand({ ...conditional, Item: item }));
  else await client.send(new DeleteItemCommand({ ...conditional, Key: writeKey(write.key) }));
}

interface Trace {
  readonly id: string;
  readonly mayBeApplied: boolean;
  /** The existing item. */
  readonly existing: Item | undefined;
}

/** Returns whether a condition fails because the write was applied before: a put left its id, a delete no item. */
function isApplied({ item }: PreparedWrite, { id, mayBeApplied, existing }: Trace): boolean {
  return item === undefined
    ? mayBeApplied && existing === undefined
    : existing?.[tableAttributes.version]?.S === id;
}

function conditionFailed(
  context: StoreContext,
  { position }: PreparedWrite,
  item: Item | undefined,
): ConditionFailed {
  const existing: Stored | undefined = readItem(item, context.now());
  return new ConditionFailed(position, existing);
}
