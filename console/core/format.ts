/*
 * How the console writes dates, times, numbers, sizes and durations: as the browser's locale does, times in the zone of
 * the browser, which is shown where a time is exact.
 */

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const minuteParts = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;
const moment = new Intl.DateTimeFormat(undefined, { ...minuteParts, second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});
const hour = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: 'numeric' });

const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Returns a number with the separators of the locale: `12,345`. */
export function formatNumber(value: number): string {
  return value.toLocaleString();
}

/** Returns a number with its noun: `1 object`, `2,000 objects`; `plural` where an s does not make it. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** Returns a point in time exactly: `Jan 31, 2026, 3:05:07 PM GMT+1`. */
export function formatMoment(time: string | number | Date): string {
  return moment.format(new Date(time));
}

/**
 * Returns a point in time to the minute, for times that people choose.
 *
 * @param timeZone absent: that of the browser
 * @throws RangeError for a time zone that this browser does not know
 */
export function formatMinute(time: string | number | Date, timeZone?: string): string {
  return new Intl.DateTimeFormat(undefined, {
    ...minuteParts,
    weekday: 'short',
    ...(timeZone !== undefined && { timeZone }),
  }).format(new Date(time));
}

/** Returns a day of UTC: `Jan 31, 2026`. */
export function formatDay(time: string | number | Date): string {
  return day.format(new Date(time));
}

/** Returns the text of an axis of times: the hour, or with `isDaily` the day of UTC. */
export function formatTick(time: number, isDaily: boolean): string {
  return (isDaily ? shortDay : hour).format(new Date(time));
}

/** Returns how far a point in time is from now: `3 minutes ago`. */
export function formatDistance(time: string | number | Date): string {
  let amount = (new Date(time).getTime() - Date.now()) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return relative.format(Math.round(amount), 'year');
}

/** Returns a duration: `12 ms`, `3.4 s`. */
export function formatDuration(ms: number): string {
  const isShort = ms < 1000;
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: isShort ? 'millisecond' : 'second',
    maximumFractionDigits: isShort ? 0 : 1,
  }).format(isShort ? ms : ms / 1000);
}

/** Returns a number of bytes: `1 byte`, `900 bytes`, `1.5 MB`; nothing for null. */
export function formatSize(bytes: number | null): string {
  if (bytes === null) return '';
  const power = Math.min(sizeUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: sizeUnits[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power);
}
