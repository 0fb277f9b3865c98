import type { CompiledClass } from '../domain/compiled-class.ts';
import { idKey } from './entities.ts';
import { slotKeys } from './index-keys.ts';
import type { ObjectData } from './records.ts';
import type { IndexKeys } from './store.ts';

/**
 * Where an object stands in the indexes of its class's partition: in every slot that the class uses, by the time
 * of its last change, under its owner, and, when members of its group or others may read it, among the shared ones.
 */
export function objectIndexes(compiled: CompiledClass, data: ObjectData): IndexKeys {
  const id = idKey(data.id);
  return {
    ...slotKeys(compiled, data.values, data.id),
    updated: data.updated_at + id,
    ...(data.owner !== null && { owned: idKey(data.owner) + id }),
    ...(isShared(data) && { shared: id }),
  };
}

function isShared(data: ObjectData): boolean {
  return (
    data.other_permissions !== 'none' || (data.group !== null && data.group_permissions !== 'none')
  );
}
