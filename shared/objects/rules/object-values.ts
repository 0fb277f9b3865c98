import type {
  CompiledClass,
  CompiledField,
  StoredValues,
} from '../../classes/rules/compiled-class.ts';
import { dataMessages } from '../../values/errors/data-messages.ts';
import { type FileKey, readFileKey } from '../../values/file-keys.ts';
import type { Json } from '../../values/json/json.ts';
import { type Upload, uploadErrors } from '../../values/uploads.ts';

/** Options for parsing a body. */
export interface ParseOptions {
  /** Values of the object before the update; undefined on a create. */
  readonly current: StoredValues | undefined;
  /** Whether the body is a form, where every value is text and empty text means null, except for text fields. */
  readonly isForm: boolean;
  /** Files sent with the body; the last one of a field counts. None when absent. */
  readonly uploads?: readonly Upload[] | undefined;
}

/** Result of parsing the class's fields in a body. */
export interface ParsedValues {
  /** All values of the object after the write, without invalid ones. */
  readonly values: StoredValues;
  /** Messages by field; empty without errors. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** Objects that must exist before `values` may be written: pass those found to settleTargets. */
  readonly targets: readonly TargetCheck[];
  /** Files to store for fields, which are not part of `values`. */
  readonly files: readonly NewFile[];
}

/** File of a field: an upload, or the key of another file to copy. */
export interface NewFile {
  readonly field: CompiledField;
  readonly source: Upload | FileKey;
}

/** Objects that a new value refers to. */
export interface TargetCheck {
  readonly field: CompiledField;
  /** As in the schema: `self`, `user` or the name of a class in any case. */
  readonly target: string;
  /** 1 to 2147483647; ascending, each once. */
  readonly ids: readonly number[];
}

/**
 * Parses the class's fields in a body: an absent value stays, null unsets. Ignores other keys. Never throws
 * (docs/reference/objects.md#values).
 *
 * @returns values to write; stored values of fields that the class no longer has are dropped from them
 */
export function parseValues(
  compiled: CompiledClass,
  body: Readonly<Record<string, unknown>>,
  { current, isForm, uploads = [] }: ParseOptions,
): ParsedValues {
  const draft: Draft = {
    values: current === undefined ? {} : newerValues(compiled, current),
    errors: {},
    targets: [],
    files: [],
  };
  for (const field of compiled.fields) {
    const upload = uploads.findLast((each) => each.field === field.name);
    if (upload === undefined) takeValue(draft, field, body, { current, isForm });
    else takeUpload(draft, field, upload);
  }
  return draft;
}

/** Result that parseValues fills. */
interface Draft {
  readonly values: Record<string, Json>;
  readonly errors: Record<string, readonly string[]>;
  readonly targets: TargetCheck[];
  readonly files: NewFile[];
}

function takeValue(
  draft: Draft,
  field: CompiledField,
  body: Readonly<Record<string, unknown>>,
  { current, isForm }: ParseOptions,
): void {
  const held = current?.[field.storage];
  if (!Object.hasOwn(body, field.name)) {
    if (held !== undefined) draft.values[field.storage] = held;
    return;
  }
  const input = body[field.name];
  if (isNull(field, input, isForm)) return;
  const reading = field.read(input, { isUpdate: current !== undefined, value: held });
  if (reading.ok) setValue(draft, field, { value: reading.value, held });
  else draft.errors[field.name] = reading.messages;
}

function takeUpload({ errors, files }: Draft, field: CompiledField, upload: Upload): void {
  const wrong = field.type === 'file' ? uploadErrors(upload) : wrongKind(field);
  if (wrong.length > 0) errors[field.name] = wrong;
  else files.push({ field, source: upload });
}

/** Returns the message of a field without files about an upload, which is an invalid value for it. */
function wrongKind({ name, read }: CompiledField): readonly string[] {
  const reading = read(undefined, { isUpdate: false, value: undefined });
  if (reading.ok) throw new Error(`the field ${name} takes what is no value`);
  return reading.messages;
}

/** Checks for null; in a form, empty text is null except for text fields (docs/reference/objects.md#values). */
function isNull({ type }: CompiledField, input: unknown, isForm: boolean): boolean {
  if (input === null) return true;
  return isForm && input === '' && type !== 'string' && type !== 'text';
}

function setValue(
  { values, targets, files }: Draft,
  field: CompiledField,
  { value, held }: { readonly value: Json; readonly held: Json | undefined },
): void {
  if (value === null) return;
  if (field.type === 'file' && value !== held) {
    const source = readFileKey(String(value));
    if (source === undefined) throw new Error('a file field was read as no key');
    files.push({ field, source });
    return;
  }
  values[field.storage] = value;
  const { target } = field.definition;
  if (target !== undefined) targets.push({ field, target, ids: idsOf(value) });
}

function idsOf(value: Json): readonly number[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((id) => typeof id === 'number');
}

/**
 * Returns values of hidden fields, and of fields with a later revision than ours, since the object may have been read
 * after the class. An older value without a field is unused: a field that is added again gets another storage name.
 */
function newerValues({ revision, storageNames, indexed }: CompiledClass, current: StoredValues) {
  const newer: Record<string, Json> = {};
  for (const [storage, value] of Object.entries(current)) {
    if (storageNames.has(storage)) continue;
    const isHidden = indexed.some((field) => field.storage === storage);
    if (isHidden || Number.parseInt(storage, 10) > revision) {
      newer[storage] = value;
    }
  }
  return newer;
}

/** Values after the check of their targets. */
export interface SettledValues {
  readonly values: StoredValues;
  /** Errors of parseValues, and of references without an object; empty without errors. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/**
 * Completes the result of parseValues: a reference to a missing object is an error, a relation silently loses such ids
 * (docs/reference/objects.md#references).
 *
 * @param found existing ids for each of `parsed.targets`, in their order; undefined when the class does not exist
 */
export function settleTargets(
  parsed: ParsedValues,
  found: readonly (ReadonlySet<number> | undefined)[],
): SettledValues {
  if (parsed.targets.length === 0) return parsed;
  const values: Record<string, Json> = { ...parsed.values };
  const errors: Record<string, readonly string[]> = { ...parsed.errors };
  for (const [i, { field, ids }] of parsed.targets.entries()) {
    const there = found[i];
    const left = ids.filter((id) => there?.has(id));
    if (there === undefined) errors[field.name] = [dataMessages.targetClassMissing];
    else if (field.type === 'relation' && left.length > 0) values[field.storage] = left;
    else if (field.type === 'relation') delete values[field.storage];
    else if (left.length === 0) errors[field.name] = [dataMessages.targetObjectMissing];
  }
  return { values, errors };
}
