import { readDatetime } from '../scalars.ts';

/** A point in time of a file of another system. */
export interface DatetimeText {
  /** As the interface writes it: UTC, six digits of fraction. */
  readonly value: string;
  /** Whether the text named no zone, and was taken for UTC. */
  readonly isUtcAssumed: boolean;
}

const wideForm =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,6})0*)?)?\s*(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?$/;

/**
 * Reads a date, or a time with or without a zone, as spreadsheets and databases write them: wide in form, strict in
 * value (docs/guides/moving-data.md#dates).
 *
 * @returns undefined for a text of another form, a day or a time that does not exist, and more than six digits of
 *   fraction that are not zeros
 */
export function readDatetimeText(text: string): DatetimeText | undefined {
  const parts = wideForm.exec(text.trim());
  if (parts === null) return undefined;
  const [, date = '', minutes = '00:00', seconds = ':00', fraction = '', utc, sign] = parts;
  const [hours = 0, more = 0] = [parts[7], parts[8]].map((each) => Number(each ?? 0));
  const local = readDatetime(`${date}T${minutes}${seconds}.${fraction.padEnd(6, '0')}Z`);
  if (!local.ok || hours > 23 || more > 59) return undefined;
  const isUtcAssumed = utc === undefined && sign === undefined;
  const offset = (hours * 60 + more) * (sign === '-' ? -1 : 1);
  if (offset === 0) return { value: local.value, isUtcAssumed };
  const moved = movedBack(local.value, offset);
  return moved === undefined ? undefined : { value: moved, isUtcAssumed };
}

/** Returns the time in UTC; undefined outside of the years that the interface has. */
function movedBack(value: string, minutes: number): string | undefined {
  const whole = Date.parse(`${value.slice(0, 19)}Z`) - minutes * 60_000;
  const moved = readDatetime(`${new Date(whole).toISOString().slice(0, 19)}${value.slice(19)}`);
  return moved.ok ? moved.value : undefined;
}
