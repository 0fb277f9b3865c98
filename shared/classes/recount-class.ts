import type { JobContext, JobType, StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import {
  classCountEntity,
  classFileCountEntity,
  fileEntity,
  objectEntity,
} from '../store/entities.ts';
import type { Entity } from '../store/entity.ts';
import { jsonBytes } from '../store/exact-json.ts';
import type { Store } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';

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
    const current = await entity.read(context.store, instance, classNumber);
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
      updateItem(current, rested ? { ...data, count: counted, bytes } : known),
    ]);
    return 'done';
  },
};

const counts = {
  objects: { entity: classCountEntity, read: sumsOf(objectEntity, jsonBytes) },
  files: { entity: classFileCountEntity, read: sumsOf(fileEntity, ({ bytes }) => bytes) },
} as const;

/** Returns the function that reads some items of a class, and returns their number and bytes. */
function sumsOf<Data extends object>(
  { list }: Entity<Data, never, [instance: number, classNumber: number]>,
  bytesOf: (data: Data) => number,
) {
  return async (store: Store, place: RecountedClass, after: string | undefined) => {
    const part = { after, limit: stepSize };
    const { items, last } = await list(store, [place.instance, place.classNumber], part);
    const bytes = items.reduce((sum, { data }) => sum + bytesOf(data), 0);
    return { items: items.length, bytes, last };
  };
}

async function countSome({ store }: JobContext, progress: Progress): Promise<StepResult> {
  const { counted = 0, bytes = 0, of = 'objects' } = progress;
  const { last, ...sums } = await counts[of].read(store, progress, progress.last);
  const task = { ...progress, counted: counted + sums.items, bytes: bytes + sums.bytes };
  return last === undefined
    ? { task: { ...task, last: '' }, afterMs: restMs }
    : { task: { ...task, last } };
}
