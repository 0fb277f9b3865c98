import type { JobContext, JobType, StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import {
  as,
  classCountEntity,
  classFileCountEntity,
  fileEntity,
  objectEntity,
} from '../store/entities.ts';
import { jsonBytes } from '../store/exact-json.ts';
import { itemsAfter } from '../store/items-after.ts';
import type { Stored } from '../store/store.ts';
import { replace } from '../store/writes.ts';

/** Class whose objects or files are counted again. */
export type RecountedClass = {
  readonly instance: number;
  readonly classNumber: number;
  /** Objects when absent. */
  readonly of?: 'objects' | 'files';
};

type Progress = RecountedClass & {
  /** Position of the count at the start of this round. */
  readonly position?: string;
  /** Sort key of the last object that was counted; empty after all of them. */
  readonly last?: string;
  readonly counted?: number;
  /** Bytes of the counted items. */
  readonly bytes?: number;
  /** Rounds during which the class changed. */
  readonly rounds?: number;
};

const stepSize = 500;
const restMs = 60_000; // changes of the last seconds may not have arrived yet
const retryMs = 600_000;
const maxRounds = 5;

/**
 * Counts the objects of a class, or their files, one by one, and corrects the count made from changes. A class that
 * changes in the meantime is counted again later; one that always changes keeps its count.
 */
export const recountClass: JobType = {
  name: 'recount-class',
  step: async (context, task) => {
    const progress = task as Progress; // as stored
    const { instance, classNumber, of = 'objects', rounds = 0 } = progress;
    const { entity } = counts[of];
    const [item] = await context.store.get([entity.key(instance, classNumber)]);
    const current = as(entity, item);
    if (current === undefined) return 'done'; // the class was deleted
    const { position = current.data.position, last, counted = 0, bytes = 0 } = progress;
    if (last !== '') return countSome(context, { ...progress, position });
    const rested = current.data.position === position;
    if (!rested && rounds < maxRounds) {
      return { task: { instance, classNumber, of, rounds: rounds + 1 }, afterMs: retryMs };
    }
    const { recountAt: _, ...data } = current.data;
    const known = { bytes, ...data }; // these bytes are better than unknown ones
    await maintain(context, [
      replace(current, rested ? { ...data, count: counted, bytes } : known),
    ]);
    return 'done';
  },
};

const counts = {
  objects: {
    entity: classCountEntity,
    partition: (instance: number, classNumber: number) =>
      objectEntity.key(instance, classNumber, 0).pk,
    bytes: ({ data }: Stored) => jsonBytes(data),
  },
  files: {
    entity: classFileCountEntity,
    partition: (instance: number, classNumber: number) =>
      fileEntity.key(instance, classNumber, '').pk,
    bytes: (item: Stored) => as(fileEntity, item).data.bytes,
  },
} as const;

async function countSome({ store }: JobContext, progress: Progress): Promise<StepResult> {
  const { instance, classNumber, counted = 0, bytes = 0, of = 'objects' } = progress;
  const { partition, bytes: bytesOf } = counts[of];
  const pk = partition(instance, classNumber);
  const { items, last } = await itemsAfter(store, pk, progress.last, stepSize);
  const sum = items.reduce((total, item) => total + bytesOf(item), bytes);
  const task = { ...progress, counted: counted + items.length, bytes: sum };
  return last === undefined
    ? { task: { ...task, last: '' }, afterMs: restMs }
    : { task: { ...task, last } };
}
