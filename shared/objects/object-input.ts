import { type Body, bodyObject, type InputMode, readInput } from '../core/resource/input.ts';
import { classOf, instanceOf } from '../core/resource/place.ts';
import type { Context } from '../core/resource/route.ts';
import type { ObjectInput, SaveCall } from './object-checks.ts';
import { objectFields } from './object-fields.ts';

/** What a save in the class of a call needs of it. */
export function saveCall(context: Context): SaveCall {
  const { platform, caches, actor } = context;
  return { platform, caches, actor, instance: instanceOf(context), class: classOf(context) };
}

/**
 * Reads the system fields of an object's body; those of its class are read when it is saved.
 *
 * @throws ApiError 400 when it is no object
 */
export function objectInput(body: Body, mode: InputMode): ObjectInput {
  const { form, files } = body;
  const { values, errors } = readInput(objectFields, body, mode);
  return { values, errors, body: bodyObject(body), isForm: form, uploads: files };
}
