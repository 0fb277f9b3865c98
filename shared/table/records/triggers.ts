import type { ObjectAction, TriggerSignal } from '../../triggers/rules/signals.ts';
import type { TracePart } from './scripts.ts';

/* Data of items for triggers. */

/** Runs a script after changes of the objects of a class. One whose class or script was deleted is treated as absent. */
export interface TriggerData {
  readonly id: number;
  readonly label: string;
  readonly description: string;
  readonly signal: TriggerSignal;
  /** Name of the class. */
  readonly class: string;
  /** A later class of the same name has another number. */
  readonly classNumber: number;
  /** Id of the script. */
  readonly script: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A change of an object that triggers wait for, until their runs are planned. */
export interface TriggerEventData {
  /** Name of the class of the object. */
  readonly class: string;
  readonly action: ObjectAction;
  /** Ids of the triggers whose runs are not planned yet. */
  readonly triggers: readonly number[];
  /** The object in its form in responses, without links. */
  readonly args: TracePart;
  /** Names of the changed fields of an update, else null. */
  readonly changes: readonly string[] | null;
  /** Scripts between the client and the change. */
  readonly depth: number;
  /** Failed attempts to plan the runs; none when absent. */
  readonly failures?: number;
}

/** Runs of triggers that were planned in one minute. */
export interface TriggerRateData {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly runs: number;
}
