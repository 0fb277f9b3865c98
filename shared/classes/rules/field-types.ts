import type { Json } from '../../values/json/json.ts';
import type { Reading } from '../../values/scalars.ts';

/** Every type that a field of a class may have, in the order in which messages list them. */
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

/** A type of field. */
export type FieldType = (typeof fieldTypes)[number];

/** One field of a class as clients define and see it. A flag that is absent does not hold. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  readonly order_index?: true;
  readonly filter_index?: true;
  readonly unique?: boolean;
  /** Of references and relations: `self`, `user` or the name of a class, as the client typed it. */
  readonly target?: string;
}

/** Indexes that the fields of a class may use; a schema never has more. */
export const slotCount = 16;

/** Where a field's values are: they survive changes of the schema that keep type and target. */
export interface FieldStorage {
  /** Name of the value in stored objects: `<revision that introduced it>_<name>`. */
  readonly storage: string;
  /** Index position, 0 to 15, of a field that has one. */
  readonly slot?: number;
}

/** Two fields that share an index: objects of equal values of one stand in it in the order of the other. */
export interface CompositeIndex {
  /** Index position, 0 to 15. */
  readonly slot: number;
  /** Storage name of the field that is compared. */
  readonly filter: string;
  /** Storage name of the field that orders, or `updated_at`. */
  readonly order: string;
}

/** What a field holds while its new value is read. */
export interface Held {
  /** Operators work on updates only. */
  readonly isUpdate: boolean;
  /** Undefined when the field is not set, always so on a create. */
  readonly value: Json | undefined;
}

/** Reads what a body has for a field, which is not null. Gives the value as stored; null unsets the field. */
export type FieldReader = (input: unknown, held: Held) => Reading<Json>;

const indexedKeys = ['name', 'type', 'order_index', 'filter_index', 'unique'];
const filteredKeys = ['name', 'type', 'filter_index'];
const plainKeys = ['name', 'type'];

/** The keys that a definition of each type may have (docs/reference/classes.md#types). */
export const definitionKeys: Readonly<Record<FieldType, readonly string[]>> = {
  string: indexedKeys,
  text: plainKeys,
  integer: indexedKeys,
  float: indexedKeys,
  boolean: indexedKeys,
  datetime: indexedKeys,
  file: plainKeys,
  reference: [...indexedKeys, 'target'],
  relation: [...filteredKeys, 'target'],
  array: filteredKeys,
  object: plainKeys,
  geopoint: filteredKeys,
};

/** Types whose indexed fields are in a slot. Arrays and relations may be filtered, but only by looking at them. */
const typesWithSlot: ReadonlySet<FieldType> = new Set<FieldType>([
  'string',
  'integer',
  'float',
  'boolean',
  'datetime',
  'reference',
  'geopoint',
]);

/** Tells whether the values of a field are kept in the order of an index. */
export function needsSlot(field: FieldDefinition): boolean {
  const isIndexed = field.order_index === true || field.filter_index === true;
  return isIndexed && typesWithSlot.has(field.type);
}
