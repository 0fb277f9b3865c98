import {
  type CompiledClass,
  isTooLarge,
  type StoredValues,
} from '../classes/rules/compiled-class.ts';
import type { Context } from '../core/resource/route.ts';
import type { ClassData, ObjectData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { dataMessages } from '../values/errors/data-messages.ts';
import { type FieldErrors, invalid } from '../values/errors/errors.ts';
import type { JsonObject } from '../values/json/json.ts';
import type { Upload } from '../values/uploads.ts';
import { missingRecords } from './missing-records.ts';
import { type AddedFile, lookAtSources, placeFiles, type Sources } from './object-files.ts';
import type { Messages, SystemValues } from './object-rules.ts';
import { findTargets } from './object-targets.ts';
import { type ParsedValues, parseValues, settleTargets } from './rules/object-values.ts';

/** Properties of the request that a save uses. */
export type SaveCall = Pick<Context, 'platform' | 'caches' | 'actor'> & {
  readonly instance: number;
  readonly class: Stored<ClassData>;
};

/** Body with its system fields parsed. */
export interface ObjectInput {
  readonly values: SystemValues;
  readonly errors: FieldErrors | undefined;
  readonly body: JsonObject;
  readonly isForm: boolean;
  /** Files sent with the body; none when absent. */
  readonly uploads?: readonly Upload[] | undefined;
}

/** Body before its references are checked. */
interface Unchecked {
  readonly input: ObjectInput;
  /** The object before the update; undefined on a create. */
  readonly current: ObjectData | undefined;
  /** Messages of the rules of owner, group and channel. */
  readonly rules: readonly Messages[];
}

/** Values that may be written. */
interface CheckedValues {
  readonly values: StoredValues;
  /** Files to store first; `values` contains their keys. */
  readonly added: readonly AddedFile[];
}

/**
 * Parses the class's fields and checks, in one step, that everything the body refers to exists.
 *
 * @throws ApiError 400 with the messages of every field that failed
 */
export async function checkedValues(
  call: SaveCall,
  compiled: CompiledClass,
  unchecked: Unchecked,
): Promise<CheckedValues> {
  const { input, current, rules } = unchecked;
  const { body, isForm, uploads } = input;
  const parsed = parseValues(compiled, body, { current: current?.values, isForm, uploads });
  const target = { ...call, classNumber: call.class.data.number };
  const { found, missing, sources } = needsLook(parsed, input.values)
    ? await look(target, parsed, unchecked)
    : nothingSeen;
  const settled = settleTargets(parsed, found);
  const errors = [input.errors ?? {}, missing, ...rules, settled.errors, sources.errors];
  if (errors.some((each) => Object.keys(each).length > 0)) {
    throw invalid(Object.assign({}, ...errors));
  }
  const added = parsed.files.length === 0 ? [] : placeFiles(target, parsed.files, sources.sizes);
  const keys = Object.fromEntries(added.map(({ field, key }) => [field.storage, key]));
  const values = added.length === 0 ? settled.values : { ...settled.values, ...keys };
  if (isTooLarge(compiled, values)) {
    throw invalid({ non_field_errors: [dataMessages.objectTooLarge] });
  }
  return { values, added };
}

/** Result of the checks of everything that a body refers to. */
interface Seen {
  /** Existing ids, for each check of targets. */
  readonly found: readonly (ReadonlySet<number> | undefined)[];
  readonly missing: Messages;
  readonly sources: Sources;
}

const nothingSeen: Seen = {
  found: [],
  missing: {},
  sources: { errors: {}, sizes: new Map() },
};

function needsLook({ targets, files }: ParsedValues, { owner, group }: SystemValues): boolean {
  const isNaming = typeof owner === 'number' || typeof group === 'number';
  return isNaming || targets.length > 0 || files.length > 0;
}

async function look(
  call: SaveCall & { readonly classNumber: number },
  { targets, files }: ParsedValues,
  { input, current }: Unchecked,
): Promise<Seen> {
  const [found, missing, sources] = await Promise.all([
    findTargets(call, targets),
    missingRecords(call, input.values, current),
    lookAtSources(call, files),
  ]);
  return { found, missing, sources };
}
