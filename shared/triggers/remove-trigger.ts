import { newJob } from '../jobs/jobs.ts';
import type { Platform } from '../ports/ports.ts';
import type { Stored, Write } from '../store/store.ts';
import { deleteItem, updateItem } from '../store/writes.ts';
import { triggerIdsEntity } from '../table/entities/scripts.ts';
import { type Limited, removeId } from '../table/record-ids.ts';
import type { ClassData } from '../table/records/records.ts';
import type { TriggerData } from '../table/records/triggers.ts';
import { clearTriggerRuns } from './clear-runs.ts';
import { readGround } from './living-triggers.ts';

/** The limit on the triggers of an instance (docs/reference/triggers.md#limits). */
export const triggerLimit: Limited = { entity: triggerIdsEntity, name: 'Trigger', max: 100 };

/** Returns the write of a class with another list of triggers. */
export function withTriggers(
  classRecord: Stored<ClassData>,
  triggers: NonNullable<ClassData['triggers']>,
): Write {
  const { triggers: _, ...data } = classRecord.data;
  return updateItem(classRecord, triggers.length === 0 ? data : { ...data, triggers });
}

/** Plans the deletion of a trigger: of its record now, of its runs later. */
export async function planTriggerRemoval(
  platform: Pick<Platform, 'store' | 'clock' | 'ids'>,
  instance: number,
  current: Stored<TriggerData>,
): Promise<readonly Write[]> {
  const { id } = current.data;
  const [[ground], counted] = await Promise.all([
    readGround(platform, instance, [current.data]),
    removeId(platform.store, triggerLimit, { instance, id }),
  ]);
  const classRecord = ground?.class;
  const others = classRecord?.data.triggers?.filter((other) => other.id !== id) ?? [];
  return [
    deleteItem(current),
    ...counted,
    ...(classRecord === undefined ? [] : [withTriggers(classRecord, others)]),
    newJob(platform, clearTriggerRuns, { instance, trigger: id }),
  ];
}
