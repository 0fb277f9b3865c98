import { messages } from './errors/messages.ts';
import { asDouble, ExactNumber } from './json/exact-number.ts';
import { jsonTypeName } from './json/json.ts';

/** Result of reading one input value: the value to store, or all messages for the client. */
export type ValueResult<T> = AcceptedValue<T> | RejectedValue;

/** An accepted input value. */
export interface AcceptedValue<T> {
  readonly ok: true;
  readonly value: T;
}

/** A rejected input value; at least one message. */
export interface RejectedValue {
  readonly ok: false;
  readonly messages: readonly string[];
}

/** Reads one input value that is neither absent nor null (unless null has a meaning there). Never throws. */
export type ValueReader<T> = (input: unknown) => ValueResult<T>;

export function read<T>(value: T): AcceptedValue<T> {
  return { ok: true, value };
}

/** Rejects a value with one or more messages. */
export function reject(...texts: readonly string[]): RejectedValue {
  return { ok: false, messages: texts };
}

/** Rules of a text. Lengths are counted in code points (docs/reference/requests.md#values). */
export interface TextRules {
  readonly max?: number;
  readonly min?: number;
  /** Whether surrounding white space is removed first; the default is true. */
  readonly trim?: boolean;
  /** Whether the empty text is allowed; the default is false. */
  readonly blank?: boolean;
}

/**
 * Makes a reader of text. Numbers become text, large ones with all their digits; any other value that is not text is rejected. U+0000 is legal, a
 * lone surrogate is not, since no encoding can represent it (docs/reference/requests.md#text).
 */
export function textReader(rules: TextRules = {}): ValueReader<string> {
  const { trim = true, blank = false } = rules;
  return (input) => {
    const given = numberText(input);
    if (typeof given !== 'string') return reject(messages.notString);
    if (!given.isWellFormed()) return reject(halfCharacterIn(given));
    const text = trim ? given.trim() : given;
    if (text === '') return blank ? read(text) : reject(messages.blank);
    return checkLength(text, rules);
  };
}

/** Returns the message about the first lone surrogate of a text that has one. */
export function halfCharacterIn(text: string): string {
  return messages.halfCharacter(/\p{Cs}/u.exec(text)?.[0].charCodeAt(0) ?? 0);
}

function checkLength(text: string, { max, min }: TextRules): ValueResult<string> {
  if (max !== undefined && text.length > max && characterCount(text) > max) {
    return reject(messages.maxLength(max));
  }
  if (min !== undefined && text.length < 2 * min && characterCount(text) < min) {
    return reject(messages.minLength(min));
  }
  return read(text);
}

/** Counts the code points of `text`. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    const code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) {
      count -= 1;
      i += 1;
    }
  }
  return count;
}

/**
 * Writes a number as Python prints it, as clients expect, or as it was written if a double does not give it back;
 * infinities (from `1e999`) have no text. Returns any other value unchanged.
 */
function numberText(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return undefined;
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Bounds of a number, both inclusive. */
export interface NumberRange {
  readonly min?: number;
  readonly max?: number;
}

const numericTextMax = 1000; // docs/reference/requests.md#values. Longer text is rejected before it is parsed
const integerText = /^\s*[+-]?\d+(\.0*)?\s*$/;
const floatText = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/;

/** Makes a reader of whole numbers: numbers without fraction and text such as `5`, `5.0`; no booleans. */
export function integerReader(range: NumberRange = {}): ValueReader<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range;
  return (input) => {
    const value = toInteger(asDouble(input));
    if (typeof value === 'string') return reject(value);
    if (value > max) return reject(messages.maxValue(max));
    if (value < min) return reject(messages.minValue(min));
    return read(value + 0); // -0 becomes 0
  };
}

/** Returns the number, or the message for a value that is none. */
function toInteger(input: unknown): number | string {
  if (typeof input === 'number') return Number.isInteger(input) ? input : messages.notInteger;
  if (typeof input !== 'string') return messages.notInteger;
  if (input.length > numericTextMax) return messages.integerTooLong;
  return integerText.test(input) ? Number(input) : messages.notInteger;
}

/** Reads a finite double: a number, numeric text, or a boolean as 1 or 0. -0 becomes 0. */
export function readFloat(input: unknown): ValueResult<number> {
  if (typeof input === 'string' && input.length > numericTextMax) {
    return reject(messages.integerTooLong);
  }
  const value = toFloat(asDouble(input));
  return Number.isFinite(value) ? read(value + 0) : reject(messages.notNumber);
}

/** Returns the number; NaN for a value that is none. */
function toFloat(input: unknown): number {
  if (typeof input === 'number') return input;
  if (typeof input === 'boolean') return input ? 1 : 0;
  return typeof input === 'string' && floatText.test(input) ? Number(input) : Number.NaN;
}

const booleanWords: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 1, ...'t T y Y yes YES true True TRUE on On ON 1'.split(' ')].map(
    (word) => [word, true] as const,
  ),
  ...[false, 0, ...'f F n N no NO false False FALSE off Off OFF 0'.split(' ')].map(
    (word) => [word, false] as const,
  ),
]);

/**
 * Returns the boolean for a word, number or boolean; undefined for any other value (docs/reference/requests.md#values).
 */
export function toBoolean(input: unknown): boolean | undefined {
  return booleanWords.get(input);
}

/** Formats a value for a message: text unchanged, lists and objects by the name of their type. */
export function quoteValue(input: unknown): string {
  switch (typeof input) {
    case 'string':
      return input;
    case 'number':
      return String(input);
    case 'boolean':
      return input ? 'True' : 'False';
    default:
      return input instanceof ExactNumber ? input.text : jsonTypeName(input);
  }
}

const datetimeText = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?Z$/;

/**
 * Reads a point in time: `YYYY-MM-DDThh:mm:ss[.f]Z` with up to 6 digits of fraction, years 1 to 9999, a day that exists
 * in the calendar. The value is the same text with exactly 6 digits (docs/reference/objects.md#values).
 */
export function readDatetime(input: unknown): ValueResult<string> {
  const parts = typeof input === 'string' ? datetimeText.exec(input) : null;
  if (parts === null) return reject(messages.notDatetime);
  const [text, year, month, day, hour, minute, second, fraction = ''] = parts;
  const timeExists = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!timeExists || !dayExists(Number(year), Number(month), Number(day))) {
    return reject(messages.notDatetime);
  }
  return read(`${text.slice(0, 19)}.${fraction.padEnd(6, '0')}Z`);
}

function dayExists(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return day <= (isLeapYear ? 29 : 28);
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
}
