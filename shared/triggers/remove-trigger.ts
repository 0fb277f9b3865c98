import { newJob } from '../jobs/jobs.ts';
import type { Platform } from '../platform/ports.ts';
import { triggerIdsEntity } from '../store/entities.ts';
import type { ClassData } from '../store/records/records.ts';
import type { TriggerData, TriggerIdsData } from '../store/records/triggers.ts';
import type { Stored, Write } from '../store/store.ts';
import { createItem, deleteItem, updateItem } from '../store/writes.ts';
import { clearTriggerRuns } from './clear-runs.ts';
import { readGround } from './living-triggers.ts';

/** Returns the write of a class with another list of triggers. */
export function withTriggers(
  place: Stored<ClassData>,
  triggers: NonNullable<ClassData['triggers']>,
): Write {
  const { triggers: _, ...data } = place.data;
  return updateItem(place, triggers.length === 0 ? data : { ...data, triggers });
}

/** Returns the write of the ids of an instance's triggers. */
export function idsWrite(
  instance: number,
  current: Stored<TriggerIdsData> | undefined,
  ids: readonly number[],
): Write {
  return current === undefined
    ? createItem(triggerIdsEntity, triggerIdsEntity.key(instance), { ids })
    : updateItem(current, { ids });
}

/** Plans the deletion of a trigger: of its record now, of its runs later. */
export async function planRemoval(
  platform: Pick<Platform, 'store' | 'clock' | 'ids'>,
  instance: number,
  current: Stored<TriggerData>,
): Promise<readonly Write[]> {
  const { id } = current.data;
  const [[ground], ids] = await Promise.all([
    readGround(platform, instance, [current.data]),
    triggerIdsEntity.read(platform.store, instance),
  ]);
  const place = ground?.class;
  const others = place?.data.triggers?.filter((other) => other.id !== id) ?? [];
  const left = ids?.data.ids.filter((other) => other !== id) ?? [];
  return [
    deleteItem(current),
    idsWrite(instance, ids, left),
    ...(place === undefined ? [] : [withTriggers(place, others)]),
    newJob(platform, clearTriggerRuns, { instance, trigger: id }),
  ];
}
