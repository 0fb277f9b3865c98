import {
  type CompositeIndex,
  type FieldDefinition,
  type FieldStorage,
  needsSlot,
  slotCount,
} from './field-types.ts';

/** Stands among storage names, of which none is like it, for the time of an object's last change. */
export const timeOfChange = 'updated_at';

/** Each costs every write of an object as much as a field's index, so that a class has but few. */
const maxPairs = 4;

/** What of a class says which pairs it has and could have. */
export interface PairedSchema {
  readonly schema: readonly FieldDefinition[];
  /** Same order as `schema`. */
  readonly storage: readonly FieldStorage[];
  readonly retiredSlots: readonly number[];
  /** None when absent. */
  readonly pairs?: readonly CompositeIndex[];
}

/** Storage names of two fields, or {@link timeOfChange} as the order. */
export type CompositeIndexFields = Omit<CompositeIndex, 'slot'>;

/**
 * Gives two fields a slot that no field needs.
 *
 * @returns undefined when they cannot be a pair, are one already, or there is no slot left that is known to be empty
 */
export function planCompositeIndex(
  { schema, storage, retiredSlots, pairs = [] }: PairedSchema,
  { filter, order }: CompositeIndexFields,
): CompositeIndex | undefined {
  if (pairs.length >= maxPairs || filter === order) return undefined;
  if (pairs.some((pair) => pair.filter === filter && pair.order === order)) return undefined;
  const used = [...retiredSlots, ...storage.map(({ slot }) => slot), ...pairs.map(slotOf)];
  const slot = Array.from({ length: slotCount }, (_, at) => at).find((at) => !used.includes(at));
  if (slot === undefined) return undefined;
  const pair = { slot, filter, order };
  return isServed(pair, schema, storage) ? pair : undefined;
}

/** Tells whether fields of a schema can be asked for what a pair is for. */
export function isServed(
  { filter, order }: CompositeIndexFields,
  schema: readonly FieldDefinition[],
  storage: readonly FieldStorage[],
): boolean {
  const fieldOf = (name: string) => schema[storage.findIndex((place) => place.storage === name)];
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
