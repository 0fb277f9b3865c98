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
import { messages } from '../values/errors/messages.ts';
import type { JsonObject } from '../values/json/json.ts';
import type { Upload } from '../values/uploads.ts';
import { missingRecords } from './missing-records.ts';
import { type AddedFile, lookAtSources, placeFiles, type Sources } from './object-files.ts';
import type { Messages, SystemValues } from './object-rules.ts';
import { findTargets } from './object-targets.ts';
import { type ParsedValues, parseValues, settleTargets } from './rules/object-values.ts';

/** What a save needs of the call. */
export type SaveCall = Pick<Context, 'platform' | 'caches' | 'actor'> & {
  readonly instance: number;
  readonly class: Stored<ClassData>;
};

/** A body, its system fields read already. */
export interface ObjectInput {
  readonly values: SystemValues;
  readonly errors: FieldErrors | undefined;
  readonly body: JsonObject;
  readonly isForm: boolean;
  /** Files that came with the body; none when absent. */
  readonly uploads?: readonly Upload[] | undefined;
}

/** A body, and what is known of it before anything is looked up. */
interface Unchecked {
  readonly input: ObjectInput;
  /** The object as it is; undefined on a create. */
  readonly current: ObjectData | undefined;
  /** What the rules of owner, group and channel say of it. */
  readonly rules: readonly Messages[];
}

/** Values that may be written. */
interface CheckedValues {
  readonly values: StoredValues;
  /** Files to be stored before, whose keys `values` has. */
  readonly added: readonly AddedFile[];
}

/**
 * Reads the class's fields and looks, in one step, whether everything that the body refers to is there.
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

/** What was found out about that which a body refers to. */
interface Seen {
  /** The ids that exist, for each check of targets. */
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

/** Channels come with their own resource; until then none is there to be named. */
export function channelErrors({ channel }: SystemValues): Messages {
  return typeof channel === 'string' ? { channel: [messages.noSuchName(channel)] } : {};
}
