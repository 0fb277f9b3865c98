import { fileUrl } from '../../values/files/file-addresses.ts';
import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { isSameJson } from '../../values/json/json-values.ts';
import { timeOfChange } from './composite-indexes.ts';
import { fieldReaders, fileReader } from './field-readers.ts';
import type {
  ClassFieldType,
  CompositeIndex,
  FieldDefinition,
  FieldReader,
  FieldStorage,
} from './field-types.ts';

/** Values of a class's fields by storage name, as stored; null values are absent. */
export type StoredValues = Readonly<Record<string, Json>>;

/** Class compiled to read and show objects. Compiled once for a revision, shared, never changed. */
export interface CompiledClass {
  readonly revision: number;
  readonly epoch: number;
  /** In schema order. */
  readonly fields: readonly CompiledField[];
  /** Fields that objects have index keys for, including a hidden one. */
  readonly indexed: readonly CompiledField[];
  /** Composite indexes of these fields that objects have index keys for. */
  readonly compositeIndexes: readonly CompiledCompositeIndex[];
  /** Fields with unique values. */
  readonly unique: readonly CompiledField[];
  readonly storageNames: ReadonlySet<string>;
  /** Pieces of the JSON of an object without values; value of field `i`: see {@link pieceOf}. */
  readonly pieces: readonly string[];
}

/** Field compiled to read and show values. */
export interface CompiledField {
  readonly definition: FieldDefinition;
  readonly name: string;
  readonly type: ClassFieldType;
  readonly storage: string;
  /** Undefined for a field without a slot. */
  readonly slot: number | undefined;
  /**
   * Whether the slot holds every object (also if the field has no slot), or lacks older ones, which lists then examine
   * one by one; while a class is being migrated, such a field counts as one without index.
   */
  readonly index: 'filled' | 'unfilled' | 'building';
  readonly read: FieldReader;
  /** Formats a set value for an object. */
  readonly show: (value: Json) => Json;
  /** Does the same with JSON: of a value as it is stored, and as it is shown. */
  readonly showText: (text: string) => string;
}

/** Two fields that share a slot, see {@link CompositeIndex}. */
export interface CompiledCompositeIndex {
  readonly slot: number;
  readonly filter: CompiledField;
  /** Undefined: the time of the last change. */
  readonly order: CompiledField | undefined;
  /** Whether the slot holds every object. */
  readonly isFilled: boolean;
}

/** Properties of a class that are compiled. */
export interface ClassShape {
  /** Absent counts as `ready`. */
  readonly status?: 'ready' | 'migrating';
  /** Slots in which objects older than a change of the schema may have no key, or that of another field. */
  readonly unfilledSlots?: readonly number[];
  /** Empty when absent. */
  readonly pairs?: readonly CompositeIndex[];
  /** Storage names of former file fields, while objects may still have files in them. */
  readonly retiredFiles?: readonly string[];
  readonly schema: readonly FieldDefinition[];
  /** Same order as `schema`. */
  readonly storage: readonly FieldStorage[];
  readonly revision: number;
  readonly epoch: number;
}

/**
 * Compiles a class to read and show objects: do it once for a revision and status. A unique field that was added last
 * is not among the fields while the class is being migrated (docs/reference/classes.md#migration).
 *
 * @param filesAt returns the base address of files, without a slash at the end; called when a file is read or shown
 */
export function compileClass(shape: ClassShape, filesAt: () => string): CompiledClass {
  const { schema, storage, revision, epoch, status } = shape;
  const all = schema.map((definition, i): CompiledField => {
    const fieldStorage = storage[i];
    if (fieldStorage === undefined) throw new Error(`field ${definition.name} has no storage`);
    const { name, type } = definition;
    return {
      definition,
      name,
      type,
      storage: fieldStorage.storage,
      slot: fieldStorage.slot,
      index: indexState(shape, fieldStorage.slot),
      read: type === 'file' ? fileReader(filesAt) : fieldReaders[type],
      ...showers(definition, filesAt),
    };
  });
  const isHidden = ({ definition, storage: name }: CompiledField) =>
    status === 'migrating' && definition.unique && name.startsWith(`${revision}_`);
  const fields = all.filter((field) => !isHidden(field));
  const indexed = all.filter(({ slot }) => slot !== undefined);
  const storageNames = new Set(fields.map((field) => field.storage));
  const compositeIndexes = compileCompositeIndexes(shape, indexed);
  const unique = fields.filter(({ definition }) => definition.unique);
  return {
    revision,
    epoch,
    fields,
    indexed,
    compositeIndexes,
    unique,
    storageNames,
    pieces: piecesOf(fields),
  };
}

/** Returns the JSON of an object in pieces: what is before its fields, names and values of these, `links`, an end. */
function piecesOf(fields: readonly CompiledField[]): readonly string[] {
  const names = [...fields.map(({ name }) => name), 'links'].map((name) => JSON.stringify(name));
  return ['', ...names.flatMap((name, at) => [at === 0 ? `${name}:` : `,${name}:`, 'null']), '}'];
}

