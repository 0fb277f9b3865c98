import * as v from 'valibot';
import { type FieldErrors, invalid } from '../../values/errors/errors.ts';
import { messages } from '../../values/errors/messages.ts';
import { isJsonObject, type Json, type JsonObject, jsonTypeName } from '../../values/json/json.ts';
import { reject } from '../../values/scalars.ts';
import type { ValueSchema } from '../../values/values.ts';
import type { Body } from '../http/body/body.ts';
import type { Field, Fields } from '../routing/forms.ts';

/** The use of a body: a create, a full update (PUT) or a partial one (PATCH). */
export type InputMode = 'create' | 'replace' | 'patch';

/** Values of a valid body of this mode by field; a field that stays unchanged is absent. */
export type Values<F extends Fields, Mode extends InputMode> = {
  readonly [Name in keyof F as Presence<F[Name], Mode> extends 'given' ? Name : never]: Value<
    F[Name]
  >;
} & {
  readonly [Name in keyof F as Presence<F[Name], Mode> extends 'optional' ? Name : never]?: Value<
    F[Name]
  >;
};

/** Treatment of an omitted field by `readInput`: `given` fields are required or have a default. */
type Presence<F extends Field, Mode extends InputMode> = F['writable'] extends WritableIn[Mode]
  ? 'patch' extends Mode
    ? 'optional'
    : F extends { readonly required: true } | DefaultIn[Mode]
      ? 'given'
      : 'optional'
  : 'ignored';

interface WritableIn {
  readonly create: 'always' | 'create';
  readonly replace: 'always' | 'update';
  readonly patch: 'always' | 'update';
}

interface DefaultIn {
  readonly create: { readonly initial: Json };
  readonly replace: { readonly putDefault: Json };
  readonly patch: never;
}

type Value<F extends Field> =
  | (F extends { readonly input: ValueSchema<unknown> } ? v.InferOutput<F['input']> : unknown)
  | (F extends NeverNull ? never : null);

interface NeverNull {
  readonly writable: string; // every field has it: without a member in common no field would extend this type
  readonly nullable?: false;
  readonly initial?: Exclude<Json, null>;
  readonly putDefault?: Exclude<Json, null>;
}

/** A body by field: its values, or the messages of the rejected ones and the values of the others. */
export type ReadInput<F extends Fields, Mode extends InputMode> =
  | { readonly values: Values<F, Mode>; readonly errors: undefined }
  | { readonly values: Partial<Values<F, Mode>>; readonly errors: FieldErrors };

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
export function readInput<F extends Fields, Mode extends InputMode>(
  fields: F,
  body: Body,
  mode: Mode,
): ReadInput<F, Mode> {
  const object = bodyObject(body);
  const values: Record<string, unknown> = {};
  let errors: Record<string, readonly string[]> | undefined;
  for (const [name, field] of writableFields(fields, mode)) {
    const raw = Object.hasOwn(object, name) ? object[name] : undefined;
    const reading = isFile(body, name)
      ? reject(messages.notString)
      : readField(field, raw, mode, body.form);
    if (reading === undefined) continue;
    if (reading.ok) values[name] = reading.value;
    else errors = { ...errors, [name]: reading.messages };
  }
  return { values, errors } as ReadInput<F, Mode>; // each value comes from its field
}

/** Checks whether a member was sent as a file: no field here takes one, and it must not be lost. */
function isFile({ files }: Body, name: string): boolean {
  return files?.some((each) => each.field === name) ?? false;
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
export function validInput<F extends Fields, Mode extends InputMode>(
  fields: F,
  body: Body,
  mode: Mode,
): Values<F, Mode> {
  return validValues(readInput(fields, body, mode));
}

/**
 * Returns the values of a body without errors.
 *
 * @param more messages of further checks of these values, by field
 * @throws ApiError 400 with the messages of the fields and of these checks
 */
export function validValues<F extends Fields, Mode extends InputMode>(
  { values, errors }: ReadInput<F, Mode>,
  more: FieldErrors = {},
): Values<F, Mode> {
  if (errors === undefined && Object.keys(more).length === 0) return values;
  throw invalid({ ...errors, ...more });
}

/** A body, to be read by the fields of a resource. */
export interface Input<F extends Fields, Mode extends InputMode> {
  readonly body: Body;
  readonly mode: Mode;
  /** Reads all fields. Throws ApiError 400 when the body is no object. */
  readonly read: () => ReadInput<F, Mode>;
  /** Reads all fields. Throws ApiError 400 with the messages of all that failed. */
  readonly valid: () => Values<F, Mode>;
}

/** Returns a body with the fields by which it is read. */
export function inputOf<F extends Fields, Mode extends InputMode>(
  fields: F,
  body: Body,
  mode: Mode,
): Input<F, Mode> {
  return {
    body,
    mode,
    read: () => readInput(fields, body, mode),
    valid: () => validInput(fields, body, mode),
  };
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
