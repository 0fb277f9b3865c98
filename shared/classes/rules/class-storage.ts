import { isServed } from './composite-indexes.ts';
import {
  type CompositeIndex,
  type FieldDefinition,
  type FieldStorage,
  needsSlot,
  slotCount,
} from './field-types.ts';

/** A schema and where its values are. */
export interface StoredSchema {
  readonly schema: readonly FieldDefinition[];
  /** Same order as `schema`. */
  readonly storage: readonly FieldStorage[];
  /** Slots that a field had and gave up, longest ago first: objects may still carry keys in them. */
  readonly retiredSlots: readonly number[];
  /** None when absent. */
  readonly pairs?: readonly CompositeIndex[];
}

/** Where the values of a changed schema are. */
export interface StoragePlan {
  /** Same order as the new schema. */
  readonly storage: readonly FieldStorage[];
  /** Those of the former pairs that remain. */
  readonly pairs: readonly CompositeIndex[];
  /** As in {@link StoredSchema}; may be emptied when a back-fill has re-written every object. */
  readonly retiredSlots: readonly number[];
  /** Whether some slot holds another field, or none, or one at last: the epoch of the indexes ends. */
  readonly slotsChanged: boolean;
}

/**
 * Says where the values of a new schema are. A field with the name, type and target of a former one keeps its
 * values and its slot; any other gets a storage name of its own (docs/reference/classes.md#changing-a-schema).
 *
 * A new slot is one that no field has had. When there is none, the one retired longest ago is given: objects then
 * carry keys of another field in it until the back-fill that follows from `slotsChanged` is through, so it must
 * not be read before. Pairs give way: they go with one of their fields, and the last free slots are theirs.
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
    (pair) => !taken.has(pair.slot) && isServed(pair, schema, storage),
  );
  const now = new Set([...taken, ...slotsOf(pairs)]);
  return {
    storage,
    pairs,
    retiredSlots: given.filter((slot) => !now.has(slot)),
    slotsChanged: slotText(previous) !== slotText({ storage, pairs }),
  };
}

/** Tells whether a schema is the same in every way, false flags and the order of fields included. */
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
    a.target === b.target
  );
}

function findStorage(previous: StoredSchema, field: FieldDefinition): FieldStorage | undefined {
  const index = previous.schema.findIndex(
    (old) => old.name === field.name && old.type === field.type && hasSameTarget(old, field),
  );
  return previous.storage[index];
}

/** Names of classes are found in any case, so another case is the same target and loses no values. */
function hasSameTarget(a: FieldDefinition, b: FieldDefinition): boolean {
  return a.target?.toLowerCase() === b.target?.toLowerCase();
}

/** Slots that objects may have keys in: those given up, those of fields, those of pairs. */
function givenSlots(previous: StoredSchema | undefined): readonly number[] {
  if (previous === undefined) return [];
  const { retiredSlots, storage, pairs = [] } = previous;
  return [...retiredSlots, ...slotsOf(storage), ...slotsOf(pairs)];
}

function slotsOf(places: readonly Pick<FieldStorage, 'slot'>[]): number[] {
  return places.flatMap(({ slot }) => (slot === undefined ? [] : [slot]));
}

/**
 * Slots in the order in which they are given: those never used, then those given up, longest ago first, then those
 * that a field leaves with this very change; last are those of pairs.
 */
function freeSlots(given: readonly number[], staying: readonly number[]): number[] {
  const all = Array.from({ length: slotCount }, (_, slot) => slot);
  const fresh = all.filter((slot) => !given.includes(slot));
  return [...fresh, ...given.filter((slot) => !staying.includes(slot))];
}

/** Which slot holds what, as one text. */
function slotText(stored: Pick<StoredSchema, 'storage' | 'pairs'> | undefined): string {
  const { storage = [], pairs = [] } = stored ?? {};
  return [
    ...storage.flatMap(({ slot, storage: name }) => (slot === undefined ? [] : `${slot}:${name}`)),
    ...pairs.map(({ slot, filter, order }) => `${slot}:${filter}:${order}`),
  ]
    .sort()
    .join();
}
