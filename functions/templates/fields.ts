import * as v from 'valibot';
import { defineFields, text } from '../../shared/core/family.ts';
import { description, json } from '../../shared/core/resource/field.ts';
import { nameField } from '../../shared/core/resource/named-records.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { jsonObject, text as textValue, type ValueSchema } from '../../shared/values/values.ts';

const reserved = ['instance', 'user', 'response', 'action'];

/** Variables; the limit of their total size keeps the record below the table's limit. */
const variables = jsonObject({
  name: 'Context',
  maxKeys: 32,
  maxKeyLength: 128,
  maxValueLength: 4096,
  maxBytes: 131_072,
});

const ownVariables: ValueSchema<JsonObject> = v.pipe(
  variables,
  v.rawCheck<JsonObject>(({ dataset, addIssue }) => {
    const names = dataset.typed ? Object.keys(dataset.value) : [];
    const used = names.find((name) => reserved.includes(name.toLowerCase()));
    if (used !== undefined) addIssue({ message: dataMessages.keyReserved(used) });
  }),
);

const contentType = {
  ...text(255, { required: true }),
  input: v.pipe(
    textValue({ max: 255 }),
    v.check((value) => /^[a-z]+\/[a-z0-9+.-]+$/i.test(value), messages.notContentType),
  ),
};

/** Fields of a template (docs/reference/templates.md#record). Content syntax is checked when it is stored. */
export const templateFields = defineFields({
  name: nameField,
  content: text(65_536, { required: true }),
  content_type: contentType,
  context: json(ownVariables, { initial: {}, putDefault: {}, shows: 'object' }),
  description: description(),
});

/** Fields of a rendering: variables that replace the template's own; empty ones replace none. */
export const renderFields = defineFields({
  context: json(variables, { initial: {}, shows: 'object' }),
});
