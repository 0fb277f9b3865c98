import { dataMessages } from './data-messages.ts';
import { messages } from './messages.ts';
import { characterCount, type Reading, read, refuse, textReader } from './scalars.ts';
import { schemaOf, type ValueSchema } from './values.ts';

const minLength = 5;
const maxLength = 64;
const reserved: ReadonlySet<string> = new Set(
  `devcenter support sentry admin platform redirect media signup login instance_subdomain my_instance myinstance
   panel account noinstance public template1 status`.split(/\s+/),
);
const readText = textReader();

/**
 * The name of an instance, trimmed and in lower case; every message that applies (reference: instances). That it
 * is not taken is the caller's to check, when all else is in order.
 */
export function instanceName(): ValueSchema<string> {
  return schemaOf(readInstanceName);
}

function readInstanceName(input: unknown): Reading<string> {
  const reading = readText(input);
  if (!reading.ok) return reading;
  const name = reading.value.toLowerCase();
  const length = characterCount(name);
  const failures: string[] = [];
  if (length < minLength) failures.push(messages.minLength(minLength));
  if (!/^[a-z]/.test(name)) failures.push(dataMessages.nameStart);
  if (!/[a-z0-9]$/.test(name)) failures.push(dataMessages.nameEnd);
  if (!/^[a-z0-9-]*$/.test(name)) failures.push(messages.instanceNameCharacters);
  if (name.includes('--')) failures.push(messages.doubleHyphen);
  if (reserved.has(name)) failures.push(dataMessages.nameReserved);
  if (length > maxLength) failures.push(messages.nameTooLong(maxLength, length));
  return failures.length === 0 ? read(name) : refuse(...failures);
}
