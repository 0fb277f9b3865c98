import { readCrontab } from '../../../schedules/rules/crontab.ts';
import type { Timing } from '../../../schedules/rules/schedule-times.ts';

const units = { m: 60, h: 3600, d: 86_400 } as const;
const intervalText = /^(?<count>\d{1,5})(?<unit>[mhd])$/;
const intervalSeconds = { min: 300, max: 31 * 86_400 };

/** Checks for a schedule of backups: a crontab, or an interval from 5 minutes to 31 days such as `6h`. */
export function isBackupSchedule(text: string): boolean {
  return backupTiming(text) !== undefined;
}

/** Returns when backups are due, in UTC; undefined for a text that is no schedule. */
export function backupTiming(text: string): Timing | undefined {
  const { count, unit } = intervalText.exec(text)?.groups ?? {};
  if (unit === undefined) {
    const timing = { interval_sec: null, crontab: text, timezone: 'UTC' };
    return readCrontab(text).ok ? timing : undefined;
  }
  const seconds = Number(count) * units[unit as keyof typeof units]; // by the pattern
  const isInside = seconds >= intervalSeconds.min && seconds <= intervalSeconds.max;
  return isInside ? { interval_sec: seconds, crontab: null, timezone: 'UTC' } : undefined;
}
