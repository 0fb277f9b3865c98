import { type CompiledClass, compileClass } from '../domain/compiled-class.ts';
import { as, classEntity, objectEntity } from '../store/entities.ts';
import { objectIndexes } from '../store/object-indexes.ts';
import type { ClassData, ObjectData } from '../store/records.ts';
import { ConditionFailed, type Stored } from '../store/store.ts';
import { replace } from '../store/writes.ts';
import { maintain } from './maintain.ts';
import type { StepResult, WorkContext, WorkKind } from './work.ts';

/** A class whose indexes have changed, and the epoch that began with it. */
export type ChangedIndexes = {
  readonly instance: number;
  readonly className: string;
  readonly classNumber: number;
  readonly epoch: number;
};

type Progress = ChangedIndexes & {
  /** Microseconds when the change was known to be done. */
  readonly since?: number;
  /** Sort key of the last object that was looked at. */
  readonly last?: string;
};

const stepSize = 100;
const waitMs = 1000;

/**
 * Brings the objects of a class to its present indexes, then makes the class ready. It begins when every call has
 * ended that may have read the class as it was: from then on nobody makes an index entry of the old epoch, so one
 * pass over all objects, which re-writes those that it finds, leaves none.
 */
export const buildIndexes: WorkKind = {
  name: 'build-indexes',
  step: async (context, task) => {
    const progress = task as Progress; // so it was stored
    const { instance, className, classNumber, epoch } = progress;
    const { since = context.clock.micros() } = progress;
    if (!(await context.endedBefore(since))) return { task: { ...task, since }, afterMs: waitMs };
    const [item] = await context.store.get([classEntity.key(instance, className)]);
    const current = as(classEntity, item);
    // Deleted meanwhile, or changed again: that came with work of its own.
    if (current?.data.number !== classNumber || current.data.epoch !== epoch) return 'done';
    return pass(context, { ...progress, since }, current);
  },
};

async function pass(
  context: WorkContext,
  progress: Progress & { readonly since: number },
  current: Stored<ClassData>,
): Promise<StepResult> {
  const { instance, classNumber, last } = progress;
  const { items, positions, more } = await context.store.query({
    pk: objectEntity.key(instance, classNumber, 0).pk,
    ...(last !== undefined && { lower: { key: last, inclusive: false } }),
    limit: stepSize,
  });
  const objects = items.map((item) => as(objectEntity, item));
  const compiled = compileClass(current.data, context.files.address);
  await Promise.all(objects.map((object) => rewrite(context, compiled, object)));
  const reached = positions.at(-1);
  if (more && reached !== undefined) return { task: { ...progress, last: reached } };
  const { unfilledSlots: _, ...data } = current.data;
  const ready: ClassData = { ...data, status: 'ready', retiredSlots: [] };
  await maintain(context, [replace(current, ready)]);
  return 'done';
}

/** Makes an object's index keys anew. Who is faster writes them by the present indexes as well. */
async function rewrite(
  context: WorkContext,
  compiled: CompiledClass,
  object: Stored<ObjectData>,
): Promise<void> {
  const { epoch } = compiled;
  if (object.data.epoch >= epoch) return;
  const data: ObjectData = { ...object.data, epoch };
  try {
    await maintain(context, [replace(object, data, objectIndexes(compiled, data))]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
