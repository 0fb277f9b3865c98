import { type Crontab, readCrontab } from './crontab.ts';

/** When a schedule is due: either the interval or the crontab is null. */
export interface Timing {
  readonly interval_sec: number | null;
  readonly crontab: string | null;
  /** Name of the time zone of the crontab. */
  readonly timezone: string;
}

/** Leap days fall on each weekday at least once in this time, also around 2100. */
const horizonYears = 40;

const library = () => import('croner'); // most processes never look for the time of a crontab

/** Finds the first of the times that {@link timesAfter} yields; undefined: there is none. */
export async function timeAfter(
  timing: Timing,
  after: number,
  anchor: number,
): Promise<number | undefined> {
  for await (const time of timesAfter(timing, after, anchor)) return time;
  return undefined;
}

/**
 * Yields the times after a moment, in order; all are epoch milliseconds. None when the crontab matches no time within
 * {@link horizonYears}. Changes of the clocks: docs/reference/schedules.md#daylight-saving-time.
 *
 * @param anchor a time from which an interval counts
 */
export async function* timesAfter(
  timing: Timing,
  after: number,
  anchor: number,
): AsyncGenerator<number> {
  const { interval_sec, crontab, timezone } = timing;
  if (interval_sec !== null) yield* intervalTimes(interval_sec * 1000, after, anchor);
  else if (crontab !== null) yield* crontabTimes(crontab, timezone, after);
}

function* intervalTimes(intervalMs: number, after: number, anchor: number): Generator<number> {
  const elapsed = Math.floor((after - anchor) / intervalMs);
  for (let n = elapsed + 1; ; n += 1) yield anchor + n * intervalMs;
}

async function* crontabTimes(
  crontab: string,
  timezone: string,
  after: number,
): AsyncGenerator<number> {
  const reading = readCrontab(crontab);
  if (!reading.ok) throw new Error(`a schedule has the crontab ${crontab}`);
  const year = new Date(after).getUTCFullYear();
  const years = `${year - 1}-${year + horizonYears}`; // local years may begin later
  const { Cron } = await library();
  const cron = new Cron(patternOf(reading.value, years), {
    mode: '7-part',
    timezone,
    domAndDow: true,
  });
  for (let last = new Date(after); ; ) {
    const next = cron.nextRun(last);
    if (next === null) return;
    yield next.getTime();
    last = next;
  }
}

/** Writes a crontab in the notation of the library, which has seconds and years in addition. */
function patternOf({ minutes, hours, days, months, weekdays }: Crontab, years: string): string {
  return ['0', minutes, hours, days, months, weekdays, years].map(String).join(' ');
}

/** Checks whether a name is one of a time zone, in any case; offsets such as `+01:00` are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}
