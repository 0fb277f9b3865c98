import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Crontab } from '../../shared/schedules/rules/crontab.ts';
import { isTimeZone, timeAfter, timesAfter } from '../../shared/schedules/rules/schedule-times.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Returns the first times of a crontab as ISO text. */
async function firstTimes(
  count: number,
  crontab: string,
  timezone: string,
  after: string,
): Promise<string[]> {
  const timing = { interval_sec: null, crontab, timezone };
  const found: string[] = [];
  for await (const time of timesAfter(timing, Date.parse(after), 0)) {
    found.push(new Date(time).toISOString().replace(':00.000Z', 'Z'));
    if (found.length === count) break;
  }
  return found;
}

describe('the times of a crontab', () => {
  it.each([
    {
      name: 'begin after the moment, not at it',
      crontab: '* * * * *',
      after: '2026-01-01T00:00Z',
      times: ['2026-01-01T00:01Z', '2026-01-01T00:02Z'],
    },
    {
      name: 'begin with the next whole minute',
      crontab: '* * * * *',
      after: '2026-01-01T00:00:59.999Z',
      times: ['2026-01-01T00:01Z'],
    },
    {
      name: 'need both a day of the month and a weekday',
      crontab: '0 0 13 * fri',
      after: '2026-01-01T00:00Z',
      times: ['2026-02-13T00:00Z', '2026-03-13T00:00Z', '2026-11-13T00:00Z'],
    },
    {
      name: 'skip months without the day',
      crontab: '0 0 31 * *',
      after: '2026-01-31T12:00Z',
      times: ['2026-03-31T00:00Z', '2026-05-31T00:00Z'],
    },
    {
      name: 'find the leap day',
      crontab: '0 12 29 2 *',
      after: '2026-03-01T00:00Z',
      times: ['2028-02-29T12:00Z', '2032-02-29T12:00Z'],
    },
    {
      name: 'find the leap day across a year without one',
      crontab: '0 12 29 2 *',
      after: '2096-03-01T00:00Z',
      times: ['2104-02-29T12:00Z'],
    },
    {
      name: 'find a leap day on a weekday, which may take 40 years',
      crontab: '0 0 29 2 mon',
      after: '2072-02-29T00:00Z',
      times: ['2112-02-29T00:00Z'],
    },
    {
      name: 'do not exist for a day that no month has',
      crontab: '0 0 30 2 *',
      after: '2026-01-01T00:00Z',
      times: [],
    },
    {
      name: 'are in the time zone',
      timezone: 'Asia/Kathmandu',
      crontab: '0 9 * * *',
      after: '2026-01-01T00:00Z',
      times: ['2026-01-01T03:15Z', '2026-01-02T03:15Z'],
    },
    {
      name: 'may be in a year that has not begun in UTC',
      timezone: 'Asia/Tokyo',
      crontab: '0 0 1 1 *',
      after: '2025-12-31T14:00Z',
      times: ['2025-12-31T15:00Z', '2026-12-31T15:00Z'],
    },
    {
      name: 'may be in a year that has ended in UTC',
      timezone: 'America/New_York',
      crontab: '0 23 * * *',
      after: '2026-01-01T02:00Z',
      times: ['2026-01-01T04:00Z', '2026-01-02T04:00Z'],
    },
    {
      name: 'move to the end of a gap of the clock when there is one a day',
      timezone: 'Europe/Warsaw',
      crontab: '30 2 * * *',
      after: '2026-03-28T12:00Z',
      times: ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    },
    {
      name: 'are skipped in a gap of the clock when there are several a day',
      timezone: 'Europe/Warsaw',
      crontab: '15,30 2 * * *',
      after: '2026-03-28T12:00Z',
      times: ['2026-03-30T00:15Z', '2026-03-30T00:30Z'],
    },
    {
      name: 'do not exist when they are only in gaps of the clock',
      timezone: 'Europe/Warsaw',
      crontab: '15,30 2 25-31 3 sun',
      after: '2026-03-28T12:00Z',
      times: [],
    },
    {
      name: 'come once in the repeated hour when there is one a day',
      timezone: 'Europe/Warsaw',
      crontab: '30 2 * * *',
      after: '2026-10-24T12:00Z',
      times: ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    },
    {
      name: 'come twice in the repeated hour when there are several a day',
      timezone: 'Europe/Warsaw',
      crontab: '30 2-3 * * *',
      after: '2026-10-24T12:00Z',
      times: ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z'],
    },
  ])('$name', async ({ timezone = 'UTC', crontab, after, times }) => {
    expect(await firstTimes(Math.max(1, times.length), crontab, timezone, after)).toEqual(times);
  });

  it('are those that a look at each minute finds', async () => {
    await fc.assert(
      fc.asyncProperty(crontabs, moments, async (crontab, { timezone, after }) => {
        const until = after + 2 * dayMs;
        const timing = { interval_sec: null, crontab: textOf(crontab), timezone };
        const found: number[] = [];
        for await (const time of timesAfter(timing, after, 0)) {
          if (time > until) break;
          found.push(time);
        }

        expect(found).toEqual(matchingMinutes(crontab, timezone, { after, until }));
      }),
      { numRuns: 30 },
    );
  });
});

