import type { JobContext, JobType } from '../jobs/jobs.ts';
import { cascade } from '../jobs/maintain.ts';
import { openTurns } from '../ports/limits/time-slices.ts';
import { planRun } from '../scripts/pending-runs.ts';
import { readTogether } from '../store/entity.ts';
import type { Write } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';
import { instanceCounter } from '../table/counters.ts';
import { instanceEntity } from '../table/entities/instances.ts';
import { traceEntity } from '../table/entities/runs.ts';
import { scheduleEntity, scriptEntity } from '../table/entities/scripts.ts';
import type { ScheduleData } from '../table/records/schedules.ts';
import { timestamp } from '../values/timestamp.ts';
import { type Timing, timeAfter, timesAfter } from './rules/schedule-times.ts';
import { planSchedule, type ScheduleTask, scheduleJob } from './schedule-record.ts';

const maxCounted = 1000; // missed times of one pause: each costs a tenth of a millisecond

/**
 * Runs the script of a schedule at its time, and plans the next one. One transaction creates the trace and moves the
 * schedule to its next time, so each time is run once at most, or counted as missed.
 */
export const runSchedule: JobType = {
  ...scheduleJob,
  step: async (context, stored) => {
    const { instance, schedule, time } = stored as ScheduleTask; // as stored
    const { current, instanceRecord } = await readTogether(context.store, {
      current: scheduleEntity.at(instance, schedule),
      instanceRecord: instanceEntity.at(instance),
    });
    if (instanceRecord === undefined || current?.data.scheduled_next !== time) return 'done';
    const { script, last } = await readTogether(context.store, {
      script: scriptEntity.at(instance, current.data.script),
      last: traceEntity.at(instance, 'schedule', schedule, current.data.lastTrace ?? 0),
    });
    if (script === undefined) return 'done'; // the schedule is deleted with it
    const isOverlapping = last?.data.status === 'pending' || last?.data.status === 'processing';
    const due = Date.parse(time);
    const { next, skipped } = await followingTime(context, current.data, due);
    const isBlocked = isOverlapping || instanceRecord.data.isSuspended === true;
    const run = isBlocked ? undefined : await planScheduledRun(context, instance, current.data);
    const data: ScheduleData = {
      ...current.data,
      scheduled_next: next === undefined ? null : timestamp(next * 1000),
      missed: current.data.missed + skipped + (run === undefined ? 1 : 0),
      ...(run && { lastTrace: run.trace }),
    };
    const planned = planSchedule(instance, data, current.data);
    await cascade(context, [updateItem(current, data), ...planned, ...(run?.writes ?? [])]);
    return 'done';
  },
};

/** Finds the first time of a schedule after now, and counts those that have passed since its due time. */
async function followingTime(
  { clock }: JobContext,
  timing: Timing,
  due: number,
): Promise<{ readonly next: number | undefined; readonly skipped: number }> {
  const now = Math.max(due, clock.micros() / 1000); // never the same time again, even if the clock was set back
  const turns = openTurns();
  let skipped = 0;
  for await (const time of timesAfter(timing, due, due)) {
    if (time > now) return { next: time, skipped };
    skipped += 1;
    if (skipped === maxCounted) break;
    if (turns.isDue()) await turns.pause();
  }
  return { next: await timeAfter(timing, now, due), skipped };
}

/** Plans a run of the script; returns the id of its trace, and the writes. */
async function planScheduledRun(
  context: JobContext,
  instance: number,
  { id, script }: ScheduleData,
): Promise<{ readonly trace: number; readonly writes: readonly Write[] }> {
  const trace = await context.store.next(instanceCounter(instance, 'trace-schedule'));
  const reference = { instance, kind: 'schedule', parent: id, trace } as const;
  const { writes } = planRun(context, reference, {
    args: { value: {} },
    depth: 1,
    run: { script, meta: { executed_by: 'schedule', executor: id } },
  });
  return { trace, writes };
}
