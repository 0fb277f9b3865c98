import type { JsonObject } from '../../values/json/json.ts';
import { isSameJson } from '../../values/json/json-values.ts';

/** Kind of change of an object, as META of a trigger's script names it. */
export type ObjectAction = 'create' | 'update' | 'delete';

/** Kinds of changes that triggers wait for, as clients name them. */
export const triggerSignals = ['post_create', 'post_update', 'post_delete'] as const;
export type TriggerSignal = (typeof triggerSignals)[number];

/** A trigger in the record of its class, which every change of an object reads. */
export interface ClassTrigger {
  readonly id: number;
  readonly signal: TriggerSignal;
}

/** Returns the ids of the triggers that wait for an action, in the order of their creation. */
export function triggersOf(
  triggers: readonly ClassTrigger[] = [],
  action: ObjectAction,
): readonly number[] {
  return triggers.filter(({ signal }) => signal === `post_${action}`).map(({ id }) => id);
}

/** Returns the names of the fields that an update has changed, of those that the object has in responses. */
export function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  return Object.keys(after).filter((name) => !isSameJson(before[name], after[name]));
}

/** A change of an object, as far as it decides on the order of changes. */
export interface OrderedChange {
  readonly action: ObjectAction;
  /** Of the object, after the change. */
  readonly revision: number;
  /** Whether the update left the object as it was. */
  readonly isUnchanged: boolean;
}

/**
 * Returns a text that is greater for the later one of two changes of an object. Each change makes a revision, except
 * the last one, a deletion, and updates that change nothing. Of these several may follow the same revision: their order
 * is that of `unique`, and does not matter, since they have the same arguments.
 */
export function orderOf({ action, revision, isUnchanged }: OrderedChange, unique: string): string {
  const made = String(revision).padStart(10, '0');
  if (action === 'delete') return `${made}#2`;
  return isUnchanged ? `${made}#1#${unique}` : `${made}#0`;
}
