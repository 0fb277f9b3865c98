import { dataMessages } from '../errors/data-messages.ts';
import { messages } from '../errors/messages.ts';
import { characterCount, read, reject, textReader } from '../scalars.ts';
import { schemaOf, type ValueSchema } from '../values.ts';

/** A rule for names: returns its message for a name, in lower case, that breaks it; else undefined. */
export type NameRule = (name: string) => string | undefined;

const readText = textReader();

/**
 * Accepts a name that is valid in a path, trimmed and in lower case; rejects it with the message of every rule that it
 * breaks, in the order of the rules. The caller checks that it is free, when everything else is valid.
 */
export function readName(...rules: readonly NameRule[]): ValueSchema<string> {
  return schemaOf((input) => {
    const reading = readText(input);
    if (!reading.ok) return reading;
    const name = reading.value.toLowerCase();
    const failures = rules.map((rule) => rule(name)).filter((failure) => failure !== undefined);
    return failures.length === 0 ? read(name) : reject(...failures);
  });
}

/** Requires that the name matches a pattern. */
export function matching(pattern: RegExp, message: string): NameRule {
  return (name) => (pattern.test(name) ? undefined : message);
}

/** Requires that the name is none of these. */
export function noneOf(reserved: readonly string[]): NameRule {
  return (name) => (reserved.includes(name) ? dataMessages.nameReserved : undefined);
}

/** Requires at most `maxLength` characters. */
export function atMost(maxLength: number): NameRule {
  return (name) => {
    const length = characterCount(name);
    return length > maxLength ? messages.nameTooLong(maxLength, length) : undefined;
  };
}

/** Requires that the name begins with a letter. */
export const letterFirst = matching(/^[a-z]/, dataMessages.nameStart);
/** Requires that the name ends with a letter or a digit. */
export const letterOrDigitLast = matching(/[a-z0-9]$/, dataMessages.nameEnd);
