import type { JobContext } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Stored } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';
import { classEntity, objectEntity } from '../table/entities/classes.ts';
import { objectIndexes } from '../table/object-indexes.ts';
import type { ClassData, ObjectData } from '../table/records/records.ts';
import { compileClass } from './rules/compiled-class.ts';

/** Objects of all classes of an instance to rewrite. */
export interface Rewriting {
  readonly instance: number;
  readonly progress: RewriteProgress;
  /** Prepares a class, and returns its current record; undefined: it was deleted in the meantime. */
  readonly prepare?: (found: Stored<ClassData>) => Promise<Stored<ClassData> | undefined>;
  /** Returns an object as it should be; undefined: it remains as it is. */
  readonly change: (data: ObjectData) => ObjectData | undefined;
}

/** Place among the objects of all classes, for the task of a job. */
export type RewriteProgress = {
  /** Sort key of the class whose objects are next; absent: the first. */
  readonly at?: string;
  /** Sort key of the last object that was read; absent or empty: none was. */
  readonly last?: string;
};

const stepSize = 100;

/**
 * Rewrites some objects of an instance, class by class: system fields only, without a trace for clients.
 *
 * @returns where to continue; undefined: all objects are done
 * @throws Error when the class has changed in the meantime: the step is retried with the current one
 */
export async function rewriteSome(
  context: JobContext,
  { instance, progress: { at = '', last }, prepare = async (found) => found, change }: Rewriting,
): Promise<Required<RewriteProgress> | undefined> {
  const classes = await classEntity.listAll(context.store, [instance]);
  const next = classes.find(({ key }) => key.sk >= at);
  if (next === undefined) return undefined;
  const { sk } = next.key;
  const classRecord = await prepare(next);
  const after = last || undefined;
  const reached =
    classRecord &&
    (await rewriteObjects(context, { instance, class: classRecord.data, after, change }));
  return reached === undefined ? { at: `${sk}\u0000`, last: '' } : { at: sk, last: reached };
}

interface OfClass extends Pick<Rewriting, 'instance' | 'change'> {
  readonly class: ClassData;
  readonly after: string | undefined;
}

/** Rewrites some objects of a class; returns the sort key of the last one that was read, undefined after all. */
async function rewriteObjects(
  context: JobContext,
  { instance, class: classData, after, change }: OfClass,
): Promise<string | undefined> {
  const some = { after, limit: stepSize };
  const { items, last } = await objectEntity.list(
    context.store,
    [instance, classData.number],
    some,
  );
  const compiled = compileClass(classData, context.files.address);
  await Promise.all(
    items.map((found) =>
      retryOnConflict(async (isFirst) => {
        const object = isFirst
          ? found
          : await objectEntity.read(context.store, instance, classData.number, found.data.id);
        const changed = object && change(object.data);
        if (object === undefined || changed === undefined) return;
        // written by later indexes than those of this class
        if (changed.epoch > compiled.epoch)
          throw new Error('the class has changed in the meantime');
        const data: ObjectData = { ...changed, epoch: compiled.epoch };
        await maintain(context, [updateItem(object, data, objectIndexes(compiled, data))]);
      }),
    ),
  );
  return last;
}
