import * as v from 'valibot';
import {
  description,
  type Field,
  type Fields,
  json,
  text,
} from '../../shared/core/resource/field.ts';
import { nameField } from '../../shared/core/resource/named-records.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { jsonObject, text as textValue, type ValueSchema } from '../../shared/values/values.ts';

const reserved = ['instance', 'user', 'response', 'action'];

/** Variables; the size of the whole keeps the record below what the table holds. */
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

const contentType: Field = {
  ...text(255, { required: true }),
  input: v.pipe(
    textValue({ max: 255 }),
    v.check((value) => /^[a-z]+\/[a-z0-9+.-]+$/i.test(value), messages.notContentType),
  ),
};

/** A template (docs/reference/templates.md#record). That its content can be read is checked when it is stored. */
export const templateFields: Fields = {
  name: nameField,
  content: text(65_536, { required: true }),
  content_type: contentType,
  context: json(ownVariables, { initial: {}, putDefault: {}, shows: 'object' }),
  description: description(),
};

/** What a rendering sends: variables in place of the template's own, and none when they are empty. */
export const renderFields: Fields = {
  context: json(variables, { initial: {}, shows: 'object' }),
};
