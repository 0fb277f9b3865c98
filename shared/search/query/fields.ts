import type { CompiledClass, CompiledField } from '../../classes/rules/compiled-class.ts';
import type { ClassFieldType } from '../../classes/rules/field-types.ts';
import type { Json } from '../../values/json/json.ts';

/** Properties of a data object that filters and orders use. */
export interface QueriedObject {
  readonly id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
  readonly owner: number | null;
  readonly group: number | null;
  readonly channel: string | null;
  readonly channel_room: string | null;
  /** Returns the value of a field of the class, by its storage name; undefined when it is not set. */
  readonly value: (storage: string) => Json | undefined;
}

/** Fields of every object that filters may name. */
export type SystemField = Exclude<keyof QueriedObject, 'value'>;

/** Comparison type of a field: types of fields, and names of channels and their rooms. */
export type QueryType = ClassFieldType | 'channel' | 'room';

/** Field of a filter or an order. */
export interface QueryField {
  readonly name: string;
  readonly type: QueryType;
  /** Name of the field common to all objects; absent for fields of the class. */
  readonly system?: SystemField;
  /** Slot of the field's index; absent without an index, or while the index does not hold every object. */
  readonly slot?: number;
  readonly isUnique: boolean;
  /** Of references and relations. */
  readonly target?: string;
  /** Returns the value of an object; undefined or null if unset. */
  readonly valueOf: (object: QueriedObject) => Json | undefined;
}

/** Types of the fields that every object has. */
export const systemTypes: Readonly<Record<SystemField, QueryType>> = {
  id: 'integer',
  created_at: 'datetime',
  updated_at: 'datetime',
  revision: 'integer',
  owner: 'integer',
  group: 'integer',
  channel: 'channel',
  channel_room: 'room',
};

const systemFields: ReadonlyMap<string, QueryField> = new Map(
  Object.entries(systemTypes).map(([name, type]) => {
    const system = name as SystemField; // a key of the record above
    const read = (object: QueriedObject) => object[system];
    return [name, { name, type, system, isUnique: system === 'id', valueOf: read }];
  }),
);

/** Fields of every object that filters and orders cannot use. */
const otherFields: ReadonlySet<string> = new Set([
  'owner_permissions',
  'group_permissions',
  'other_permissions',
]);

/** Result of looking up a name of a filter or an order. */
export type FoundField =
  | { readonly kind: 'unknown' }
  /** A field of every object; undefined for one that cannot be used. */
  | { readonly kind: 'system'; readonly field: QueryField | undefined }
  | { readonly kind: 'class'; readonly field: QueryField; readonly compiled: CompiledField };

/** Finds the field of this name; names of a class's fields keep their case. */
export function findField(compiled: CompiledClass, name: string): FoundField {
  const field = systemFields.get(name);
  if (field !== undefined || otherFields.has(name)) return { kind: 'system', field };
  const own = compiled.fields.find((one) => one.name === name);
  return own === undefined
    ? { kind: 'unknown' }
    : { kind: 'class', compiled: own, field: queryField(own) };
}

/** Name of a user in queries on users; {@link asUser} converts names to objects to compare. */
export const usernameField: QueryField = {
  name: 'username',
  type: 'string',
  isUnique: true,
  valueOf: (object) => object.value('username'),
};

/** Id of a user in queries on users: the owner of a profile. */
export const userIdField: QueryField = {
  name: 'id',
  type: 'integer',
  system: 'owner',
  isUnique: true,
  valueOf: ({ owner }) => owner,
};

/** Returns an object with only the name of a user, for conditions on it. */
export function asUser(username: string): QueriedObject {
  return {
    id: 0,
    created_at: '',
    updated_at: '',
    revision: 0,
    owner: null,
    group: null,
    channel: null,
    channel_room: null,
    value: () => username,
  };
}

const hiddenOfUsers: ReadonlySet<string> = new Set(['owner', 'group']);

/** Finds a field of users: their own, and those of their profiles (docs/reference/queries.md#nested-queries). */
export function findUserField(profile: CompiledClass, name: string): FoundField {
  if (name === 'username') return { kind: 'system', field: usernameField };
  if (name === 'id') return { kind: 'system', field: userIdField };
  if (hiddenOfUsers.has(name)) return { kind: 'system', field: undefined };
  return findField(profile, name);
}

function queryField({ name, type, storage, slot, index, definition }: CompiledField): QueryField {
  const { target, unique = false } = definition;
  return {
    name,
    type,
    isUnique: unique,
    ...(slot !== undefined && index === 'filled' && { slot }),
    ...(target !== undefined && { target }),
    valueOf: (object) => object.value(storage),
  };
}
