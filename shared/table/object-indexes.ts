import type { CompiledClass, CompiledCompositeIndex } from '../classes/rules/compiled-class.ts';
import type { IndexKeys } from '../store/store.ts';
import { compositeIndexPrefix, type SlotKeys, slotKeys, slotName } from './index-keys.ts';
import { idKey } from './key-parts.ts';
import type { ObjectData } from './records/records.ts';

/**
 * Returns an object's keys in the indexes of its class's partition: in every slot that the class uses, by the time of
 * its last change, by its owner, and, when members of its group or others may read it, among the shared ones.
 */
export function objectIndexes(compiled: CompiledClass, data: ObjectData): IndexKeys {
  const id = idKey(data.id);
  const keys = slotKeys(compiled, data.values, data.id);
  keys.updated = data.updated_at + id;
  if (compiled.compositeIndexes.length > 0)
    addCompositeIndexes(compiled.compositeIndexes, data, keys);
  if (data.owner !== null) keys.owned = idKey(data.owner) + id;
  if (isShared(data)) keys.shared = id;
  return keys;
}

/** Adds the keys in composite indexes: the value of one field, then the key in the index of the other. */
function addCompositeIndexes(
  compositeIndexes: readonly CompiledCompositeIndex[],
  { values }: ObjectData,
  keys: SlotKeys,
): void {
  for (const { slot, filter, order } of compositeIndexes) {
    const orderKey = keys[order === undefined ? 'updated' : slotName(order.slot)];
    const value = values[filter.storage] ?? null;
    if (orderKey !== undefined)
      keys[slotName(slot)] = compositeIndexPrefix(filter.type, value) + orderKey;
  }
}

function isShared(data: ObjectData): boolean {
  return (
    data.other_permissions !== 'none' || (data.group !== null && data.group_permissions !== 'none')
  );
}
