import { maxId } from './bounds.ts';
import { messages } from './errors/messages.ts';
import { ExactNumber } from './json/exact-number.ts';
import { jsonTypeName } from './json/json.ts';
import { quoteValue, read, reject } from './scalars.ts';
import { schemaOf, type ValueSchema } from './values.ts';

/**
 * Accepts the id of another record, as a number or its text. The caller checks whether the record exists
 * (docs/reference/requests.md#values).
 */
export function recordId(): ValueSchema<number> {
  return schemaOf((input) => {
    if (input instanceof ExactNumber && input.isInteger)
      return reject(messages.noSuchPk(quoteValue(input)));
    const id = toId(input);
    if (id === undefined) return reject(messages.badPkType(jsonTypeName(input)));
    // no record can have such an id
    return id > maxId || id < 1 ? reject(messages.noSuchPk(id)) : read(id);
  });
}

function toId(input: unknown): number | undefined {
  if (typeof input === 'number' && Number.isInteger(input)) return input;
  return typeof input === 'string' && /^\s*[+-]?\d{1,18}\s*$/.test(input)
    ? Number(input)
    : undefined;
}
