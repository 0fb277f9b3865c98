import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Stored } from '../../../store/store.ts';
import { type Item, readItem, storedAttributes } from '../store/item.ts';
import { realPacing, retry } from '../store/retry.ts';
import { tableAttributes } from '../store/table.ts';

const segments = 4; // read at the same time

/** Reads a whole table, which is charged for; passes the items of some kinds to `take`, in any order. */
export async function scanTable(
  { client, table }: { readonly client: DynamoDBClient; readonly table: string },
  kinds: readonly string[],
  { take, progress }: Walk,
): Promise<void> {
  const names = kinds.map((_, at) => `:k${at}`);
  const filter = {
    FilterExpression: `${tableAttributes.kind} IN (${names.join(', ')})`,
    ExpressionAttributeValues: Object.fromEntries(
      kinds.map((kind, at) => [`:k${at}`, { S: kind }]),
    ),
  };
  let read = 0;
  const readSegment = async (segment: number) => {
    let last: Item | undefined;
    do {
      const page = await retry(realPacing, () =>
        client.send(
          new ScanCommand({
            TableName: table,
            ProjectionExpression: storedAttributes,
            Segment: segment,
            TotalSegments: segments,
            ...filter,
            ...(last && { ExclusiveStartKey: last }),
          }),
        ),
      );
      for (const item of page.Items ?? []) {
        const stored = readItem(item, Date.now() / 1000);
        if (stored !== undefined) take(stored);
      }
      read += page.ScannedCount ?? 0;
      progress(read);
      last = page.LastEvaluatedKey;
    } while (last !== undefined);
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => readSegment(segment)));
}

/** Receives what is read. */
export interface Walk {
  readonly take: (item: Stored) => void;
  /** Receives the number of items that were read so far. */
  readonly progress: (read: number) => void;
}
