import { addCompositeIndex } from '../../shared/classes/composite-index-job.ts';
import {
  type CompositeIndexFields,
  planCompositeIndex,
  timeOfChange,
} from '../../shared/classes/rules/composite-indexes.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { as, classEntity, instanceNameEntity } from '../../shared/store/entities.ts';
import type { ClassData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import { replace } from '../../shared/store/writes.ts';
import type { World } from './api.ts';

/** Two fields of a class by their names. */
export interface NamedPair {
  readonly filter: string;
  readonly order: string;
}

/** The id of the world's instance, and the stored record of one of its classes. */
export async function storedClass(
  { api, instance: name }: World,
  className: string,
): Promise<{ readonly instance: number; readonly item: Stored<ClassData> }> {
  const { store } = api.platform;
  const [pointer] = await store.get([instanceNameEntity.key(name)]);
  const instance = as(instanceNameEntity, pointer)?.data.instance ?? 0;
  const [found] = await store.get([classEntity.key(instance, className)]);
  const item = as(classEntity, found);
  if (item === undefined) throw new Error(`no class ${className}`);
  return { instance, item };
}

/** Requests a composite index as lists do after enough fruitless reads, see {@link pairsBuilt}. */
export async function askForPair(world: World, className: string, pair: NamedPair): Promise<void> {
  const { instance, item } = await storedClass(world, className);
  const { name, number } = item.data;
  const task = { instance, className: name, classNumber: number, ...fieldsOf(item.data, pair) };
  await maintain(world.api.platform, [newJob(world.api.platform, addCompositeIndex, task)]);
}

/** Waits until the requested one exists: the job that creates it adds the job that fills it. */
export async function pairsBuilt({ api }: World): Promise<void> {
  await api.platform.idle();
  await api.platform.idle();
}

/**
 * Adds a composite index to a class, directly in its record; has no effect where none is possible.
 *
 * @param isFilled true only while there are no objects; otherwise it is being built for ever
 */
export async function plantPair(
  world: World,
  className: string,
  { isFilled, ...pair }: NamedPair & { readonly isFilled: boolean },
): Promise<void> {
  await retryOnConflict(async () => {
    const { item } = await storedClass(world, className);
    const planned = planCompositeIndex(item.data, fieldsOf(item.data, pair));
    if (planned === undefined) return;
    const { pairs = [], unfilledSlots = [], epoch } = item.data;
    const data = {
      ...item.data,
      epoch: epoch + 1,
      pairs: [...pairs, planned],
      ...(!isFilled && { unfilledSlots: [...unfilledSlots, planned.slot] }),
    };
    await maintain(world.api.platform, [replace(item, data)]);
  }); // a job on the class may still be active
}

/** The storage names of fields. */
export function fieldsOf(
  { schema, storage }: ClassData,
  { filter, order }: NamedPair,
): CompositeIndexFields {
  const storageOf = (name: string) =>
    storage[schema.findIndex((field) => field.name === name)]?.storage ?? timeOfChange;
  return { filter: storageOf(filter), order: storageOf(order) };
}
