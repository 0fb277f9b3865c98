import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import { dataMessages } from './errors/data-messages.ts';
import { messages } from './errors/messages.ts';
import { isJsonObject, type JsonObject } from './json/json.ts';
import { readJson, readStorable } from './json/json-values.ts';
import {
  characterCount,
  integerReader,
  type NumberRange,
  quoteValue,
  read,
  readDatetime,
  readFloat,
  reject,
  type TextRules,
  textReader,
  toBoolean,
  type ValueReader,
  type ValueResult,
} from './scalars.ts';

/*
 * Builders of schemas, each for the input value of one field. The caller handles absent and null values first. The
 * issues' messages are sent to the client, in order.
 */

/** Accepts any input (`unknown`) and returns the value of a field. */
export type ValueSchema<T> = v.GenericSchema<unknown, T>;

/** Makes a schema of a reader; each message of a rejected value becomes an issue. */
export function schemaOf<T>(reader: ValueReader<T>): ValueSchema<T> {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, T>(({ dataset, addIssue, NEVER }) => {
      const reading = reader(dataset.value);
      if (reading.ok) return reading.value;
      for (const message of reading.messages) addIssue({ message });
      return NEVER;
    }),
  );
}

/**
 * Accepts text: trimmed unless `trim` is false; numbers become text; a lone surrogate is rejected
 * (docs/reference/requests.md#values). Empty text is rejected unless `blank` is true. Lengths count code points.
 */
export function text(rules: TextRules = {}): ValueSchema<string> {
  return schemaOf(textReader(rules));
}

/**
 * Accepts an e-mail address of at most `max` characters, trimmed and in lower case (docs/reference/requests.md#values).
 * Its domain may have letters beyond ASCII: {@link withAsciiDomain} is for mails.
 */
export function email({ max }: { readonly max: number }): ValueSchema<string> {
  const readText = textReader({});
  return schemaOf((input) => {
    const reading = readText(input);
    if (!reading.ok) return reading;
    const address = reading.value.normalize('NFC').toLowerCase();
    const failures: string[] = [];
    if (characterCount(address) > max) failures.push(messages.maxLength(max));
    if (!isEmail(withAsciiDomain(address))) failures.push(messages.notEmail);
    return failures.length === 0 ? read(address) : reject(...failures);
  });
}

/** One part before the `@`: parts are checked one by one, since millions exhaust a regular expression. */
const mailboxPart = /^[-!#$%&'*+/=?^_`{}|~0-9a-z\p{L}\p{M}\p{N}]+$/u;
const hostLabel = /^[0-9a-z]([0-9a-z-]{0,61}[0-9a-z])?$/;

/** Letters, digits, hyphens and dots: the conversion would read other characters as parts of a URL. */
const domainBeyondAscii = /^(?=.*[^\0-\x7f])[-.0-9a-z\p{L}\p{M}\p{N}]+$/u;

/** Returns an address with the domain as the DNS has it, and mails need it: `xn--mnchen-3ya.de` for `münchen.de`. */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const host = address.slice(at);
  return domainBeyondAscii.test(host) ? address.slice(0, at) + domainToASCII(host) : address;
}

/**
 * Checks whether an address that was read has the mailbox that was sent, but for capitals of ASCII. Others may become
 * letters of another mailbox: a Kelvin sign becomes a `k`.
 */
export function isSameMailbox(sent: string, address: string): boolean {
  const mailbox = mailboxOf(sent.trim()).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return mailbox === mailboxOf(address);
}

function mailboxOf(address: string): string {
  return address.slice(0, Math.max(0, address.lastIndexOf('@')));
}

function isEmail(address: string): boolean {
  const at = address.lastIndexOf('@');
  const host = address.slice(at + 1);
  const mailbox = address.slice(0, at).split('.');
  if (at < 1 || !mailbox.every((part) => mailboxPart.test(part))) return false;
  const labels = host.split('.');
  if (!labels.every((label) => hostLabel.test(label))) return false;
  return host === 'localhost' || (labels.length > 1 && (labels.at(-1)?.length ?? 0) > 1);
}

/**
 * Accepts a whole number within `min` and `max` (both inclusive; by default the exact integers of a double): a number
 * without fraction or its text, `5` or `5.0`; no booleans (docs/reference/requests.md#values).
 */
