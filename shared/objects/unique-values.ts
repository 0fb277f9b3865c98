import type {
  CompiledClass,
  CompiledField,
  StoredValues,
} from '../classes/rules/compiled-class.ts';
import type { Key, Write } from '../store/store.ts';
import { createItem, deleteIfExists } from '../store/writes.ts';
import { uniqueEntity } from '../table/entities/classes.ts';
import { encodeValue } from '../table/index-keys.ts';
import { isSameJson } from '../values/json/json-values.ts';

/** Class whose unique values are written. */
export interface UniqueScope {
  readonly instance: number;
  readonly classNumber: number;
  readonly compiled: CompiledClass;
}

/** Values of one object before and after a write; empty if the object does not exist. */
export interface ValueChange {
  readonly id: number;
  readonly before: StoredValues;
  readonly after: StoredValues;
}

/**
 * Returns the writes that claim new unique values and free the old ones, in the object's transaction. The insert of a
 * value that is already taken fails; null is never taken (docs/reference/objects.md#errors-by-type).
 */
export function uniqueWrites(
  scope: UniqueScope,
  { id, before, after }: ValueChange,
): readonly Write[] {
  return scope.compiled.unique.flatMap((field): Write[] => {
    const { storage } = field;
    if (isSameJson(before[storage], after[storage])) return [];
    const old = keyOf(scope, field, before);
    const taken = keyOf(scope, field, after);
    return [
      ...(old === undefined ? [] : [deleteIfExists(old)]),
      ...(taken === undefined ? [] : [createItem(uniqueEntity, taken, { object: id })]),
    ];
  });
}

function keyOf(
  { instance, classNumber }: UniqueScope,
  field: CompiledField,
  values: StoredValues,
): Key | undefined {
  const value = values[field.storage];
  if (value === undefined || value === null) return undefined;
  const code = encodeValue(field.type, value);
  return uniqueEntity.key(instance, classNumber, field.storage, code);
}

/** Returns the keys of the unique values of an object. */
export function uniqueKeys(scope: UniqueScope, values: StoredValues): readonly Key[] {
  return scope.compiled.unique.flatMap((field) => keyOf(scope, field, values) ?? []);
}

/** Returns the unique field of the sort key of such a write. */
export function fieldOf({ unique }: CompiledClass, sortKey: string): CompiledField | undefined {
  return unique.find(({ storage }) => sortKey.startsWith(`${storage}#`));
}
