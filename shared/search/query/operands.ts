import { messages } from '../../values/errors/messages.ts';
import { ExactNumber } from '../../values/json/exact-number.ts';
import {
  characterCount,
  integerReader,
  read,
  readDatetime,
  readFloat,
  reject,
  textReader,
  type ValueResult,
} from '../../values/scalars.ts';
import type { QueryType } from './fields.ts';

/** Value that a filter compares with: of the same kind as the stored values of the field. */
export type Scalar = string | number | boolean;

const maxText = 128; // docs/reference/queries.md#grammar
const readInteger = integerReader({ min: -2147483648, max: 2147483647 });
const readAnyText = textReader({ trim: false, blank: true });

/**
 * Reads the operand of a comparison.
 *
 * @returns undefined for a wrong kind of value: null, a list, an object, or for datetimes anything but text
 */
export function readOperand(type: QueryType, input: unknown): ValueResult<Scalar> | undefined {
  if (input === null || input === undefined) return undefined;
  if (typeof input === 'object' && !(input instanceof ExactNumber)) return undefined;
  switch (type) {
    case 'integer':
    case 'reference':
      return readInteger(input);
    case 'float':
      return readFloat(input);
    case 'boolean':
      return readBoolean(input);
    case 'datetime':
      return typeof input === 'string' ? readMoment(input) : undefined;
    case 'channel':
      return readChannelName(input);
    case 'string':
    case 'text':
    case 'room':
      return readText(input);
    case 'file':
    case 'relation':
    case 'array':
    case 'object':
    case 'geopoint':
      return undefined;
  }
}

/** Reads text of at most 128 characters; numbers are converted to text. */
export function readText(input: unknown): ValueResult<string> {
  const reading = readAnyText(input);
  if (!reading.ok) return reading;
  const length = characterCount(reading.value);
  return length > maxText ? reject(messages.nameTooLong(maxText, length)) : reading;
}

const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 1, 't', 'True', '1'].map((word) => [word, true] as const),
  ...[false, 0, 'f', 'False', '0'].map((word) => [word, false] as const),
]);

function readBoolean(input: unknown): ValueResult<boolean> {
  const value = booleans.get(input);
  return value === undefined ? reject(messages.notBoolean) : read(value);
}

const channelName = /^[a-z]([a-z0-9_-]*[a-z0-9])?$/;

function readChannelName(input: unknown): ValueResult<string> {
  const reading = readText(input);
  if (!reading.ok) return reading;
  const name = reading.value.toLowerCase();
  return channelName.test(name) ? read(name) : reject(messages.channelCharacters);
}

const date = /^(\d{4})-(\d{1,2})-(\d{1,2})/.source;
const time = /(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6})\d*)?)?/.source;
const zone = /\s*(?:(Z)|([+-])(\d{2})(?::?(\d{2}))?)?/.source;
const moment = new RegExp(`${date}(?:[T ]${time}${zone})?$`, 'i');

/**
 * Reads a datetime less strictly than fields do: a date alone, no seconds or fraction, an offset; without an offset it
 * is UTC, and digits after the sixth, which .NET sends, are cut (docs/reference/queries.md#lookups-by-type). Returns
 * the stored form.
 */
function readMoment(input: string): ValueResult<string> {
  const parts = moment.exec(input);
  if (parts === null) return reject(messages.notDatetime);
  const [, year, month, day, hour, minute, second, fraction, , sign, hours, minutes] = parts;
  const local = readDatetime(
    `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}.${fraction ?? 0}Z`,
  );
  if (!local.ok || sign === undefined) return local;
  if (Number(hours) > 23 || Number(minutes ?? 0) > 59) return reject(messages.notDatetime);
  const offset = Number(hours) * 60 + Number(minutes ?? 0);
  const utc = new Date(
    Date.parse(`${local.value.slice(0, 19)}Z`) + (sign === '+' ? -offset : offset) * 60_000,
  );
  return readDatetime(utc.toISOString().slice(0, 19) + local.value.slice(19));
}

function two(digits: string | undefined): string {
  return (digits ?? '0').padStart(2, '0');
}
