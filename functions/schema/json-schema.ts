import type { Fields } from '../../shared/core/family.ts';
import type { Field, FieldType, LinkForm } from '../../shared/core/routing/forms.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';

/** Whether a schema describes what a client sends as JSON or as a form, or what it receives. */
export type Direction = 'sent' | 'form' | 'shown';

/** Properties of an object in addition to its fields. */
export interface ObjectProperties {
  readonly links?: readonly LinkForm[] | undefined;
  /** No field is required. */
  readonly isPartial?: boolean;
  /** Fields that are not listed are allowed. */
  readonly isOpen?: boolean;
}

/** Returns the JSON Schema of an object with these fields. */
export function objectSchema(
  fields: Fields,
  direction: Direction,
  form: ObjectProperties,
): JsonObject {
  const { links, isPartial, isOpen } = form;
  const known = Object.entries(fields).filter(([, field]) => isPart(field, direction));
  const properties = known.map(([name, field]): [string, JsonObject] => [
    name,
    fieldSchema(field, direction),
  ]);
  const isRequired = ({ isOptional, required }: Field) =>
    direction === 'shown' ? !isOptional : required;
  const required = isPartial ? [] : known.filter(([, field]) => isRequired(field));
  const names = required.map(([name]) => name);
  const isLinked = links !== undefined && direction === 'shown';
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(properties),
      ...(isLinked && { links: linksSchema(links) }),
    },
    ...(names.length > 0 && { required: isLinked ? [...names, 'links'] : names }),
    ...(isOpen && { additionalProperties: true }),
  };
}

function isPart({ writable, writeOnly }: Field, direction: Direction): boolean {
  return direction === 'shown' ? !writeOnly : writable !== 'never';
}

/** Returns the schema of links; a link with an absent target is left out, `self` always exists. */
function linksSchema(links: readonly LinkForm[]): JsonObject {
  const names = links.map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    ...(names.includes('self') && { required: ['self'] }),
  };
}

function fieldSchema(field: Field, direction: Direction): JsonObject {
  const kind = kindSchema(field, direction);
  const isText = direction === 'form' && (kind.type === 'array' || kind.type === 'object');
  const schema = isText ? jsonText : { ...kind, ...limits(field, direction) };
  const described =
    field.helpText === undefined ? schema : { ...schema, description: field.helpText };
  const isNullable = field.nullable || (field.isShownAsNull && direction === 'shown');
  return isNullable ? nullable(described) : described;
}

/** A list or an object in a form. */
const jsonText = { type: 'string', contentMediaType: 'application/json' };

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: choices } = schema;
  if (typeof type !== 'string') return schema;
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(choices) && { enum: [...choices, null] }),
  };
}

/** Returns limits of sent values: stored ones may be older than the limits. */
function limits(field: Field, direction: Direction): JsonObject {
  if (direction === 'shown') return {};
  const { minLength, maxLength, minValue, maxValue } = field;
  return {
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(minValue !== undefined && { minimum: minValue }),
    ...(maxValue !== undefined && { maximum: maxValue }),
  };
}

const simple: Readonly<Partial<Record<FieldType, JsonObject>>> = {
  string: { type: 'string' },
  slug: { type: 'string' },
  email: { type: 'string', format: 'idn-email' }, // domains beyond ASCII are accepted
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  datetime: { type: 'string', format: 'date-time' },
};

function kindSchema(field: Field, direction: Direction): JsonObject {
  const { type, children, child, choices, links, isOpen = false } = field;
  if (type === 'choice') return { type: 'string', ...(choices && { enum: choices }) };
  if (type === 'list') {
    return { type: 'array', items: child === undefined ? {} : fieldSchema(child, direction) };
  }
  const known = simple[type];
  if (known !== undefined) return known;
  const isObject = type === 'nested object' || direction === 'shown';
  if (children !== undefined && isObject)
    return objectSchema(children, direction, { links, isOpen });
  return shownSchema(field);
}

const shownSchemas: Readonly<Record<NonNullable<Field['shows']>, JsonObject>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  object: { type: 'object', additionalProperties: true },
  list: { type: 'array', items: {} },
};

function shownSchema({ shows }: Field): JsonObject {
  return shows === undefined ? {} : shownSchemas[shows];
}
