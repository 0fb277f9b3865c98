import type { triggerFields } from '../../../functions/triggers/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
/** A trigger, as the interface shows it. */
export type Trigger = ShownRecord<(typeof triggerFields)['v1.1']>;

/** Signals in words. */
export const signalTexts: Readonly<Record<Trigger['signal'], string>> = {
  post_create: 'created',
  post_update: 'changed',
  post_delete: 'deleted',
};

/** Returns how a trigger is called. */
export function triggerName({ id, label }: Pick<Trigger, 'id' | 'label'>): string {
  return label === '' ? `Trigger ${id}` : label;
}
