import type { ClassContext } from '../classes/class-record.ts';
import { bodyObject, type Input, type InputMode } from '../core/resource/input.ts';
import { instanceOf } from '../core/resource/place.ts';
import type { ObjectInput, SaveCall } from './object-checks.ts';
import type { objectFields } from './object-fields.ts';

/** Returns the properties of a request that a save in its class uses. */
export function saveCall(context: ClassContext): SaveCall {
  const { platform, caches, actor } = context;
  return { platform, caches, actor, instance: instanceOf(context), class: context.loaded.class };
}

/**
 * Parses the system fields of an object's body; the fields of its class are parsed when it is saved.
 *
 * @throws ApiError 400 when the body is not an object
 */
export function objectInput({ body, read }: Input<typeof objectFields, InputMode>): ObjectInput {
  const { form, files } = body;
  const { values, errors } = read();
  return { values, errors, body: bodyObject(body), isForm: form, uploads: files };
}