/** Returns the position of the value of field `at` in the pieces of a class; of `links`, which are the last one. */
export function pieceOf(at: number): number {
  return 2 + 2 * at;
}

function compileCompositeIndexes(
  { pairs = [], unfilledSlots = [] }: ClassShape,
  indexed: readonly CompiledField[],
): readonly CompiledCompositeIndex[] {
  return pairs.map(({ slot, filter: name, order }) => {
    const filter = indexed.find(({ storage }) => storage === name);
    const ordering = indexed.find(({ storage }) => storage === order);
    if (filter === undefined || (ordering === undefined && order !== timeOfChange)) {
      throw new Error(`the composite index of ${name} and ${order} lacks a field`);
    }
    return { slot, filter, order: ordering, isFilled: !unfilledSlots.includes(slot) };
  });
}

function indexState(
  { status = 'ready', unfilledSlots = [] }: ClassShape,
  slot: number | undefined,
): CompiledField['index'] {
  if (slot === undefined || !unfilledSlots.includes(slot)) return 'filled';
  return status === 'ready' ? 'unfilled' : 'building';
}

/** Returns the functions that format a field's values (docs/reference/objects.md#values). */
function showers(
  { type, target = '' }: FieldDefinition,
  filesAt: () => string,
): Pick<CompiledField, 'show' | 'showText'> {
  switch (type) {
    case 'file': {
      const show = (value: Json) => ({ type, value: fileUrl(filesAt(), String(value)) });
      return { show, showText: (text) => JSON.stringify(show(JSON.parse(text))) };
    }
    case 'datetime':
      return wrapMembers({ type }, (value) => ({ type, value }));
    case 'reference':
    case 'relation':
      return wrapMembers({ type, target }, (value) => ({ type, target, value }));
    case 'geopoint':
      return {
        show: (value) => (isJsonObject(value) ? { type, ...value } : value),
        showText: (text) =>
          text.startsWith('{"') ? `{"type":"${type}",${positiveZeros(text).slice(1)}` : text,
      };
    case 'string':
    case 'text':
    case 'boolean':
      return { show: (value) => value, showText: (text) => text };
    case 'integer':
    case 'float':
    case 'array':
    case 'object':
      return { show: (value) => value, showText: positiveZeros };
  }
}

/** Returns functions that show values as the member `value` of an object; `show` does so for a value. */
function wrapMembers(
  members: JsonObject,
  show: CompiledField['show'],
): Pick<CompiledField, 'show' | 'showText'> {
  const start = JSON.stringify({ ...members, value: 0 }).slice(0, -'0}'.length);
  return { show, showText: (text) => `${start}${text}}` };
}

/** Returns JSON in which -0 is 0, as clients get it; the store keeps the sign. */
function positiveZeros(text: string): string {
  return text.includes('-0') ? JSON.stringify(JSON.parse(text)) : text;
}

const maxSize = 32768; // docs/reference/objects.md#size

/** Checks whether an object exceeds its maximum size, by the formula of docs/reference/objects.md#size. */
export function isTooLarge({ fields }: CompiledClass, values: StoredValues): boolean {
  return sizeOf(fields, values, mostBytes) > maxSize && sizeOf(fields, values, bytesOf) > maxSize;
}

function sizeOf(
  fields: readonly CompiledField[],
  values: StoredValues,
  measure: (value: Json) => number,
): number {
  let size = 103;
  for (const { storage, type } of fields) {
    const value = values[storage];
    if (value === undefined) continue;
    size += 6 + storage.length + (type === 'file' ? 78 : measure(value));
  }
  return size;
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns an upper bound of `bytesOf`; fast, and usually sufficient. */
function mostBytes(value: Json): number {
  if (typeof value === 'string') return value.length * 6 + 2; // of JSON; plain text takes half of that
  if (typeof value !== 'object' || value === null) return 32;
  let most = 2;
  if (isJsonObject(value)) {
    for (const name in value) most += name.length * 6 + 4 + mostBytes(value[name] ?? null);
  } else {
    for (const entry of value) most += 1 + mostBytes(entry);
  }
  return most;
}

/** Returns the fields that differ between two states of an object, in schema order; empty: nothing to write. */
export function changedFields(
  { fields }: CompiledClass,
  before: StoredValues,
  after: StoredValues,
): readonly CompiledField[] {
  return fields.filter(({ storage }) => !isSameJson(before[storage], after[storage]));
}

/**
 * Formats the class's fields for an object, in schema order; an unset field is null (docs/reference/objects.md#values).
 *
 * @param into receives the fields after its own; a new object when left out
 */
export function showValues(
  { fields }: CompiledClass,
  values: StoredValues,
  into: Record<string, Json> = {},
): Record<string, Json> {
  for (const { name, storage, show } of fields) {
    const value = values[storage];
    into[name] = value === undefined ? null : show(value);
  }
  return into;
}
