import { messages } from '../errors/messages.ts';
import { characterCount, read, reject, textReader } from '../scalars.ts';
import { schemaOf, type ValueSchema } from '../values.ts';

const name = /^[A-Za-z][A-Za-z0-9_]*$/;
const readText = textReader({ blank: true });

/**
 * Accepts names of fields separated by commas only, at most `max` characters in total; empty text has no names
 * (docs/reference/data-endpoints.md#record).
 */
export function nameList(max: number): ValueSchema<string> {
  return schemaOf((input) => {
    const reading = readText(input);
    if (!reading.ok || reading.value === '') return reading;
    const failures: string[] = [];
    // one by one: millions of names exhaust a regular expression for the whole
    if (!reading.value.split(',').every((each) => name.test(each)))
      failures.push(messages.commaList);
    if (characterCount(reading.value) > max) failures.push(messages.maxLength(max));
    return failures.length === 0 ? read(reading.value) : reject(...failures);
  });
}
