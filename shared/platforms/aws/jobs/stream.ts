import { createHash } from 'node:crypto';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import type { DataSize, ItemChange } from '../../../jobs/change-feed.ts';
import type { Stored, WriteCause } from '../../../store/store.ts';
import { type Item, readChange, readItem, textAttribute } from '../store/item.ts';
import { tableAttributes } from '../store/table.ts';

/** The principal that DynamoDB reports when it deletes an expired item. */
const expiry = 'dynamodb.amazonaws.com';

const positionDigits = 40;

/**
 * Reads a record of the table's stream. For a delete the stream has no cause: it counts as a client's, except for an
 * expired item.
 *
 * @param sized kinds of which only the size of the data is needed
 * @param shard of the record; undefined: unknown
 * @returns undefined for an item that is no entity, such as a counter
 */
export function readStreamRecord(
  record: DynamoDBRecord,
  sized: ReadonlySet<string>,
  shard?: string,
): ItemChange | undefined {
  const { NewImage, OldImage, SequenceNumber = '', ...made } = record.dynamodb ?? {};
  const [before, after] = [imageOf(OldImage, sized), imageOf(NewImage, sized)];
  const item = after ?? before;
  if (item === undefined) return undefined;
  return {
    key: item.key,
    kind: item.kind,
    ...(before && { before }),
    ...(after && { after }),
    change: changeOf(record, NewImage),
    position: SequenceNumber.padStart(positionDigits, '0'),
    ...(shard !== undefined && { shard }),
    ...(made.ApproximateCreationDateTime && { at: made.ApproximateCreationDateTime * 1000 }),
  };
}

/** Returns the sequence number of the record of a change. */
export function sequenceNumber({ position }: ItemChange): string {
  return position.replace(/^0+/, '');
}

/**
 * Returns a short name for a shard, with one for its stream: counts have the names of some shards, and the stream of a
 * restored table is another one.
 */
export function shardName(streamArn: string, id: string): string {
  return `${hash(streamArn).slice(0, 4)}.${hash(id).slice(0, 8)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

type Image = Readonly<Record<string, AttributeValue>> | undefined;

function imageOf(image: Image, sized: ReadonlySet<string>): Stored | undefined {
  const item = image as Item | undefined;
  const kind = item?.[tableAttributes.kind]?.S;
  if (kind === undefined || !sized.has(kind)) return readItem(item, 0); // an item that has expired since existed then
  const data: DataSize = { bytes: Buffer.byteLength(item?.[tableAttributes.data]?.S ?? '') };
  return readItem({ ...item, [tableAttributes.data]: { S: JSON.stringify(data) } }, 0);
}

function changeOf({ userIdentity }: DynamoDBRecord, image: Image): WriteCause {
  if (image !== undefined) return readChange(textAttribute(image as Item, tableAttributes.change));
  const isExpired = (userIdentity as { principalId?: string } | undefined)?.principalId === expiry;
  return { actor: {}, cause: isExpired ? 'maintenance' : 'client', depth: 0 };
}
