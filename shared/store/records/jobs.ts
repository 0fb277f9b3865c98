import type { JsonObject } from '../../values/json/json.ts';
import type { Change, Key } from '../store.ts';

/*
 * What the items hold that are about work; their keys are in entities.ts.
 */

/** Something to be done later. */
export interface JobData {
  readonly kind: string;
  readonly id: string;
  /** Epoch milliseconds; stands in the key too. */
  readonly due: number;
  /** Somebody works on it now, and `due` says until when the others leave it alone. */
  readonly claimed: boolean;
  /** Attempts in a row that have failed. */
  readonly failures: number;
  /** What to do, and how far it is done. */
  readonly task: JsonObject;
}

/** A change that a consumer could not take. */
export interface DeadLetterData {
  readonly id: string;
  /** Name of the consumer. */
  readonly consumer: string;
  readonly position: string;
  readonly key: Key;
  readonly kind: string;
  readonly change: Change;
  /** Data of the item; absent when there was none. */
  readonly before?: object;
  readonly after?: object;
  /** The error that the consumer met last. */
  readonly error: string;
}
