import { isServed } from './composite-indexes.ts';
import {
  type CompositeIndex,
  type FieldDefinition,
  type FieldStorage,
  needsSlot,
  slotCount,
} from './field-types.ts';

/** Schema with the storage of its values. */
export interface StoredSchema {
  readonly schema: readonly FieldDefinition[];
  /** Same order as `schema`. */
  readonly storage: readonly FieldStorage[];
  /** Slots that fields no longer use, longest ago first: objects may still have keys in them. */
  readonly retiredSlots: readonly number[];
  /** None when absent. */
  readonly pairs?: readonly CompositeIndex[];
}

/** Storage of the values of a changed schema. */
export interface StoragePlan {
  /** Same order as the new schema. */
  readonly storage: readonly FieldStorage[];
  /** Remaining composite indexes. */
  readonly pairs: readonly CompositeIndex[];
  /** As in {@link StoredSchema}; may be emptied after a back-fill has rewritten every object. */
  readonly retiredSlots: readonly number[];
  /** Whether a slot is filled, emptied or gets another field: a new epoch of the indexes begins. */
  readonly slotsChanged: boolean;
}

/**
 * Plans the storage of a new schema. A field with the name, type and target of a former one keeps its values and its
 * slot; any other gets a new storage name (docs/reference/classes.md#changing-a-schema).
 *
 * A new slot is one that no field has had. Without such a slot, the one retired longest ago is used: objects then have
 * keys of another field in it until the back-fill that follows from `slotsChanged` is complete, so it must not be read
 * before. Composite indexes have the lowest priority: they are deleted with one of their fields, and their slots are
 * reused last.
 *
 * @param previous undefined for a new class
 * @param revision revision of the class that begins with `schema`
 */
export function planStorage(
  previous: StoredSchema | undefined,
  schema: readonly FieldDefinition[],
  revision: number,
): StoragePlan {
  const kept = schema.map((field) => previous && findStorage(previous, field));
  const staying = schema.flatMap((field, i) => (needsSlot(field) ? (kept[i]?.slot ?? []) : []));
  const given = givenSlots(previous);
  const free = freeSlots(given, staying);
  const storage = schema.map((field, i): FieldStorage => {
    const name = kept[i]?.storage ?? `${revision}_${field.name}`;
    if (!needsSlot(field)) return { storage: name };
    const slot = kept[i]?.slot ?? free.shift();
    if (slot === undefined) throw new Error('a schema has more slots than there are indexes');
    return { storage: name, slot };
  });
  const taken = new Set(slotsOf(storage));
  const pairs = (previous?.pairs ?? []).filter(
    (index) => !taken.has(index.slot) && isServed(index, schema, storage),
  );
  const now = new Set([...taken, ...slotsOf(pairs)]);
  return {
    storage,
    pairs,
    retiredSlots: given.filter((slot) => !now.has(slot)),
    slotsChanged: slotText(previous) !== slotText({ storage, pairs }),
  };
}

/** Checks whether two schemas are equal, including false flags and the order of fields. */
export function isSameSchema(
  a: readonly FieldDefinition[],
  b: readonly FieldDefinition[],
): boolean {
  return a.length === b.length && a.every((field, i) => isSameField(field, b[i]));
}

function isSameField(a: FieldDefinition, b: FieldDefinition | undefined): boolean {
  return (
    a.name === b?.name &&
    a.type === b.type &&
    a.order_index === b.order_index &&
    a.filter_index === b.filter_index &&
    a.unique === b.unique &&
    a.target === b.target &&
    a.private === b.private &&
    a.thumbs?.join() === b.thumbs?.join()
  );
}

function findStorage(previous: StoredSchema, field: FieldDefinition): FieldStorage | undefined {
  const index = previous.schema.findIndex(
    (old) => old.name === field.name && old.type === field.type && hasSameTarget(old, field),
  );
  return previous.storage[index];
}

/** Compares targets without case, like names of classes: a change of case loses no values. */
function hasSameTarget(a: FieldDefinition, b: FieldDefinition): boolean {
  return a.target?.toLowerCase() === b.target?.toLowerCase();
}

/** Returns slots that objects may have keys in: retired ones, and those of fields and composite indexes. */
function givenSlots(previous: StoredSchema | undefined): readonly number[] {
  if (previous === undefined) return [];
  const { retiredSlots, storage, pairs = [] } = previous;
  return [...retiredSlots, ...slotsOf(storage), ...slotsOf(pairs)];
}

function slotsOf(fields: readonly Pick<FieldStorage, 'slot'>[]): number[] {
  return fields.flatMap(({ slot }) => (slot === undefined ? [] : [slot]));
}

/**
 * Returns slots in the order of their use: never used ones, then retired ones, longest ago first, then those that a
 * field loses with this change; those of composite indexes are last.
 */
function freeSlots(given: readonly number[], staying: readonly number[]): number[] {
  const all = Array.from({ length: slotCount }, (_, slot) => slot);
  const fresh = all.filter((slot) => !given.includes(slot));
  return [...fresh, ...given.filter((slot) => !staying.includes(slot))];
}

/** Returns the contents of all slots as one text. */
function slotText(stored: Pick<StoredSchema, 'storage' | 'pairs'> | undefined): string {
  const { storage = [], pairs = [] } = stored ?? {};
  return [
    ...storage.flatMap(({ slot, storage: name }) => (slot === undefined ? [] : `${slot}:${name}`)),
    ...pairs.map(({ slot, filter, order }) => `${slot}:${filter}:${order}`),
  ]
    .sort()
    .join();
}
