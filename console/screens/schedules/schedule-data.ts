import type { scheduleFields } from '../../../functions/schedules/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { formatMinute } from '../../core/format.ts';
import type { RecordType } from '../../core/record-type.ts';
import { type BatchItem, sendBatch } from '../objects/bulk/batches.ts';

/** A schedule, as the interface shows it. */
export type Schedule = ShownRecord<(typeof scheduleFields)['v1.1']>;

/** Runs and missed times of a schedule. */
export interface ScheduleHistory {
  /** Absent: it has not run in the last 24 hours. */
  readonly lastRun: { readonly status: string; readonly executed_at: string | null } | undefined;
  readonly missed: number;
}

/** The schedules of an instance. */
export const scheduleType: RecordType<Pick<Schedule, 'id' | 'label'>> = {
  noun: 'schedule',
  title: 'Schedules',
  path: (instance) => at`instances/${instance}/schedules/`,
  place: (instance) => at`/i/${instance}/schedules`,
  keyOf: ({ id }) => id,
  nameOf: ({ id, label }) => label || `Schedule ${id}`,
};

/** The units of intervals, the shortest first. */
export const intervalUnits = [
  { seconds: 1, name: 'second' },
  { seconds: 60, name: 'minute' },
  { seconds: 3_600, name: 'hour' },
] as const;

/** Returns the longest unit of which seconds are a whole number, and that number. */
export function splitInterval(seconds: number) {
  const unit = intervalUnits.findLast((each) => seconds % each.seconds === 0) ?? intervalUnits[0];
  return { amount: seconds / unit.seconds, unit };
}

/** Returns when a schedule runs, in words. */
export function timesText({ interval_sec, crontab, timezone }: Schedule): string {
  if (interval_sec === null) return `at ${crontab} (${timezone})`;
  const { amount, unit } = splitInterval(interval_sec);
  return amount === 1 ? `every ${unit.name}` : `every ${amount} ${unit.name}s`;
}

/** Returns a point in time on the clock of a time zone. */
export function clockText(time: string, timezone: string): string {
  try {
    return formatMinute(time, timezone);
  } catch {
    return time; // this browser does not know the time zone
  }
}

const perBatch = 25; // two requests each; docs/reference/batch.md#limits

/** Reads what lists of schedules do not have, by the schedule's id. */
export async function readHistories(
  instance: string,
  all: readonly Schedule[],
): Promise<ReadonlyMap<number, ScheduleHistory>> {
  const histories = new Map<number, ScheduleHistory>();
  for (let start = 0; start < all.length; start += perBatch) {
    const some = all.slice(start, start + perBatch);
    const entries = await sendBatch(instance, some.flatMap(requestsOf(instance)));
    for (const [index, { id }] of some.entries()) {
      const record = entries[2 * index]?.content as Partial<Schedule> | undefined; // as requested
      const runs = entries[2 * index + 1]?.content as RunPage | undefined; // likewise
      histories.set(id, { missed: record?.missed ?? 0, lastRun: runs?.objects?.[0] });
    }
  }
  return histories;
}

interface RunPage {
  readonly objects?: readonly NonNullable<ScheduleHistory['lastRun']>[];
}

function requestsOf(instance: string) {
  return ({ id }: Schedule): BatchItem[] => {
    const path = at`/v1.1/instances/${instance}/schedules/${id}/`;
    const runs = below(path)`traces/?page_size=1&fields=status,executed_at`;
    return [
      { method: 'GET', path },
      { method: 'GET', path: runs },
    ];
  };
}
