import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import { type Context, instanceOf } from '../../shared/core/family.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { clearFiles, type RetiredFiles } from '../../shared/objects/files/clear-files.ts';
import { moveFiles, type SwitchedFiles } from '../../shared/objects/files/move-files.ts';
import type { Put } from '../../shared/store/store.ts';
import type { ClassData } from '../../shared/table/records/records.ts';

/** Checks whether the files of a field have signed addresses. */
export function isPrivate(field: FieldDefinition | undefined): boolean {
  return field?.private === true;
}

/** Returns the jobs that a change of a class starts for files: of fields that it removes, makes private or public. */
export function fileJobs(context: Context, before: ClassData, after: ClassData): readonly Put[] {
  return [...deletions(context, before, after), ...moves(context, before, after)];
}

function deletions(
  context: Context,
  before: ClassData,
  { retiredFiles = [], name: className, number: classNumber }: ClassData,
): readonly Put[] {
  const names = retiredFiles.filter((name) => !before.retiredFiles?.includes(name));
  if (names.length === 0) return [];
  const task: RetiredFiles = { instance: instanceOf(context), className, classNumber, names };
  return [newJob(context.platform, clearFiles, task)];
}

function moves(context: Context, before: ClassData, after: ClassData): readonly Put[] {
  const isSwitched = after.storage.some(({ storage }, at) => {
    const old = before.storage.findIndex((field) => field.storage === storage);
    return old >= 0 && isPrivate(before.schema[old]) !== isPrivate(after.schema[at]);
  });
  if (!isSwitched) return [];
  const { name: className, number: classNumber } = after;
  const task: SwitchedFiles = { instance: instanceOf(context), className, classNumber };
  return [newJob(context.platform, moveFiles, task)];
}
