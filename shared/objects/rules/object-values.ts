import type {
  CompiledClass,
  CompiledField,
  StoredValues,
} from '../../classes/rules/compiled-class.ts';
import { dataMessages } from '../../values/errors/data-messages.ts';
import type { Json } from '../../values/json/json.ts';
import { type Upload, uploadErrors } from '../../values/uploads.ts';

/** What a body is read for. */
export interface ParseOptions {
  /** The values that the object has; undefined on a create. */
  readonly current: StoredValues | undefined;
  /** Whether the body is a form, where everything is text and empty text means null, but for text itself. */
  readonly isForm: boolean;
  /** Files that came with the body; of several for a field the last counts. None when absent. */
  readonly uploads?: readonly Upload[] | undefined;
}

/** What came of the class's fields in a body. */
export interface ParsedValues {
  /** Every value of the object after the write, where nothing was refused. */
  readonly values: StoredValues;
  /** Messages by field; empty when all is well. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** The objects that must be there before `values` may be written: settleTargets takes the answer. */
  readonly targets: readonly TargetCheck[];
  /** The files that have to be stored for fields, which `values` lacks. */
  readonly files: readonly NewFile[];
}

/** A file that a field gets: what was uploaded, or the key of another file, of which it gets a copy. */
export interface NewFile {
  readonly field: CompiledField;
  readonly source: Upload | string;
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
 * Reads the class's fields of a body: what is not there stays, null unsets. Other keys are not looked at. Never
 * throws (docs/reference/objects.md#values).
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

/** What parseValues fills. */
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

/** What a field that takes no files says of one, which is no value at all to it. */
function wrongKind({ name, read }: CompiledField): readonly string[] {
  const reading = read(undefined, { isUpdate: false, value: undefined });
  if (reading.ok) throw new Error(`the field ${name} takes what is no value`);
  return reading.messages;
}

/** In a form, empty text is null for all but text (docs/reference/objects.md#values). */
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
    files.push({ field, source: String(value) });
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
 * Values of fields that came with a later revision than ours, as the object may have been read after the class, or of those
 * that do not show yet.
 * What is older and has no field is dead: a field that comes back has another storage name.
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

/** Values after it is known what they refer to. */
export interface SettledValues {
  readonly values: StoredValues;
  /** Those of parseValues and of references without an object; empty when all is well. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/**
 * Ends what parseValues began: a reference to an object that is not there is refused, a relation silently loses
 * such ids (docs/reference/objects.md#references).
 *
 * @param found for each of `parsed.targets`, in their order, the ids that are there; undefined when the class is not
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
