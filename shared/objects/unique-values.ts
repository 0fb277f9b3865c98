import type {
  CompiledClass,
  CompiledField,
  StoredValues,
} from '../classes/rules/compiled-class.ts';
import { uniqueEntity } from '../store/entities.ts';
import { encodeValue } from '../store/index-keys.ts';
import type { ClassData } from '../store/records/records.ts';
import type { Key, Stored, Write } from '../store/store.ts';
import { erase, insert } from '../store/writes.ts';
import { isSameJson } from '../values/json/json-values.ts';

/** Where unique values are kept. */
export interface UniquePlace {
  readonly instance: number;
  readonly class: Stored<ClassData>;
}

/** The values of one object before and after a write; empty where there is no object. */
export interface ValueChange {
  readonly id: number;
  readonly before: StoredValues;
  readonly after: StoredValues;
}

/**
 * The writes that take the new values of unique fields and free the old ones, in the transaction of the object. A
 * value that is taken already fails its insert; null is never taken (docs/reference/objects.md#errors-by-type).
 */
export function uniqueWrites(
  place: UniquePlace,
  { unique }: CompiledClass,
  { id, before, after }: ValueChange,
): readonly Write[] {
  return unique.flatMap((field): Write[] => {
    const { storage } = field;
    if (isSameJson(before[storage], after[storage])) return [];
    const old = keyOf(place, field, before);
    const taken = keyOf(place, field, after);
    return [
      ...(old === undefined ? [] : [erase(old)]),
      ...(taken === undefined ? [] : [insert(uniqueEntity, taken, { object: id })]),
    ];
  });
}

function keyOf(place: UniquePlace, field: CompiledField, values: StoredValues): Key | undefined {
  const value = values[field.storage];
  if (value === undefined || value === null) return undefined;
  const code = encodeValue(field.type, value);
  return uniqueEntity.key(place.instance, place.class.data.number, field.storage, code);
}

/** The unique field that the sort key of one of these writes belongs to. */
export function fieldOf({ unique }: CompiledClass, sortKey: string): CompiledField | undefined {
  return unique.find(({ storage }) => sortKey.startsWith(`${storage}#`));
}
