import { bodyObject, type Input, type InputMode } from '../core/resource/input.ts';
import type { ParsedSystemFields } from './object-checks.ts';
import type { objectFields } from './object-fields.ts';

/**
 * Parses the system fields of an object's body; the fields of its class are parsed when it is saved.
 *
 * @throws ApiError 400 when the body is not an object
 */
export function objectInput({
  body,
  read,
}: Input<typeof objectFields, InputMode>): ParsedSystemFields {
  const { form, files } = body;
  const { values, errors } = read();
  return { values, errors, body: bodyObject(body), isForm: form, uploads: files };
}
