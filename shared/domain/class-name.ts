import { dataMessages } from './data-messages.ts';
import { messages } from './messages.ts';
import { characterCount, type Reading, read, refuse, textReader } from './scalars.ts';
import { schemaOf, type ValueSchema } from './values.ts';

const maxLength = 50; // as the interface document says; old clients believe 64, which does no harm
const reserved: ReadonlySet<string> = new Set(['self', 'user', 'users', 'acl']);
const readText = textReader();

/**
 * The name of a class, trimmed and in lower case; every message that applies, in the order of the reference
 * (reference: class name). That it is not taken is the caller's to check, when all else is in order.
 */
export function className(): ValueSchema<string> {
  return schemaOf(readClassName);
}

function readClassName(input: unknown): Reading<string> {
  const reading = readText(input);
  if (!reading.ok) return reading;
  const name = reading.value.toLowerCase();
  const failures: string[] = [];
  if (!/^[a-z]/.test(name)) failures.push(dataMessages.nameStart);
  if (!/[a-z0-9]$/.test(name)) failures.push(dataMessages.nameEnd);
  if (reserved.has(name)) failures.push(dataMessages.nameReserved);
  const length = characterCount(name);
  if (length > maxLength) failures.push(messages.nameTooLong(maxLength, length));
  if (!/^[a-z0-9_]+$/.test(name)) failures.push(dataMessages.classNameCharacters);
  return failures.length === 0 ? read(name) : refuse(...failures);
}
