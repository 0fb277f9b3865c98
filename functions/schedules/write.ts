import {
  type Context,
  instanceOf,
  notFound,
  reservedId,
  type Update,
} from '../../shared/core/family.ts';
import { type Input, validValues } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { crontabMessages } from '../../shared/schedules/rules/crontab.ts';
import { timeAfter } from '../../shared/schedules/rules/schedule-times.ts';
import {
  planSchedule,
  removeSchedule,
  scheduleLimit,
} from '../../shared/schedules/schedule-record.ts';
import { scriptErrors, toV11Names, withScript } from '../../shared/scripts/script-reference.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Check, Stored } from '../../shared/store/store.ts';
import { createItem, updateItem } from '../../shared/store/writes.ts';
import { scheduleEntity, scriptEntity } from '../../shared/table/entities/scripts.ts';
import { addId } from '../../shared/table/record-ids.ts';
import type { ScheduleData } from '../../shared/table/records/schedules.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { ScheduleFields } from './fields.ts';

/** Creates a schedule, which runs for the first time after a whole interval, or when its crontab matches. */
export async function createSchedule(
  context: Context,
  input: Input<ScheduleFields, 'create'>,
): Promise<ScheduleData> {
  return retryOnConflict(async () => {
    const reading = input.read();
    const draft = validValues(reading, await scriptErrors(context, reading.values));
    const data = await withNextTime(context, {
      ...toV11Names(draft),
      script: 'codebox' in draft ? draft.codebox : draft.script,
      id: reservedId(context),
      created_at: timestamp(context.platform.clock.micros()),
      missed: 0,
    });
    const instance = instanceOf(context);
    await commit(context, [
      createItem(scheduleEntity, scheduleEntity.key(instance, data.id), data),
      await addId(context.platform.store, scheduleLimit, { instance, id: data.id }),
      scriptExists(instance, data),
      ...planSchedule(instance, data),
    ]);
    return data;
  });
}

/** Changes a schedule; its next time is computed again, whatever changes (docs/reference/schedules.md#next-time). */
export async function updateSchedule(
  context: Context,
  { current, input }: Update<ScheduleData, ScheduleFields>,
): Promise<ScheduleData> {
  await checkLiving(context, current);
  const reading = input.read();
  const draft = validValues(reading, await scriptErrors(context, reading.values));
  const data = await withNextTime(context, { ...current.data, ...toV11Names(draft) });
  const instance = instanceOf(context);
  await commit(context, [
    updateItem(current, data),
    scriptExists(instance, data),
    ...planSchedule(instance, data, current.data),
  ]);
  return data;
}

/** Deletes a schedule, and later its traces. */
export async function deleteSchedule(
  context: Context,
  current: Stored<ScheduleData>,
): Promise<void> {
  await checkLiving(context, current);
  await commit(context, await removeSchedule(context.platform, instanceOf(context), current));
}

/**
 * Adds the next time.
 *
 * @throws ApiError 400 unless there is either an interval or a crontab, which matches some time
 */
async function withNextTime(
  { platform }: Context,
  draft: Omit<ScheduleData, 'scheduled_next'>,
): Promise<ScheduleData> {
  const { interval_sec, crontab } = draft;
  if (interval_sec !== null && crontab !== null) throw invalidTiming(bothKinds);
  if (interval_sec === null && crontab === null) throw invalidTiming(neitherKind);
  const now = Math.floor(platform.clock.micros() / 1000);
  const next = await timeAfter(draft, now, now);
  if (next === undefined) throw invalid({ crontab: [crontabMessages.invalid('it never matches')] });
  return { ...draft, scheduled_next: timestamp(next * 1000) };
}

const bothKinds = "You can't specify both crontab and interval_sec.";
const neitherKind = 'Either crontab or interval_sec has to be specified.';

function invalidTiming(message: string) {
  return invalid({ non_field_errors: [message] });
}

/** Returns a check without which a schedule could be created while its script is deleted. */
function scriptExists(instance: number, { script }: ScheduleData): Check {
  const key = scriptEntity.key(instance, script);
  return { action: 'check', key, condition: { kind: 'present' } };
}

async function checkLiving(context: Context, current: Stored<ScheduleData>): Promise<void> {
  if ((await withScript(context, [current])).length === 0) throw notFound();
}
