import { fileNamesOf } from '../classes/rules/file-names.ts';
import { clearData } from '../instances/clear-partitions.ts';
import { type JobContext, newJob, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { moveFiles, type SwitchedFiles } from '../objects/files/move-files.ts';
import { timeAfter } from '../schedules/rules/schedule-times.ts';
import { planSchedule } from '../schedules/schedule-record.ts';
import type { Stored } from '../store/store.ts';
import { deleteIfExists, updateItem } from '../store/writes.ts';
import { dataOfName } from '../table/data-ids.ts';
import { classEntity } from '../table/entities/classes.ts';
import { scheduleEntity } from '../table/entities/scripts.ts';
import { deletedGroupsEntity, deletedUserEntity } from '../table/entities/users.ts';
import type { InstanceData } from '../table/records/records.ts';
import type { ScheduleData } from '../table/records/schedules.ts';
import { clearGroup } from '../users/clear-group.ts';
import { type ClearUserTask, clearUser } from '../users/clear-user.ts';
import { timestamp } from '../values/timestamp.ts';
import { broughtAliases } from './archived-aliases.ts';
import {
  activeKeys,
  changeRestore,
  type DataPointers,
  dataOf,
  lastClassOf,
  type RestoreTask,
} from './restore-state.ts';

/** Switches the instance to the restored contents, opens it, and has the contents of before deleted: one transaction. */
export async function switchData(
  context: JobContext,
  task: RestoreTask,
  { instanceRecord, pointer, numbers }: DataPointers,
): Promise<StepResult> {
  const data = dataOf(task);
  const before = dataOfName(pointer.data) ?? task.instance;
  const classes = await classEntity.listAll(context.store, [data]);
  const lastClass = lastClassOf(task.counts, numbers.data.last, classes);
  const { isClosed: _, ...open } = pointer.data;
  const brought = await broughtAliases(context, task, pointer.data);
  const aliases = brought.aliases.length > 0 && { aliases: brought.aliases };
  await maintain(context, [
    updateItem(pointer, { ...open, data, ...aliases }),
    updateItem(instanceRecord, withLineage({ ...instanceRecord.data, data }, task)),
    ...brought.keys,
    updateItem(numbers, {
      last: lastClass,
      numbers: Object.fromEntries(classes.map((item) => [item.data.name, item.data.number])),
    }),
    newJob(context, clearData, { instance: before, lastClass }),
  ]);
  return { task };
}

/** Returns the record of an instance whose contents are those of a restore. */
function withLineage({ lineage: _, ...record }: InstanceData, task: RestoreTask): InstanceData {
  const lineage = task.origin === undefined ? task.lineage : dataOf(task);
  return lineage === undefined ? record : { ...record, lineage };
}

/** Plans what jobs have to do with the restored contents, and ends the restore. */
export async function resumeData(context: JobContext, task: RestoreTask): Promise<StepResult> {
  const data = dataOf(task);
  for (const schedule of await scheduleEntity.listAll(context.store, [data])) {
    await resumeSchedule(context, data, schedule);
  }
  await resumeMoves(context, data);
  await resumeDeletions(context, data);
  const status_info = task.hasLostCredentials ? 'Push credentials could not be read.' : '';
  await changeRestore(context, task, { status: 'success', status_info });
  await maintain(context, activeKeys(task).map(deleteIfExists));
  return 'done';
}

/** Plans the clean-up of users and groups that the backup has as deleted ones. */
async function resumeDeletions(context: JobContext, data: number): Promise<void> {
  const deleted = await deletedGroupsEntity.read(context.store, data);
  const groups = deleted?.data.groups ?? [];
  const users = await deletedUserEntity.listAll(context.store, [data]);
  const tasks = users.map(
    ({ data: { user } }): ClearUserTask => ({ instance: data, user, isRecorded: true }),
  );
  const jobs = [
    ...groups.map((group) => newJob(context, clearGroup, { instance: data, group })),
    ...tasks.map((task) => newJob(context, clearUser, task)),
  ];
  for (let at = 0; at < jobs.length; at += maxJobs) {
    await maintain(context, jobs.slice(at, at + maxJobs));
  }
}

/**
 * Moves files that the backup has where a schema of before wanted them, as jobs are not restored, or one of later: an
 * object that was saved while the backup was made may have a private file, in a class that was read before the switch.
 */
async function resumeMoves(context: JobContext, data: number): Promise<void> {
  for (const { data: ofClass } of await classEntity.listAll(context.store, [data])) {
    if (fileNamesOf(ofClass).length === 0) continue;
    const { name: className, number: classNumber } = ofClass;
    const task: SwitchedFiles = { instance: data, className, classNumber };
    await maintain(context, [newJob(context, moveFiles, task)]);
  }
}

const maxJobs = 100; // of a transaction

/** Plans the next time of a schedule from now on: times since the backup are not made up for. */
async function resumeSchedule(
  context: JobContext,
  data: number,
  schedule: Stored<ScheduleData>,
): Promise<void> {
  const nowMs = Math.floor(context.clock.micros() / 1000);
  const next = await timeAfter(schedule.data, nowMs, nowMs);
  const { lastTrace: _, ...rest } = schedule.data; // traces are not restored
  const scheduled_next = next === undefined ? null : timestamp(next * 1000);
  const resumed: ScheduleData = { ...rest, scheduled_next };
  await maintain(context, [updateItem(schedule, resumed), ...planSchedule(data, resumed)]);
}
