import type { ClassContext } from '../classes/class-record.ts';
import type { ClassFieldType, FieldDefinition } from '../classes/rules/field-types.ts';
import { objectPermissions } from '../classes/rules/permissions.ts';
import {
  choiceField,
  defineFields,
  expectedRevision,
  json,
  readOnlyField,
} from '../core/resource/field.ts';
import type { Field, Fields } from '../core/routing/forms.ts';
import type { FieldsAt } from '../core/routing/route.ts';
import { recordId } from '../values/record-id.ts';
import { text as textValue } from '../values/values.ts';

/** Fields of every data object, in addition to those of its class (docs/reference/objects.md#record). */
export const objectFields = defineFields({
  id: readOnlyField('integer'),
  created_at: readOnlyField('datetime'),
  updated_at: readOnlyField('datetime'),
  revision: readOnlyField('integer'),
  owner: json(recordId(), { nullable: true, shows: 'integer' }),
  owner_permissions: choiceField(objectPermissions, 'full'),
  group: json(recordId(), { nullable: true, shows: 'integer' }),
  group_permissions: choiceField(objectPermissions, 'none'),
  other_permissions: choiceField(objectPermissions, 'none'),
  channel: json(textValue(), { nullable: true, writable: 'create', shows: 'string' }),
  channel_room: {
    type: 'string',
    writable: 'create',
    nullable: true,
    input: textValue({ max: 64, blank: true }),
    maxLength: 64,
  },
  expected_revision: expectedRevision(),
});

/** Fields of every object, and those of the class of the request. */
export const objectFieldsAt: FieldsAt<ClassContext['loaded']> = (fields, context) => {
  const { schema } = context.loaded.class.data;
  const known = fieldsOfSchemas.get(schema) ?? new WeakMap<Fields, Fields>();
  const all = known.get(fields) ?? { ...fields, ...describedFields(schema) };
  fieldsOfSchemas.set(schema, known.set(fields, all));
  return all;
};

/** The results by schema and form: every write asks for one, to find unknown names. */
const fieldsOfSchemas = new WeakMap<readonly FieldDefinition[], WeakMap<Fields, Fields>>();

/** Returns the fields of a class as introspection describes them. */
export function describedFields(schema: readonly FieldDefinition[]): Fields {
  return Object.fromEntries(schema.map(({ name, type }) => [name, described[type]]));
}

const field: Field = { type: 'field', writable: 'always' };
const described: Readonly<Record<ClassFieldType, Field>> = {
  string: { type: 'string', writable: 'always', maxLength: 128 },
  text: { type: 'string', writable: 'always', maxLength: 32_000 },
  integer: {
    type: 'integer',
    writable: 'always',
    minValue: -2_147_483_648,
    maxValue: 2_147_483_647,
  },
  float: { type: 'float', writable: 'always' },
  boolean: { type: 'boolean', writable: 'always' },
  datetime: { type: 'datetime', writable: 'always' },
  file: { type: 'file upload', writable: 'always' },
  reference: field,
  relation: field,
  array: field,
  object: field,
  geopoint: field,
};
