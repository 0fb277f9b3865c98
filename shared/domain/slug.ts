import { dataMessages } from './data-messages.ts';
import { messages } from './messages.ts';
import { characterCount, type Reading, read, refuse, textReader } from './scalars.ts';
import { schemaOf, type ValueSchema } from './values.ts';

const maxLength = 64;
const readText = textReader();

/**
 * A name that can stand in a path, trimmed and in lower case; every message that applies (reference: data endpoints,
 * record). That it is not taken is the caller's to check.
 */
export function slug(): ValueSchema<string> {
  return schemaOf(readSlug);
}

function readSlug(input: unknown): Reading<string> {
  const reading = readText(input);
  if (!reading.ok) return reading;
  const name = reading.value.toLowerCase();
  const failures: string[] = [];
  if (!/^[a-z]/.test(name)) failures.push(dataMessages.nameStart);
  if (!/[a-z0-9]$/.test(name)) failures.push(dataMessages.nameEnd);
  const length = characterCount(name);
  if (length > maxLength) failures.push(messages.nameTooLong(maxLength, length));
  if (!/^[a-z0-9_-]+$/.test(name)) failures.push(dataMessages.slugCharacters);
  return failures.length === 0 ? read(name) : refuse(...failures);
}
