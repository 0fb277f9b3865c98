import type { Json } from '../../values/json/json.ts';
import type { ValueResult } from '../../values/scalars.ts';

/** Types of fields of a class, in the order of messages. */
export const fieldTypes = [
  'string',
  'text',
  'integer',
  'float',
  'boolean',
  'datetime',
  'file',
  'reference',
  'relation',
  'array',
  'object',
  'geopoint',
] as const;

export type ClassFieldType = (typeof fieldTypes)[number];

/** Field of a class as clients define and see it. An absent flag is false. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: ClassFieldType;
  readonly order_index?: true;
  readonly filter_index?: true;
  readonly unique?: boolean;
  /** Of references and relations: `self`, `user` or the name of a class, as the client sent it. */
  readonly target?: string;
  /** Of files: they are served at signed addresses only. */
  readonly private?: true;
  /** Of files: sizes of smaller pictures, `<width>x<height>`; 0 is free. Absent: none. */
  readonly thumbs?: readonly string[];
}

/** Maximum number of indexes of the fields of a class. */
export const slotCount = 16;

/** Location of a field's values: changes of the schema that keep type and target keep it. */
export interface FieldStorage {
  /** Name of the value in stored objects: `<revision that introduced it>_<name>`. */
  readonly storage: string;
  /** Index position, 0 to 15, of a field with an index. */
  readonly slot?: number;
}

/** Two fields that share an index: objects with equal values of one are in the order of the other. */
export interface CompositeIndex {
  /** Index position, 0 to 15. */
  readonly slot: number;
  /** Storage name of the filter field. */
  readonly filter: string;
  /** Storage name of the order field, or `updated_at`. */
  readonly order: string;
}

/** State of a field before its new value is read. */
export interface Held {
  /** Operators work on updates only. */
  readonly isUpdate: boolean;
  /** Undefined if the field is unset, and on a create. */
  readonly value: Json | undefined;
}

/** Reads a field's value in a body, which is not null. Returns the stored form; null unsets the field. */
export type FieldReader = (input: unknown, held: Held) => ValueResult<Json>;

const indexedKeys = ['name', 'type', 'order_index', 'filter_index', 'unique'];
const filteredKeys = ['name', 'type', 'filter_index'];
const plainKeys = ['name', 'type'];

/** Keys that a definition of each type may have (docs/reference/classes.md#types). */
export const definitionKeys: Readonly<Record<ClassFieldType, readonly string[]>> = {
  string: indexedKeys,
  text: plainKeys,
  integer: indexedKeys,
  float: indexedKeys,
  boolean: indexedKeys,
  datetime: indexedKeys,
  file: [...plainKeys, 'private', 'thumbs'],
  reference: [...indexedKeys, 'target'],
  relation: [...filteredKeys, 'target'],
  array: filteredKeys,
  object: plainKeys,
  geopoint: filteredKeys,
};

/** Types whose indexed fields have a slot. Filters on arrays and relations examine objects one by one. */
const typesWithSlot: ReadonlySet<ClassFieldType> = new Set<ClassFieldType>([
  'string',
  'integer',
  'float',
  'boolean',
  'datetime',
  'reference',
  'geopoint',
]);

/** Checks whether the values of a field are in the order of an index. */
export function needsSlot(field: FieldDefinition): boolean {
  const isIndexed = field.order_index === true || field.filter_index === true;
  return isIndexed && typesWithSlot.has(field.type);
}
