import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Pacing } from './retry.ts';

/** What every part of the adapter needs. */
export interface StoreContext {
  readonly client: DynamoDBClient;
  /** Name of the table. */
  readonly table: string;
  /** Epoch seconds; decides what has expired. */
  readonly now: () => number;
  readonly pacing: Pacing;
}
