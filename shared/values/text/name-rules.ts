import { dataMessages } from '../errors/data-messages.ts';
import { messages } from '../errors/messages.ts';
import { characterCount, read, refuse, textReader } from '../scalars.ts';
import { schemaOf, type ValueSchema } from '../values.ts';

/** What a name must be like: its message for a name, given in lower case, that is not; else undefined. */
export type NameRule = (name: string) => string | undefined;

const readText = textReader();

/**
 * A name that can stand in a path, trimmed and in lower case; refused with the message of every rule that it breaks,
 * in the order of the rules. That it is not taken is the caller's to check, when all else is in order.
 */
export function nameOf(...rules: readonly NameRule[]): ValueSchema<string> {
  return schemaOf((input) => {
    const reading = readText(input);
    if (!reading.ok) return reading;
    const name = reading.value.toLowerCase();
    const failures = rules.map((rule) => rule(name)).filter((failure) => failure !== undefined);
    return failures.length === 0 ? read(name) : refuse(...failures);
  });
}

/** A rule: the name fits a pattern. */
export function matching(pattern: RegExp, message: string): NameRule {
  return (name) => (pattern.test(name) ? undefined : message);
}

/** A rule: the name is none of these. */
export function noneOf(reserved: readonly string[]): NameRule {
  return (name) => (reserved.includes(name) ? dataMessages.nameReserved : undefined);
}

/** A rule: the name has at most so many characters. */
export function atMost(maxLength: number): NameRule {
  return (name) => {
    const length = characterCount(name);
    return length > maxLength ? messages.nameTooLong(maxLength, length) : undefined;
  };
}

/** A rule: the name begins with a letter. */
export const letterFirst = matching(/^[a-z]/, dataMessages.nameStart);
/** A rule: the name ends with a letter or a digit. */
export const letterOrDigitLast = matching(/[a-z0-9]$/, dataMessages.nameEnd);
