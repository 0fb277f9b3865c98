import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Pacing } from './retry.ts';

/** The context of every part of the adapter. */
export interface StoreContext {
  readonly client: DynamoDBClient;
  /** Name of the table. */
  readonly table: string;
  /** Returns epoch seconds; decides which items have expired. */
  readonly now: () => number;
  readonly pacing: Pacing;
}
