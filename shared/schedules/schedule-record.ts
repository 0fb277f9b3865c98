import { cancelNamedJob, type NamedJob, namedJob, newJob } from '../jobs/jobs.ts';
import type { Platform } from '../ports/ports.ts';
import { clearTraces } from '../scripts/clear-script.ts';
import type { Stored, Write } from '../store/store.ts';
import { deleteItem } from '../store/writes.ts';
import { scheduleIdsEntity } from '../table/entities/scripts.ts';
import { type Limited, removeId } from '../table/record-ids.ts';
import type { ScheduleData } from '../table/records/schedules.ts';

/** The limit on the schedules of an instance (docs/reference/schedules.md#limits). */
export const scheduleLimit: Limited = { entity: scheduleIdsEntity, name: 'Schedule', max: 100 };

/** The type of the job that runs a schedule at its next time. Its step is `runSchedule`, which plans the next one. */
export const scheduleJob = { name: 'run-schedule' } as const;

/** Task of a schedule's job, which ends at once when the schedule has another next time. */
export type ScheduleTask = {
  readonly instance: number;
  readonly schedule: number;
  /** `scheduled_next` of the schedule. */
  readonly time: string;
};

/**
 * Returns writes that plan the job for the next time of a schedule.
 *
 * @param before the schedule before this write, whose job is no longer needed
 */
export function planSchedule(
  instance: number,
  { id, scheduled_next }: ScheduleData,
  before?: ScheduleData,
): readonly Write[] {
  if (before?.scheduled_next === scheduled_next) return []; // its job is planned
  const cancelled = before === undefined ? [] : cancelSchedule(instance, before);
  if (scheduled_next === null) return cancelled;
  const task: ScheduleTask = { instance, schedule: id, time: scheduled_next };
  return [...cancelled, namedJob(scheduleJob, { ...nameOf(instance, id, scheduled_next), task })];
}

function cancelSchedule(instance: number, { id, scheduled_next }: ScheduleData): readonly Write[] {
  if (scheduled_next === null) return [];
  return [cancelNamedJob(scheduleJob, nameOf(instance, id, scheduled_next))];
}

function nameOf(instance: number, schedule: number, time: string): NamedJob {
  return { instance, name: `${instance}-${schedule}`, due: Date.parse(time) };
}

/** Returns the writes that delete a schedule; its traces are deleted later. */
export async function removeSchedule(
  platform: Pick<Platform, 'store' | 'clock' | 'ids'>,
  instance: number,
  schedule: Stored<ScheduleData>,
): Promise<readonly Write[]> {
  const { id } = schedule.data;
  return [
    deleteItem(schedule),
    ...(await removeId(platform.store, scheduleLimit, { instance, id })),
    ...cancelSchedule(instance, schedule.data),
    newJob(platform, clearTraces, { instance, kind: 'schedule', parent: id }),
  ];
}
