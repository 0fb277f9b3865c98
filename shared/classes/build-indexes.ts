import { afterRequests, type JobContext, type Since, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { waitWhileSuspended } from '../jobs/while-suspended.ts';
import { unlessConflict } from '../jobs/write-conflict.ts';
import type { Stored } from '../store/store.ts';
import { deleteIfExists, putItem, updateItem } from '../store/writes.ts';
import { classEntity, classMigrationEntity, objectEntity } from '../table/entities/classes.ts';
import { objectIndexes } from '../table/object-indexes.ts';
import type { ClassData, ObjectData } from '../table/records/records.ts';
import { type CompiledClass, compileClass } from './rules/compiled-class.ts';

/** Class whose indexes have changed, and the epoch of the change. */
export type ChangedIndexes = {
  readonly instance: number;
  readonly className: string;
  readonly classNumber: number;
  readonly epoch: number;
};

type Progress = ChangedIndexes & {
  /** Sort key of the last object that was read. */
  readonly last?: string;
  /** Number of objects that were read. */
  readonly done?: number;
};

const stepSize = 100;

/**
 * Updates the objects of a class to its current indexes, then sets its status to ready. It starts after the end of all
 * requests that may have read the class before the change: after that no index entry of the old epoch is made, so one
 * pass that rewrites all outdated objects is complete.
 */
export const buildIndexes = waitWhileSuspended({
  name: 'build-indexes',
  step: afterRequests<Progress>(async (context, task) => {
    const { instance, className, classNumber, epoch } = task;
    const current = await classEntity.read(context.store, instance, className);
    // deleted or changed again in the meantime: that came with a job of its own
    if (current?.data.number !== classNumber || current.data.epoch !== epoch) return 'done';
    return pass(context, task, current);
  }),
});

async function pass(
  context: JobContext,
  progress: Progress & Since,
  current: Stored<ClassData>,
): Promise<StepResult> {
  const { items: objects, last } = await objectEntity.list(
    context.store,
    [progress.instance, progress.classNumber],
    { after: progress.last, limit: stepSize },
  );
  const compiled = compileClass(current.data, context.files.address);
  await Promise.all(objects.map((object) => rewrite(context, compiled, object)));
  const { instance, classNumber, epoch } = progress;
  const migration = classMigrationEntity.key(instance, classNumber);
  if (last !== undefined) {
    const done = (progress.done ?? 0) + objects.length;
    await maintain(context, [putItem(classMigrationEntity, migration, { epoch, done })]);
    return { task: { ...progress, last, done } };
  }
  const { unfilledSlots: _, ...data } = current.data;
  const ready: ClassData = { ...data, status: 'ready', retiredSlots: [] };
  await maintain(context, [updateItem(current, ready), deleteIfExists(migration)]);
  return 'done';
}

/**
 * Rewrites an object's index keys. A concurrent writer also uses the current indexes, so its write conflict is ignored.
 */
async function rewrite(
  context: JobContext,
  compiled: CompiledClass,
  object: Stored<ObjectData>,
): Promise<void> {
  const { epoch } = compiled;
  if (object.data.epoch >= epoch) return;
  const data: ObjectData = { ...object.data, epoch };
  await unlessConflict(
    maintain(context, [updateItem(object, data, objectIndexes(compiled, data))]),
  );
}
