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

/** The id of the world's instance, and a class of it as it is stored. */
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

/** Asks for a pair as lists do when they have read enough in vain, see {@link pairsBuilt}. */
export async function askForPair(world: World, className: string, pair: NamedPair): Promise<void> {
  const { instance, item } = await storedClass(world, className);
  const { name, number } = item.data;
  const task = { instance, className: name, classNumber: number, ...fieldsOf(item.data, pair) };
  await maintain(world.api.platform, [newJob(world.api.platform, addCompositeIndex, task)]);
}

/** Waits until what was asked for is there: the work that makes a pair leaves the work that fills it. */
export async function pairsBuilt({ api }: World): Promise<void> {
  await api.platform.idle();
  await api.platform.idle();
}

/**
 * Gives a class a pair, straight in its record; nothing where there cannot be one.
 *
 * @param isFilled true only while there are no objects; otherwise it is for ever being built
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
  }); // work on the class may go on still
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
