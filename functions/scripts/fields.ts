import { computed, defineFields, text } from '../../shared/core/family.ts';
import { description, json } from '../../shared/core/resource/field.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import { maxSource, runtimeNames } from '../../shared/scripts/script-runtimes.ts';
import { jsonObject, text as textValue, word } from '../../shared/values/values.ts';

const configLimits = { maxKeys: 1024, maxKeyLength: 64, maxBytes: 262_144 };

/** A runtime by name only: other choices have a number too. */
const runtimeName = {
  type: 'choice',
  writable: 'always',
  required: true,
  choices: Object.keys(runtimeNames),
  input: word(Object.keys(runtimeNames)),
} as const satisfies Field;

/** Source text; white space counts, at both ends too. */
const source = {
  type: 'string',
  writable: 'always',
  initial: '',
  putDefault: '',
  maxLength: maxSource,
  input: textValue({ blank: true, trim: false, max: maxSource }),
} as const satisfies Field;

/** Fields of a script (docs/reference/scripts.md#record). */
export const scriptFields = defineFields({
  id: computed('integer'),
  runtime_name: runtimeName,
  source,
  config: json(jsonObject({ name: 'Config', ...configLimits }), {
    initial: {},
    putDefault: {},
    shows: 'object',
  }),
  label: text(80), // 64 at the service, 80 in its clients
  description: description(),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
});
