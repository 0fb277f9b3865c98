/** A JSON Schema, as far as the interface document uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
}

/** Schemas by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Returns where a value differs from its schema. Stricter than JSON Schema: a member that is not listed is a difference
 * unless the schema allows others.
 */
export function differences(value: unknown, schema: Schema, all: Schemas, at = '$'): string[] {
  const { $ref, type, enum: choices } = schema;
  if ($ref !== undefined) {
    const found = all[$ref.split('/').at(-1) ?? ''];
    return found === undefined ? [`${at}: no ${$ref}`] : differences(value, found, all, at);
  }
  if (type === undefined) return [];
  const types = [type].flat();
  const own = typeOf(value);
  if (!types.includes(own) && !(own === 'integer' && types.includes('number'))) {
    return [`${at}: ${own} in place of ${types.join(' or ')}`];
  }
  if (choices !== undefined && !choices.includes(value)) return [`${at}: no such choice`];
  if (Array.isArray(value)) {
    return value.flatMap((each, i) => differences(each, schema.items ?? {}, all, `${at}[${i}]`));
  }
  return own === 'object' ? ofObject(value as object, schema, all, at) : [];
}

function ofObject(value: object, schema: Schema, all: Schemas, at: string): string[] {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const members = Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name];
    if (known !== undefined) return differences(member, known, all, `${at}.${name}`);
    return additionalProperties ? [] : [`${at}.${name}: not documented`];
  });
  return [...missing.map((name) => `${at}.${name}: missing`), ...members];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
