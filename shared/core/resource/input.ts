import * as v from 'valibot';
import { type FieldErrors, invalid } from '../../values/errors/errors.ts';
import { messages } from '../../values/errors/messages.ts';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../values/json/json.ts';
import type { Upload } from '../../values/uploads.ts';
import type { Field, Fields } from './field.ts';

/** A parsed body: its value, and whether its members are text, as in a form. */
export interface Body {
  readonly value: unknown;
  readonly form: boolean;
  /** Parts of a multipart body that are files, by the name of their field. */
  readonly files?: readonly Upload[];
}

/** The use of a body: a create, a full update (PUT) or a partial one (PATCH). */
export type InputMode = 'create' | 'replace' | 'patch';

/** A body by field: accepted values, and the messages of the rejected ones. */
export interface Input {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: FieldErrors | undefined;
}

const noBody: Body = { value: {}, form: false };

/** Reads the body of a request that takes `fields`; without fields the body is ignored. */
export function bodyFor(
  call: { readonly body: () => Promise<Body> },
  fields: Fields,
): Promise<Body> {
  return Object.keys(fields).length === 0 ? Promise.resolve(noBody) : call.body();
}

/**
 * Returns the body as an object.
 *
 * @throws ApiError 400 when it is no object (docs/reference/requests.md#bodies)
 */
export function bodyObject(body: Body): JsonObject {
  const { value } = body;
  if (value === null) throw invalid({ non_field_errors: [messages.noData] });
  if (!isJsonObject(value)) {
    throw invalid({ non_field_errors: [messages.notDictionary(jsonTypeName(value))] });
  }
  return value;
}

/** Reads all fields of a body; unknown and read-only members are ignored. */
export function readInput(fields: Fields, body: Body, mode: InputMode): Input {
  const object = bodyObject(body);
  const values: Record<string, unknown> = {};
  let errors: Record<string, readonly string[]> | undefined;
  for (const [name, field] of writableFields(fields, mode)) {
    const raw = Object.hasOwn(object, name) ? object[name] : undefined;
    const reading = readField(field, raw, mode, body.form);
    if (reading === undefined) continue;
    if (reading.ok) values[name] = reading.value;
    else errors = { ...errors, [name]: reading.messages };
  }
  return { values, errors };
}

type NamedFields = readonly (readonly [name: string, field: Field])[];

/** Fields that bodies of a mode may contain, computed once. */
const writable = new WeakMap<Fields, Map<InputMode, NamedFields>>();

function writableFields(fields: Fields, mode: InputMode): NamedFields {
  const known = writable.get(fields) ?? new Map<InputMode, NamedFields>();
  writable.set(fields, known);
  const found =
    known.get(mode) ?? Object.entries(fields).filter(([, field]) => isWritable(field, mode));
  known.set(mode, found);
  return found;
}

/**
 * Reads all fields of a body, or throws the messages of all that failed.
 *
 * @throws ApiError 400
 */
export function validInput(
  fields: Fields,
  body: Body,
  mode: InputMode,
): Readonly<Record<string, unknown>> {
  const { values, errors } = readInput(fields, body, mode);
  if (errors !== undefined) throw invalid(errors);
  return values;
}

/** Checks whether a body of this mode may contain the field. */
export function isWritable({ writable }: Field, mode: InputMode): boolean {
  return writable === 'always' || writable === (mode === 'create' ? 'create' : 'update');
}

type FieldReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly messages: readonly string[] };

/** Reads one field of a body; undefined: the field stays unchanged. */
function readField(
  field: Field,
  raw: unknown,
  mode: InputMode,
  form: boolean,
): FieldReading | undefined {
  const isTextual = field.type === 'string' || field.type === 'email';
  const isEmptied = form && raw === '' && !isTextual;
  if (raw === undefined || (isEmptied && field.nullable !== true)) return absent(field, mode, form);
  if (raw === null || isEmptied) {
    return field.nullable === true
      ? { ok: true, value: null }
      : { ok: false, messages: [messages.null] };
  }
  if (field.input === undefined) throw new Error('a writable field has no input schema');
  const result = v.safeParse(field.input, raw);
  return result.success
    ? { ok: true, value: result.output }
    : { ok: false, messages: result.issues.map((issue) => issue.message) };
}

function absent(field: Field, mode: InputMode, form: boolean): FieldReading | undefined {
  if (mode === 'patch') return undefined;
  // a browser's form omits unticked boxes
  if (form && field.type === 'boolean') return { ok: true, value: false };
  if (field.required === true) return { ok: false, messages: [messages.required] };
  const value = mode === 'create' ? field.initial : field.putDefault;
  return value === undefined ? undefined : { ok: true, value };
}
