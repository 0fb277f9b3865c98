import type { JsonObject } from '../../values/json/json.ts';
import type { Change, Key } from '../store.ts';

/* Data of items for jobs; their keys are in entities.ts. */

/** A job. */
export interface JobData {
  readonly kind: string;
  readonly id: string;
  /** Epoch milliseconds; also part of the key. */
  readonly due: number;
  /** A process has the lease of the job, which expires at `due`. */
  readonly claimed: boolean;
  /** Consecutive failed attempts. */
  readonly failures: number;
  /** What to do, and how far it is done. */
  readonly task: JsonObject;
}

/** A change that a consumer failed to process. */
export interface DeadLetterData {
  readonly id: string;
  readonly consumer: string;
  readonly position: string;
  readonly key: Key;
  readonly kind: string;
  readonly change: Change;
  /** Data and version of the item; absent when the item was absent, or where `file` has them. */
  readonly before?: object;
  readonly after?: object;
  readonly beforeVersion?: string;
  readonly afterVersion?: string;
  /** Key of the file that has these four, which are too large for an item. */
  readonly file?: string;
  /** The last error of the consumer. */
  readonly error: string;
}
