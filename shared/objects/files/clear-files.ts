import { backupPauseMs, isBackedUp } from '../../instances/active-backup.ts';
import { afterRequests, type JobContext, type JobType, type StepResult } from '../../jobs/jobs.ts';
import { cascade, maintain } from '../../jobs/maintain.ts';
import { deleteIfExists, updateItem } from '../../store/writes.ts';
import { classEntity, fileEntity, objectEntity } from '../../table/entities/classes.ts';
import type { ClassData } from '../../table/records/records.ts';
import { fileKeysIn } from './object-files.ts';
import { removal } from './remove-files.ts';

/** File fields that a class no longer has, by their storage names. */
export type RetiredFiles = {
  readonly instance: number;
  readonly className: string;
  readonly classNumber: number;
  readonly names: readonly string[];
};

type Progress = RetiredFiles & {
  /** Sort key of the last object that was read. */
  readonly last?: string;
};

const stepSize = 100;
const writesAtOnce = 99; // and their job

/**
 * Deletes the files of fields that a class no longer has, object by object, without changing the objects. It starts
 * after the end of all requests that may have stored a file in such a field. A request that changes or deletes an
 * object in the meantime deletes its files of these fields, as long as the class lists them.
 */
export const clearFiles: JobType = {
  name: 'clear-files',
  step: afterRequests<Progress>(async (context, task) => {
    const { instance, classNumber } = task;
    if (await isBackedUp(context, instance)) return { task, afterMs: backupPauseMs };
    const names = await retiredNames(context, task);
    if (names.length === 0) return 'done'; // done before, or the class was deleted with all its files
    const { items, last } = await objectEntity.list(context.store, [instance, classNumber], {
      after: task.last,
      limit: stepSize,
    });
    const scope = { platform: context, instance, classNumber };
    const keys = items.flatMap(({ data }) => fileKeysIn(scope, data.values, names));
    for (let at = 0; at < keys.length; at += writesAtOnce) {
      const some = keys.slice(at, at + writesAtOnce);
      await cascade(context, [
        removal(context, { instance, keys: some }),
        ...some.map((key) => deleteIfExists(fileEntity.key(instance, classNumber, key))),
      ]);
    }
    return last === undefined ? forget(context, task) : { task: { ...task, last } };
  }),
};

/** Returns the fields of a task that the class, as it is stored, lists as former file fields. */
async function retiredNames(
  { store }: JobContext,
  { instance, className, classNumber, names }: RetiredFiles,
): Promise<readonly string[]> {
  const current = await classEntity.read(store, instance, className);
  if (current?.data.number !== classNumber) return [];
  return names.filter((name) => current.data.retiredFiles?.includes(name));
}

/** Removes the fields from the class. */
async function forget(
  context: JobContext,
  { instance, className, classNumber, names }: RetiredFiles,
): Promise<StepResult> {
  const current = await classEntity.read(context.store, instance, className);
  if (current?.data.number !== classNumber) return 'done'; // deleted in the meantime, with all its files
  const { retiredFiles = [], ...data } = current.data;
  const others = retiredFiles.filter((name) => !names.includes(name));
  const without: ClassData = { ...data, ...(others.length > 0 && { retiredFiles: others }) };
  await maintain(context, [updateItem(current, without)]);
  return 'done';
}
