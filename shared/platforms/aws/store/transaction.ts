import {
  type CancellationReason,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { ConditionFailed } from '../../../store/store.ts';
import { conditionPart } from './condition.ts';
import type { StoreContext } from './context.ts';
import { readItem, writeKey } from './item.ts';
import type { PreparedTransaction, PreparedWrite } from './prepare.ts';
import { readItems } from './read.ts';
import { retry } from './retry.ts';
import { tableAttributes } from './table.ts';

/**
 * Applies several writes, all or none. All tries of a call are the same request with the same token, so that DynamoDB
 * responds to a retry as to the first try.
 *
 * @throws ConditionFailed, StoreBusy, StoreUnavailable
 */
export async function writeTogether(
  context: StoreContext,
  transaction: PreparedTransaction,
): Promise<void> {
  const now = Math.ceil(context.now());
  const request = {
    ClientRequestToken: token(transaction.id, now),
    TransactItems: transaction.writes.map((prepared) => transactItem(context, prepared, now)),
  };
  const attempt = async (): Promise<void> => {
    try {
      await context.client.send(new TransactWriteItemsCommand(request));
    } catch (error) {
      const failed = failedWrites(transaction, error);
      const [first] = failed;
      if (first === undefined) throw error;
      if (await isApplied(context, transaction, failed)) return;
      throw new ConditionFailed(
        first.prepared.position,
        readItem(first.reason.Item, context.now()),
      );
    }
  };
  await retry(context.pacing, attempt, { isWrite: true });
}

/** Number of moments with a unique token before they repeat: 13 hours of seconds, in three digits. */
const tokenMoments = 36 ** 3;

/**
 * Returns a token that identifies the request, and so the write's id and the moment by which items have expired:
 * DynamoDB rejects another request with the same token. At most 36 characters.
 */
function token(id: string, now: number): string {
  return `${id}-${(now % tokenMoments).toString(36)}`;
}

function transactItem(
  { table }: StoreContext,
  { write, item }: PreparedWrite,
  now: number,
): TransactWriteItem {
  const condition = conditionPart(write.condition, now);
  const { ConditionExpression } = condition;
  const told = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  const conditional = { TableName: table, ...condition, ...(ConditionExpression && told) };
  if (item !== undefined) return { Put: { ...conditional, Item: item } };
  const Key = writeKey(write.key);
  if (write.action === 'delete') return { Delete: { ...conditional, Key } };
  return { ConditionCheck: { ...conditional, Key, ConditionExpression } };
}

interface FailedWrite {
  readonly prepared: PreparedWrite;
  readonly reason: CancellationReason;
}

/** Returns the writes whose conditions failed; reasons are in the order of the writes. */
function failedWrites({ writes }: PreparedTransaction, error: unknown): readonly FailedWrite[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  const reasons = error.CancellationReasons ?? [];
  return writes.flatMap((prepared, at) => {
    const reason = reasons[at];
    return reason?.Code === 'ConditionalCheckFailed' ? [{ prepared, reason }] : [];
  });
}

/**
 * Returns whether conditions fail because the transaction was applied before, with a different or forgotten token: then
 * every item that it puts has its id. Reads only when the failures do not show it.
 */
async function isApplied(
  context: StoreContext,
  { id, writes }: PreparedTransaction,
  failed: readonly FailedWrite[],
): Promise<boolean> {
  const failedPuts = failed.filter(({ prepared }) => prepared.item !== undefined);
  if (failedPuts.some(({ reason }) => reason.Item?.[tableAttributes.version]?.S !== id))
    return false;
  const told = new Set(failedPuts.map(({ prepared }) => prepared));
  const puts = writes.filter(({ item }) => item !== undefined);
  const others = puts.filter((prepared) => !told.has(prepared));
  const items = await readItems(
    context,
    others.map(({ write }) => write.key),
  );
  return puts.length > 0 && items.every((item) => item?.version === id);
}
