import {
  type CompositeIndex,
  type FieldDefinition,
  type FieldStorage,
  needsSlot,
  slotCount,
} from './field-types.ts';

/** Order by the time of an object's last change; different from all storage names. */
export const timeOfChange = 'updated_at';

/** Maximum number per class: each costs every write of an object as much as a field's index. */
const maxCompositeIndexes = 4;

/** Properties of a class that determine its current and possible composite indexes. */
export interface IndexedSchema {
  readonly schema: readonly FieldDefinition[];
  /** Same order as `schema`. */
  readonly storage: readonly FieldStorage[];
  readonly retiredSlots: readonly number[];
  /** Empty when absent. */
  readonly pairs?: readonly CompositeIndex[];
}

/** Storage names of two fields, or {@link timeOfChange} as the order. */
export type CompositeIndexFields = Omit<CompositeIndex, 'slot'>;

/**
 * Assigns two fields a slot that no field uses.
 *
 * @returns undefined when they cannot be a composite index, already are one, or no slot is known to be empty
 */
export function planCompositeIndex(
  { schema, storage, retiredSlots, pairs = [] }: IndexedSchema,
  { filter, order }: CompositeIndexFields,
): CompositeIndex | undefined {
  if (pairs.length >= maxCompositeIndexes || filter === order) return undefined;
  if (pairs.some((index) => index.filter === filter && index.order === order)) return undefined;
  const used = [...retiredSlots, ...storage.map(({ slot }) => slot), ...pairs.map(slotOf)];
  const slot = Array.from({ length: slotCount }, (_, at) => at).find((at) => !used.includes(at));
  if (slot === undefined) return undefined;
  const index = { slot, filter, order };
  return isServed(index, schema, storage) ? index : undefined;
}

/** Checks whether the fields of a schema support a composite index. */
export function isServed(
  { filter, order }: CompositeIndexFields,
  schema: readonly FieldDefinition[],
  storage: readonly FieldStorage[],
): boolean {
  const fieldOf = (name: string) =>
    schema[storage.findIndex((fieldStorage) => fieldStorage.storage === name)];
  const [filtered, ordered] = [fieldOf(filter), fieldOf(order)];
  return (
    filtered?.filter_index === true &&
    needsSlot(filtered) &&
    (order === timeOfChange || ordered?.order_index === true)
  );
}

function slotOf({ slot }: CompositeIndex): number {
  return slot;
}