export function integer(range: NumberRange = {}): ValueSchema<number> {
  return schemaOf(integerReader(range));
}

/** Accepts a finite number, its text, or a boolean as 1 or 0; -0 becomes 0 (docs/reference/requests.md#values). */
export function float(): ValueSchema<number> {
  return schemaOf(readFloat);
}

/** Accepts a boolean: JSON's own, 1, 0 or one of the words that clients send (docs/reference/requests.md#values). */
export function flag(): ValueSchema<boolean> {
  return schemaOf((input) => {
    const value = toBoolean(input);
    return value === undefined ? reject(messages.badBoolean(quoteValue(input))) : read(value);
  });
}

/**
 * Accepts one of `words`: the word itself, its number, counted from `first`, or that number as text. The value is the
 * word (docs/reference/requests.md#values).
 */
export function choice<const Word extends string>(
  words: readonly Word[],
  first = 0,
): ValueSchema<Word> {
  const meanings = new Map<unknown, Word>();
  for (const [position, word] of words.entries()) {
    const number = first + position;
    meanings.set(number, word).set(String(number), word).set(word, word);
  }
  return schemaOf((input) => {
    const word = meanings.get(input);
    return word === undefined ? reject(messages.badChoice(quoteValue(input))) : read(word);
  });
}

/** Accepts one of `words`, which have no numbers. */
export function word<const Word extends string>(words: readonly Word[]): ValueSchema<Word> {
  return schemaOf((input) => {
    const found = words.find((each) => each === input);
    return found === undefined ? reject(messages.badChoice(quoteValue(input))) : read(found);
  });
}

/** Accepts a point in time as text with 6 digits of fraction, UTC; the fraction may be shorter or absent. */
export function datetime(): ValueSchema<string> {
  return schemaOf(readDatetime);
}

/** Limits of a field's JSON object, and its name in messages. */
export interface JsonObjectRules {
  /** As in `<name> passed in invalid format.` */
  readonly name: string;
  readonly maxKeys?: number;
  /** Maximum characters of a key of the object itself. */
  readonly maxKeyLength?: number;
  /** Maximum characters of the JSON text of one member. */
  readonly maxValueLength?: number;
  /** Maximum bytes of the JSON text of the whole. */
  readonly maxBytes?: number;
}

/**
 * Accepts a JSON object, or its text; the empty text is the empty object. Too deep nesting counts as an invalid format
 * (docs/reference/requests.md#metadata).
 */
export function jsonObject(rules: JsonObjectRules): ValueSchema<JsonObject> {
  return schemaOf((input) => {
    const parsed = input === '' ? read({}) : readJson(input);
    if (!parsed.ok) return parsed;
    const { value } = parsed;
    const { maxKeys = Number.POSITIVE_INFINITY } = rules;
    if (!isJsonObject(value)) return reject(dataMessages.invalidFormat(rules.name));
    // before its values are checked: a body of 6 MB may have some 500,000 keys
    if (Object.keys(value).length > maxKeys) return reject(dataMessages.tooManyKeys(maxKeys));
    const kept = readStorable(value, dataMessages.invalidFormat(rules.name));
    return kept.ok ? checkSizes(kept.value as JsonObject, rules) : kept; // an object stays one
  });
}

function checkSizes(value: JsonObject, rules: JsonObjectRules): ValueResult<JsonObject> {
  const unlimited = Number.POSITIVE_INFINITY;
  const { maxKeyLength = unlimited, maxValueLength = unlimited, maxBytes = unlimited } = rules;
  const keys = Object.keys(value);
  if (keys.some((key) => characterCount(key) > maxKeyLength)) {
    return reject(dataMessages.keyTooLong(maxKeyLength));
  }
  const long = keys.find((key) => JSON.stringify(value[key]).length > maxValueLength);
  if (long !== undefined) return reject(dataMessages.valueTooLong(long, maxValueLength));
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) {
    return reject(dataMessages.objectTooBig(maxBytes));
  }
  return read(value);
}

/** Accepts free data of an account, an instance or a class (docs/reference/requests.md#metadata). */
export function metadata(): ValueSchema<JsonObject> {
  return jsonObject({ name: 'Metadata', maxKeys: 8, maxKeyLength: 16, maxValueLength: 4096 });
}