/** Some values of a part, in order. */
const some = (from: readonly number[], maxLength: number) =>
  fc
    .uniqueArray(fc.constantFrom(...from), { minLength: 1, maxLength })
    .map((values) => values.sort((a, b) => a - b));
const all = (min: number, max: number) => Array.from({ length: max - min + 1 }, (_, n) => min + n);

/** Crontabs, most of them with times in the hours in which clocks change. */
const crontabs: fc.Arbitrary<Crontab> = fc.record({
  minutes: fc.oneof(some([0, 15, 30, 45, 59], 1), some(all(0, 59), 8), fc.constant(all(0, 59))),
  hours: fc.oneof(some([0, 1, 2, 3], 1), some(all(0, 23), 8), fc.constant(all(0, 23))),
  days: fc.oneof(fc.constant(all(1, 31)), some(all(1, 31), 20)),
  months: fc.oneof(fc.constant(all(1, 12)), some(all(1, 12), 8)),
  weekdays: fc.oneof(fc.constant(all(0, 6)), some(all(0, 6), 5)),
});

function textOf({ minutes, hours, days, months, weekdays }: Crontab): string {
  return [minutes, hours, days, months, weekdays].map(String).join(' ');
}

/** Moments up to a day before a change of the clock, or the end of a month or a year. */
const moments = fc
  .record({
    change: fc.constantFrom(
      { timezone: 'UTC', at: '2027-01-01T00:00Z' },
      { timezone: 'UTC', at: '2028-02-29T00:00Z' },
      { timezone: 'Europe/Warsaw', at: '2026-03-29T01:00Z' },
      { timezone: 'Europe/Warsaw', at: '2026-10-25T01:00Z' },
      { timezone: 'America/New_York', at: '2026-03-08T07:00Z' },
      { timezone: 'America/New_York', at: '2026-11-01T06:00Z' },
      { timezone: 'America/Santiago', at: '2026-09-06T04:00Z' }, // at midnight
      { timezone: 'Australia/Lord_Howe', at: '2026-04-04T15:00Z' }, // by half an hour
      { timezone: 'Australia/Lord_Howe', at: '2026-10-03T15:30Z' },
      { timezone: 'Asia/Kathmandu', at: '2026-12-31T18:15Z' },
    ),
    before: fc.integer({ min: 0, max: dayMs }),
  })
  .map(({ change: { timezone, at }, before }) => ({ timezone, after: Date.parse(at) - before }));

/** Looks at the clock of the zone in each minute of a span. */
function matchingMinutes(
  crontab: Crontab,
  timezone: string,
  { after, until }: { after: number; until: number },
): number[] {
  const isOnceADay = crontab.minutes.length === 1 && crontab.hours.length === 1;
  const clock = clockOf(timezone);
  const found: number[] = [];
  const begin = Math.floor(after / minuteMs) * minuteMs;
  const shown = new Set<number>(); // walls that the clock has shown, from some hours before
  let last = Number.NaN;
  for (let time = begin - 4 * 3_600_000; time <= until; time += minuteMs) {
    const wall = clock(time);
    const skipped: number[] = [];
    for (let gap = last + minuteMs; gap < wall; gap += minuteMs) skipped.push(gap);
    const isRepeated = shown.has(wall);
    shown.add(wall);
    last = wall;
    const isDue = isOnceADay
      ? (!isRepeated && isMatch(crontab, wall)) || skipped.some((gap) => isMatch(crontab, gap))
      : isMatch(crontab, wall);
    if (isDue && time > after) found.push(time);
  }
  return found;
}

/** Returns what a clock of the zone shows, as if it were UTC. */
function clockOf(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (time) => {
    const parts = format.formatToParts(time);
    const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  };
}

function isMatch({ minutes, hours, days, months, weekdays }: Crontab, wall: number): boolean {
  const date = new Date(wall);
  return (
    minutes.includes(date.getUTCMinutes()) &&
    hours.includes(date.getUTCHours()) &&
    days.includes(date.getUTCDate()) &&
    months.includes(date.getUTCMonth() + 1) &&
    weekdays.includes(date.getUTCDay())
  );
}

describe('the times of an interval', () => {
  const timing = { interval_sec: 30, crontab: null, timezone: 'UTC' };

  it.each([
    ['count from the anchor', 1000, 1000, 31_000],
    ['come after the moment, not at it', 31_000, 1000, 61_000],
    ['keep their distance to the anchor after a pause', 1_000_000, 1000, 1_021_000],
    ['come soon after a moment before the anchor', 500, 61_000, 1000],
  ])('%s', async (_, after, anchor, first) => {
    expect(await timeAfter(timing, after, anchor)).toBe(first);
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Warsaw', 'europe/warsaw', 'US/Pacific', 'Asia/Calcutta', 'Etc/GMT+5'])(
    'is %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(['', ' ', '+01:00', '-05', 'Mars/Base', 'Europe', 'UTC '])('is not %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
