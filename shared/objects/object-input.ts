import { type Body, bodyObject, type InputMode, readInput } from '../core/resource/input.ts';
import { classOf, instanceOf } from '../core/resource/place.ts';
import type { Context } from '../core/resource/route.ts';
import type { ObjectInput, SaveCall } from './object-checks.ts';
import { objectFields } from './object-fields.ts';

/** Returns the properties of a request that a save in its class uses. */
export function saveCall(context: Context): SaveCall {
  const { platform, caches, actor } = context;
  return { platform, caches, actor, instance: instanceOf(context), class: classOf(context) };
}

/**
 * Parses the system fields of an object's body; the fields of its class are parsed when it is saved.
 *
 * @throws ApiError 400 when the body is not an object
 */
export function objectInput(body: Body, mode: InputMode): ObjectInput {
  const { form, files } = body;
  const { values, errors } = readInput(objectFields, body, mode);
  return { values, errors, body: bodyObject(body), isForm: form, uploads: files };
}
