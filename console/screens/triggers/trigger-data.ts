import type { triggerFields } from '../../../functions/triggers/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';

/** A trigger, as the interface shows it. */
export type Trigger = ShownRecord<(typeof triggerFields)['v1.1']>;

/** The triggers of an instance. */
export const triggerType: RecordType<Pick<Trigger, 'id' | 'label'>> = {
  noun: 'trigger',
  title: 'Triggers',
  path: (instance) => at`instances/${instance}/triggers/`,
  place: (instance) => at`/i/${instance}/triggers`,
  keyOf: ({ id }) => id,
  nameOf: ({ id, label }) => label || `Trigger ${id}`,
};

/** Signals in words. */
export const signalTexts: Readonly<Record<Trigger['signal'], string>> = {
  post_create: 'created',
  post_update: 'changed',
  post_delete: 'deleted',
};
