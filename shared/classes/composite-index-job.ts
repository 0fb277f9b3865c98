import { newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { waitWhileSuspended } from '../jobs/while-suspended.ts';
import { updateItem } from '../store/writes.ts';
import { classEntity } from '../table/entities/classes.ts';
import type { ClassData } from '../table/records/records.ts';
import { buildIndexes, type ChangedIndexes } from './build-indexes.ts';
import { type CompositeIndexFields, planCompositeIndex } from './rules/composite-indexes.ts';

/** Two fields of a class that lists use together. */
export type WantedCompositeIndex = CompositeIndexFields & Omit<ChangedIndexes, 'epoch'>;

const waitMs = 5000;

/**
 * Assigns two fields of a class a composite index, if a slot is free, and starts to fill it. The class stays ready:
 * lists read the slot only when it holds every object.
 */
export const addCompositeIndex = waitWhileSuspended({
  name: 'pair-fields',
  step: async (context, task) => {
    const wanted = task as WantedCompositeIndex; // as stored
    const { instance, className, classNumber } = wanted;
    const current = await classEntity.read(context.store, instance, className);
    if (current?.data.number !== classNumber || current.data.status === 'migrating') return 'done';
    if (isFilling(current.data)) return { task, afterMs: waitMs }; // otherwise that would start again
    const index = planCompositeIndex(current.data, wanted);
    if (index === undefined) return 'done';
    const { pairs = [], epoch: before } = current.data;
    const epoch = before + 1;
    const data = { ...current.data, pairs: [...pairs, index], unfilledSlots: [index.slot], epoch };
    const job = newJob(context, buildIndexes, { instance, className, classNumber, epoch });
    await maintain(context, [updateItem(current, data), job]);
    return 'done';
  },
});

function isFilling({ unfilledSlots = [] }: ClassData): boolean {
  return unfilledSlots.length > 0;
}
