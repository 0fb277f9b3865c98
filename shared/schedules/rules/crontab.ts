import { read, reject, type ValueResult } from '../../values/scalars.ts';

/** Values that the parts of a crontab match, each list without repetition. Weekdays begin with Sunday, 0. */
export interface Crontab {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Days of the month. A day matches if its weekday matches too. */
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
}

/** One part of a crontab: its values, and words for them. */
interface Part {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** From `min` on; their first three letters stand for them too. */
  readonly words?: readonly string[];
}

const weekdayWords = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

const parts = {
  minutes: { name: 'minute', min: 0, max: 59 },
  hours: { name: 'hour', min: 0, max: 23 },
  days: { name: 'day of the month', min: 1, max: 31 },
  months: { name: 'month', min: 1, max: 12 },
  weekdays: { name: 'weekday', min: 0, max: 6, words: weekdayWords },
} as const satisfies Record<keyof Crontab, Part>;

/** Reasons why text is not a crontab; the words are part of the interface (docs/reference/schedules.md#crontab). */
export const crontabMessages = {
  partCount: 'Crontab has to have 5 parts specified.',
  invalid: (reason: string) => `Not a valid crontab, ${reason}.`,
} as const;

/** Reads a crontab, from its minute to its weekday (docs/reference/schedules.md#crontab). */
export function readCrontab(text: string): ValueResult<Crontab> {
  const texts = text.trim().split(/\s+/);
  const entries = Object.entries(parts);
  if (texts.length !== entries.length) return reject(crontabMessages.partCount);
  const values: [string, readonly number[]][] = [];
  for (const [at, [name, part]] of entries.entries()) {
    const reading = readPart(texts[at] ?? '', part);
    if (!reading.ok) return reading;
    values.push([name, reading.value]);
  }
  return read(Object.fromEntries(values) as unknown as Crontab); // one value for each part
}

function readPart(text: string, part: Part): ValueResult<readonly number[]> {
  const values = new Set<number>();
  for (const element of text.split(',')) {
    const found = expand(element, part);
    if (found === undefined) return reject(crontabMessages.invalid(notIn(part, element)));
    for (const value of found) values.add(value);
  }
  return read([...values].sort((a, b) => a - b));
}

function notIn({ name, min, max }: Part, element: string): string {
  return `"${element}" does not fit the ${name} (${min}-${max})`;
}

const elementText = /^(?:\*|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\d+))?$/;

/** Returns the values of a star, a number or a range, the first and the last with a step; undefined for other text. */
function expand(element: string, part: Part): readonly number[] | undefined {
  const groups = elementText.exec(element)?.groups;
  if (groups === undefined) return undefined;
  const { min, max } = part;
  const isRange = groups.from === undefined || groups.to !== undefined;
  if (groups.step !== undefined && !isRange) return undefined;
  const step = Number(groups.step ?? 1);
  const from = groups.from === undefined ? min : numberOf(groups.from, part);
  const to = groups.from === undefined ? max : numberOf(groups.to ?? groups.from, part);
  if (from === undefined || to === undefined || step === 0) return undefined;
  const size = max - min + 1;
  const length = ((to - from + size) % size) + 1; // a range whose end is before its start wraps round
  return Array.from(
    { length: Math.ceil(length / step) },
    (_, at) => min + ((from - min + at * step) % size),
  );
}

function numberOf(text: string, { min, max, words = [] }: Part): number | undefined {
  const word = text.toLowerCase();
  const at = words.findIndex((known) => word === known || word === known.slice(0, 3));
  if (at !== -1) return min + at;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
