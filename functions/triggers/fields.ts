import { classField } from '../../shared/classes/class-field.ts';
import { computed, defineFields, text } from '../../shared/core/family.ts';
import { description } from '../../shared/core/resource/field.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import { scriptField } from '../../shared/scripts/script-reference.ts';
import { triggerSignals } from '../../shared/triggers/rules/signals.ts';
import { word } from '../../shared/values/values.ts';

const signal = {
  type: 'choice',
  writable: 'always',
  required: true,
  choices: triggerSignals,
  input: word(triggerSignals),
} as const satisfies Field;

const before = {
  id: computed('integer'),
  label: text(80), // 64 at the service, 80 in its clients
  description: description(),
  signal,
};
const after = {
  class: classField,
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
};

/** Fields of a trigger by version (docs/reference/triggers.md#record). Its class and its script are checked when it is stored. */
export const triggerFields = {
  'v1.1': defineFields({ ...before, ...after, script: scriptField() }),
  v1: defineFields({ ...before, ...after, codebox: scriptField() }),
};

/** Fields of one of the versions. */
export type TriggerFields = (typeof triggerFields)[Version];
