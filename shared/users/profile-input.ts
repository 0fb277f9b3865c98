import type { Body } from '../core/http/body/body.ts';
import { bodyObject, type InputMode, readInput } from '../core/resource/input.ts';
import type { ParsedSystemFields } from '../objects/object-checks.ts';
import { isJsonObject } from '../values/json/json.ts';
import { profileFields } from './fields.ts';

const prefix = 'profile.';

/** Reads a profile that is sent as a whole. */
export function wholeProfile(profile: unknown, mode: InputMode): ParsedSystemFields {
  return toInput({ value: profile, form: false }, mode);
}

/**
 * Reads the profile in the body of a user: as a whole, or in a form by a part for each field, such as `profile.avatar`;
 * these win.
 *
 * @param profile the whole, if the body has one
 * @returns undefined when the body has no profile
 * @throws ApiError 400 when the whole is no object
 */
export function profileInput(
  profile: unknown,
  body: Body,
  mode: InputMode,
): ParsedSystemFields | undefined {
  const parts = partsOf(body);
  const hasParts = parts.fields.length > 0 || parts.files.length > 0;
  if (!hasParts) return profile === undefined ? undefined : wholeProfile(profile, mode);
  const whole = profile === undefined ? {} : bodyObject({ value: profile, form: false });
  const value = { ...whole, ...Object.fromEntries(parts.fields) };
  return toInput({ value, form: true, files: parts.files }, mode);
}

/** Returns the parts of a form for the profile, by the names of its fields. */
function partsOf({ value, form, files = [] }: Body) {
  const texts = form && isJsonObject(value) ? Object.entries(value) : [];
  const inside = (name: string) => name.startsWith(prefix);
  return {
    fields: texts
      .filter(([name]) => inside(name))
      .map(([name, text]) => [name.slice(prefix.length), text] as const),
    files: files
      .filter(({ field }) => inside(field))
      .map((file) => ({ ...file, field: file.field.slice(prefix.length) })),
  };
}

function toInput(body: Body, mode: InputMode): ParsedSystemFields {
  const { form, files } = body;
  const input = readInput(profileFields, body, mode);
  return { ...input, body: bodyObject(body), isForm: form, uploads: files };
}
