import { addCompositeIndex } from '../../shared/classes/composite-index-job.ts';
import {
  type CompositeIndexFields,
  planCompositeIndex,
  timeOfChange,
} from '../../shared/classes/rules/composite-indexes.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { updateItem } from '../../shared/store/writes.ts';
import type { ClassData } from '../../shared/table/records/records.ts';
import type { World } from './api.ts';
import { storedClass } from './stored-records.ts';

/** Two fields of a class by their names. */
export interface NamedFields {
  readonly filter: string;
  readonly order: string;
}

/** Requests a composite index as lists do after enough fruitless reads, see {@link compositeIndexesBuilt}. */
export async function requestCompositeIndex(
  world: World,
  className: string,
  fields: NamedFields,
): Promise<void> {
  const { instance, item } = await storedClass(world, className);
  const { name, number } = item.data;
  const task = { instance, className: name, classNumber: number, ...fieldsOf(item.data, fields) };
  await maintain(world.api.platform, [newJob(world.api.platform, addCompositeIndex, task)]);
}

/** Waits until the requested one exists: the job that creates it adds the job that fills it. */
export async function compositeIndexesBuilt({ api }: World): Promise<void> {
  await api.platform.idle();
  await api.platform.idle();
}

/**
 * Adds a composite index to a class, directly in its record; has no effect where none is possible.
 *
 * @param isFilled true only while there are no objects; otherwise it is being built for ever
 */
export async function plantCompositeIndex(
  world: World,
  className: string,
  { isFilled, ...fields }: NamedFields & { readonly isFilled: boolean },
): Promise<void> {
  await retryOnConflict(async () => {
    const { item } = await storedClass(world, className);
    const planned = planCompositeIndex(item.data, fieldsOf(item.data, fields));
    if (planned === undefined) return;
    const { pairs = [], unfilledSlots = [], epoch } = item.data;
    const data = {
      ...item.data,
      epoch: epoch + 1,
      pairs: [...pairs, planned],
      ...(!isFilled && { unfilledSlots: [...unfilledSlots, planned.slot] }),
    };
    await maintain(world.api.platform, [updateItem(item, data)]);
  }); // a job on the class may still be active
}

/** The storage names of fields. */
export function fieldsOf(
  { schema, storage }: ClassData,
  { filter, order }: NamedFields,
): CompositeIndexFields {
  const storageOf = (name: string) =>
    storage[schema.findIndex((field) => field.name === name)]?.storage ?? timeOfChange;
  return { filter: storageOf(filter), order: storageOf(order) };
}
