import { isTooLarge, type StoredValues } from '../classes/rules/compiled-class.ts';
import type { ChannelData } from '../table/records/channels.ts';
import type { ObjectData } from '../table/records/records.ts';
import { dataMessages } from '../values/errors/data-messages.ts';
import { type FieldErrors, invalid } from '../values/errors/errors.ts';
import type { JsonObject } from '../values/json/json.ts';
import type { Upload } from '../values/uploads.ts';
import { missingRecords } from './files/missing-records.ts';
import { type AddedFile, assignKeys, findSources, type Sources } from './files/object-files.ts';
import { channelErrors, namedChannel } from './object-channel.ts';
import type { FieldMessages, SystemValues } from './object-rules.ts';
import { findTargets } from './object-targets.ts';
import { type ParsedValues, parseValues, settleTargets } from './rules/object-values.ts';
import type { SaveCall } from './save-call.ts';

/** Body with its system fields parsed. */
export interface ParsedSystemFields {
  readonly values: SystemValues;
  readonly errors: FieldErrors | undefined;
  readonly body: JsonObject;
  readonly isForm: boolean;
  /** Files sent with the body; none when absent. */
  readonly uploads?: readonly Upload[] | undefined;
}

/** Body whose fields are parsed; what it refers to is not checked yet. */
export interface ParsedObjectBody {
  readonly input: ParsedSystemFields;
  /** The object before the update; undefined on a create. */
  readonly current: ObjectData | undefined;
  /** Messages of the rules of owner and group. */
  readonly rules: readonly FieldMessages[];
  readonly parsed: ParsedValues;
}

/** Parses the class's fields in a body. */
export function parseObjectBody(
  { compiled }: SaveCall,
  { input, current, rules }: Omit<ParsedObjectBody, 'parsed'>,
): ParsedObjectBody {
  const { body, isForm, uploads } = input;
  const parsed = parseValues(compiled, body, { current: current?.values, isForm, uploads });
  return { input, current, rules, parsed };
}

/** Existing records that a body refers to. */
export interface FoundRecords {
  /** Existing ids, for each check of targets. */
  readonly targets: readonly (ReadonlySet<number> | undefined)[];
  /** Messages about the owner and group. */
  readonly missing: FieldMessages;
  readonly sources: Sources;
  /** The channel of a new object. */
  readonly channel: ChannelData | undefined;
}

const noRecords: FoundRecords = {
  targets: [],
  missing: {},
  sources: { errors: {}, sizes: new Map() },
  channel: undefined,
};

/**
 * Reads, in one step, everything that bodies in one class refer to.
 *
 * @returns the existing records of each body that refers to any
 */
export async function lookUp(
  call: SaveCall,
  bodies: readonly ParsedObjectBody[],
): Promise<ReadonlyMap<ParsedObjectBody, FoundRecords>> {
  const referring = bodies.filter((body) => body.parsed.targets.length > 0 || namesOthers(body));
  if (referring.length === 0) return new Map();
  const [targets, others] = await Promise.all([
    findTargets(
      call,
      referring.flatMap(({ parsed }) => parsed.targets),
    ),
    Promise.all(
      referring.map((body) => (namesOthers(body) ? lookUpOthers(call, body) : noRecords)),
    ),
  ]);
  let at = 0;
  const found = referring.map((body, position): [ParsedObjectBody, FoundRecords] => {
    const first = at;
    at += body.parsed.targets.length;
    return [body, { ...noRecords, ...others[position], targets: targets.slice(first, at) }];
  });
  return new Map(found);
}

/** Checks whether a body names an owner, a group, a channel, or files. */
function namesOthers({ parsed: { files }, input: { values } }: ParsedObjectBody): boolean {
  return (
    typeof values.owner === 'number' ||
    typeof values.group === 'number' ||
    typeof values.channel === 'string' ||
    files.length > 0
  );
}

async function lookUpOthers(
  call: SaveCall,
  { parsed: { files }, input: { values }, current }: ParsedObjectBody,
): Promise<Omit<FoundRecords, 'targets'>> {
  const [missing, sources, channel] = await Promise.all([
    missingRecords(call, values, current),
    findSources(call, files),
    namedChannel(call, values),
  ]);
  return { missing, sources, channel };
}

/** Values that may be written. */
interface ValuesToStore {
  readonly values: StoredValues;
  /** Files to store first; `values` contains their keys. */
  readonly added: readonly AddedFile[];
}

/**
 * Returns the values of a body.
 *
 * @param found absent: the body refers to nothing
 * @throws ApiError 400 with the messages of every field that failed
 */
export function valuesToStore(
  call: SaveCall,
  { input, rules, parsed }: ParsedObjectBody,
  { targets, missing, sources, channel }: FoundRecords = noRecords,
): ValuesToStore {
  const settled = settleTargets(parsed, targets);
  const errors = [
    input.errors ?? noErrors,
    missing,
    ...rules,
    channelErrors(input.values, channel),
    settled.errors,
    sources.errors,
  ];
  if (errors.some(hasMembers)) throw invalid(Object.assign({}, ...errors));
  const checked = withFileKeys(call, settled.values, { files: parsed.files, sources });
  if (isTooLarge(call.compiled, checked.values)) {
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
  { files, sources }: Pick<ParsedValues, 'files'> & Pick<FoundRecords, 'sources'>,
): ValuesToStore {
  if (files.length === 0) return { values, added: noFiles };
  const added = assignKeys(call, files, sources.sizes);
  const keys = Object.fromEntries(added.map(({ field, key }) => [field.storage, key]));
  return { values: { ...values, ...keys }, added };
}

const noFiles: readonly AddedFile[] = [];
