import type { Key, WriteCause } from '../../store/store.ts';
import type { JsonObject } from '../../values/json/json.ts';

/* Data of items for jobs; their keys are in entities/. */

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
  /** Input of the job, and its progress. */
  readonly task: JsonObject;
}

/** A change that a consumer failed to process. */
export interface DeadLetterData {
  readonly id: string;
  readonly consumer: string;
  readonly position: string;
  readonly key: Key;
  readonly kind: string;
  readonly change: WriteCause;
  /** Data and version of the item; absent when the item was absent, or where `file` has them. */
  readonly before?: object;
  readonly after?: object;
  readonly beforeVersion?: string;
  readonly afterVersion?: string;
  /** Key of the file that has these four, which are too large for an item. */
  readonly file?: string;
  /** The last error of the consumer. */
  readonly error: string;
  /** Id of the letter in its instance; absent in a letter of an earlier release, which its instance does not see. */
  readonly number?: number;
}

/** A lane of the change feed with changes that wait for their consumer. */
export interface ParkedLaneData {
  readonly consumer: string;
  /** Instance, or partition outside of instances. */
  readonly owner: string;
  /** Epoch milliseconds since when it has any. */
  readonly sinceMs: number;
}

/** Changes of a lane that wait, in order. */
export interface ParkedChangesData {
  /** Number of the first ones that do not wait any more. */
  readonly consumed: number;
  /** Deliveries that began and have not ended: their processes died. */
  readonly begun: number;
  /** Absent where `file` has them. */
  readonly changes?: readonly ParkedChange[];
  /** Key of the file that has them, if they are too large for an item. */
  readonly file?: string;
}

/** A change that waits. */
export interface ParkedChange {
  readonly position: string;
  readonly shard?: string;
  readonly at?: number;
  readonly key: Key;
  readonly kind: string;
  readonly change: WriteCause;
  readonly before?: { readonly version: string; readonly data: object };
  readonly after?: { readonly version: string; readonly data: object };
}

/** A dead letter as its instance sees it: without the data of the change, so that lists of them are small. */
export interface InstanceLetterData extends LetterItem {
  readonly id: number;
  /** Id of the letter, and the epoch milliseconds in its key. */
  readonly letter: string;
  readonly at: number;
  readonly created_at: string;
  readonly consumer: string;
  /** The last error of the consumer, as the instance may see it. */
  readonly error: string;
  /** Whether a job that replays it waits or runs. */
  readonly status: 'failed' | 'replaying';
}

/** The changed item of a dead letter, in words of the interface. */
export interface LetterItem {
  readonly item: 'object' | 'file' | 'class' | 'script' | 'other';
  readonly action: 'create' | 'update' | 'delete';
  /** Id of the object or the script. */
  readonly itemId?: number;
  /** Class of the object or the file. */
  readonly classNumber?: number;
  /** Name of the class at that time, where its number is not known. */
  readonly className?: string;
}
