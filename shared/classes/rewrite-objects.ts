import type { JobContext } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import { objectEntity } from '../store/entities.ts';
import { objectIndexes } from '../store/object-indexes.ts';
import type { ClassData, ObjectData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';
import { compileClass } from './rules/compiled-class.ts';

/** Some objects of a class to rewrite. */
export interface Rewriting {
  readonly instance: number;
  readonly class: Stored<ClassData>;
  /** Sort key of the last object that was read; undefined or empty: none was. */
  readonly after: string | undefined;
  /** Returns an object as it should be; undefined: it remains as it is. */
  readonly change: (data: ObjectData) => ObjectData | undefined;
}

const stepSize = 100;

/**
 * Rewrites some objects of a class: system fields only, without a trace for clients.
 *
 * @returns the sort key of the last object that was read; undefined: all objects are done
 * @throws Error when the class has changed in the meantime: the step is retried with the current one
 */
export async function rewriteObjects(
  context: JobContext,
  { instance, class: { data: place }, after, change }: Rewriting,
): Promise<string | undefined> {
  const some = { after: after || undefined, limit: stepSize };
  const { items, last } = await objectEntity.list(context.store, [instance, place.number], some);
  const compiled = compileClass(place, context.files.address);
  await Promise.all(
    items.map((found) =>
      retryOnConflict(async (isFirst) => {
        const object = isFirst
          ? found
          : await objectEntity.read(context.store, instance, place.number, found.data.id);
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
