import { json } from '../core/resource/field.ts';
import { messages } from '../values/errors/messages.ts';
import { quoteValue, read, reject, textReader } from '../values/scalars.ts';
import { schemaOf } from '../values/values.ts';

const readText = textReader({ blank: true });

/** The name of a class; that it exists is checked when the record is stored. */
export const classField = json(
  schemaOf((input) => {
    const reading = readText(input);
    const className = reading.ok ? reading.value : quoteValue(input);
    return className === '' ? reject(messages.null) : read(className);
  }),
  { required: true, shows: 'string' },
);
