import {
  type CompiledClass,
  isTooLarge,
  type StoredValues,
} from '../classes/rules/compiled-class.ts';
import type { Context } from '../core/routing/route.ts';
import type { Stored } from '../store/store.ts';
import type { ClassData, ObjectData } from '../table/records/records.ts';
import { dataMessages } from '../values/errors/data-messages.ts';
import { type FieldErrors, invalid } from '../values/errors/errors.ts';
import type { JsonObject } from '../values/json/json.ts';
import type { Upload } from '../values/uploads.ts';
import { missingRecords } from './files/missing-records.ts';
import { type AddedFile, lookAtSources, placeFiles, type Sources } from './files/object-files.ts';
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

/** Body before its checks. */
interface Unchecked {
  readonly input: ObjectInput;
  /** The object before the update; undefined on a create. */
  readonly current: ObjectData | undefined;
  /** Messages of the rules of owner, group and channel. */
  readonly rules: readonly Messages[];
}

/** Body whose fields are parsed; what it refers to is not checked yet. */
export interface ParsedBody extends Unchecked {
  readonly parsed: ParsedValues;
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
  const body = parsedBody(compiled, unchecked);
  const seen = await lookAll(call, [body]);
  return settledValues(call, compiled, { body, seen: seen.get(body) });
}

/** Parses the class's fields in a body. */
export function parsedBody(compiled: CompiledClass, unchecked: Unchecked): ParsedBody {
  const { body, isForm, uploads } = unchecked.input;
  const current = unchecked.current?.values;
  const parsed = parseValues(compiled, body, { current, isForm, uploads });
  return { input: unchecked.input, current: unchecked.current, rules: unchecked.rules, parsed };
}

/** What exists of everything that a body refers to. */
export interface Seen {
  /** Existing ids, for each check of targets. */
  readonly found: readonly (ReadonlySet<number> | undefined)[];
  readonly missing: Messages;
  readonly sources: Sources;
}

const nothing: Seen = {
  found: [],
  missing: {},
  sources: { errors: {}, sizes: new Map() },
};

/**
 * Looks, in one step, at everything that bodies in one class refer to.
 *
 * @returns what exists, for each body that refers to something
 */
export async function lookAll(
  call: SaveCall,
  bodies: readonly ParsedBody[],
): Promise<ReadonlyMap<ParsedBody, Seen>> {
  const looking = bodies.filter((body) => body.parsed.targets.length > 0 || namesOthers(body));
  if (looking.length === 0) return new Map();
  const place = { classNumber: call.class.data.number, ...call };
  const [found, others] = await Promise.all([
    findTargets(
      place,
      looking.flatMap(({ parsed }) => parsed.targets),
    ),
    Promise.all(looking.map((body) => (namesOthers(body) ? lookAtOthers(place, body) : nothing))),
  ]);
  let at = 0;
  const seen = looking.map((body, position): [ParsedBody, Seen] => {
    const first = at;
    at += body.parsed.targets.length;
    return [body, { ...nothing, ...others[position], found: found.slice(first, at) }];
  });
  return new Map(seen);
}

/** Checks whether a body names an owner, a group, or files. */
function namesOthers({ parsed: { files }, input: { values } }: ParsedBody): boolean {
  return typeof values.owner === 'number' || typeof values.group === 'number' || files.length > 0;
}

async function lookAtOthers(
  call: SaveCall & { readonly classNumber: number },
  { parsed: { files }, input, current }: ParsedBody,
): Promise<Omit<Seen, 'found'>> {
  const [missing, sources] = await Promise.all([
    missingRecords(call, input.values, current),
    lookAtSources(call, files),
  ]);
  return { missing, sources };
}

/**
 * Returns the values of a body.
 *
 * @param seen what exists of everything that it refers to; undefined: it refers to nothing
 * @throws ApiError 400 with the messages of every field that failed
 */
export function settledValues(
  call: SaveCall,
  compiled: CompiledClass,
  { body, seen = nothing }: { readonly body: ParsedBody; readonly seen: Seen | undefined },
): CheckedValues {
  const { input, rules, parsed } = body;
  const { found, missing, sources } = seen;
  const settled = settleTargets(parsed, found);
  const errors = [input.errors ?? noErrors, missing, ...rules, settled.errors, sources.errors];
  if (errors.some(hasMembers)) throw invalid(Object.assign({}, ...errors));
  const checked = withFileKeys(call, settled.values, { files: parsed.files, sources });
  if (isTooLarge(compiled, checked.values)) {
    throw invalid({ non_field_errors: [dataMessages.objectTooLarge] });
  }
  return checked;
}

const noErrors: FieldErrors = {};

function hasMembers(messages: object): boolean {
  for (const _ in messages) return true;
  return false;
}

/** Adds the keys of new files to the values that are to contain them. */
function withFileKeys(
  call: SaveCall,
  values: StoredValues,
  { files, sources }: Pick<ParsedValues, 'files'> & Pick<Seen, 'sources'>,
): CheckedValues {
  if (files.length === 0) return { values, added: noFiles };
  const place = { ...call, classNumber: call.class.data.number };
  const added = placeFiles(place, files, sources.sizes);
  const keys = Object.fromEntries(added.map(({ field, key }) => [field.storage, key]));
  return { values: { ...values, ...keys }, added };
}

const noFiles: readonly AddedFile[] = [];
