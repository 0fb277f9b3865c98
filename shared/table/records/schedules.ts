/* Data of items for schedules. */

/** A schedule: runs a script at the times of an interval or a crontab. One of the two is null. */
export interface ScheduleData {
  readonly id: number;
  readonly label: string;
  readonly description: string;
  /** Id of its script: the schedule is deleted with it. */
  readonly script: number;
  readonly interval_sec: number | null;
  readonly crontab: string | null;
  /** Time zone of the crontab. */
  readonly timezone: string;
  /** Its next time, in whole milliseconds; null when its crontab matches no time any more. */
  readonly scheduled_next: string | null;
  readonly created_at: string;
  /** Times at which it did not run. */
  readonly missed: number;
  /** Id of the trace of its last run: the next one waits for its end. */
  readonly lastTrace?: number;
}
