import { profileClass } from '../../../shared/classes/rules/permissions.ts';
import { timestamp } from '../../../shared/values/timestamp.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import { openProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { type Leave, type LeftOut, leftOutLine, openLeftOut } from './collections/left-out.ts';
import { type Collection, isOfUsers, type Join, readCollections } from './collections/read.ts';
import {
  type CollectionState,
  changed,
  idsOf,
  type KnownIds,
  recordDigestText,
  startState,
} from './collections/state.ts';
import { isAuthData, leaveMembers, namesOfUsers, passwordOf } from './collections/users.ts';
import {
  addToDigest,
  alreadyImported,
  digestSoFar,
  type ImportedCount,
  type StateFile,
  startDigest,
} from './continue.ts';
import {
  type Conversion,
  convertValue,
  dialects,
  type ExportFormat,
  type FindId,
  type ForeignRecord,
  fieldFor,
  rightsOf,
  timeOf,
} from './convert.ts';
import { importStateName, saveJsonFile } from './folder.ts';
import type { TransferRecord } from './record-ids.ts';
import { fetchSchema, type SchemaClass, type SchemaField } from './schema.ts';
import { sendPage } from './send-page.ts';

/** An import of collections. */
export interface CollectionImport {
  readonly format: ExportFormat;
  readonly folder: string;
  /** Of the files; absent: UTF-8. */
  readonly encoding?: string | undefined;
  /** Names of fields that are left out. */
  readonly ignored: readonly string[];
  /** Whether values that have no equivalent here are an error. */
  readonly isStrict: boolean;
  /** Whether the user wants to forget what an earlier run has written. */
  readonly isAgain: boolean;
}

/** The outcome of an import of collections. */
interface ImportedCollections extends ImportedCount {
  readonly leftOut: readonly LeftOut[];
  /** Fields with times that name no zone, such as `book.printed`. */
  readonly inUtc: readonly string[];
}

/**
 * Imports a folder of JSON files, one for each class of another system, with references between them. The files are
 * in memory as a whole. All is read and converted before anything is written.
 *
 * @throws UsageError for files that fit no class, and for values without an equivalent where `isStrict`; when an
 *   earlier run has imported them
 */
export async function importCollections(
  to: InstanceConnection,
  source: CollectionImport,
  out: Terminal,
): Promise<ImportedCollections> {
  const { format, ignored } = source;
  const files = openProjectFiles(source.folder);
  const { leave, list } = openLeftOut();
  const { collections, joins } = readCollections(files, source, leave);
  const { classes } = await fetchSchema(to);
  for (const collection of collections) checkFields(collection, classes, source);
  for (const join of joins) checkJoin(join, classes, source);
  const inUtc = new Set<string>();
  const onUtcAssumed = (field: string) => {
    inUtc.add(field);
  };
  const call = { format, ignored, classes, joins, onUtcAssumed };
  tryAll(call, collections, leave);
  const leftOut = list();
  const lines = leftOut.map(leftOutLine);
  if (source.isStrict && lines.length > 0) {
    throw new OperatorUsageError(`nothing is imported:\n${lines.join('\n')}`);
  }
  const stateFile = { files, path: importStateName(to), isAgain: source.isAgain };
  const state = await startState(to, { collections, format }, { stateFile, out });
  saveJsonFile(files, stateFile.path, state);
  const ids = idsOf(collections, format, state);
  const sent = { ...call, to, ids, at: state.at, leave: () => {} }; // tryAll has counted them
  const count = await sendAll(sent, { collections, state, stateFile }, out);
  for (const line of lines) out.warn(line);
  return { ...count, leftOut, inUtc: [...inUtc] };
}

interface Sending {
  readonly collections: readonly Collection[];
  readonly state: CollectionState;
  readonly stateFile: StateFile;
}

/** Writes the records that are left, and notes how far it is. */
async function sendAll(
  call: SendCall,
  { collections, state, stateFile }: Sending,
  out: Terminal,
): Promise<ImportedCount> {
  const total = collections.flatMap(({ records }) => records).length;
  const bar = out.progress(`Importing into ${call.to.instance}`, total);
  const digest = startDigest();
  let current = state;
  let [seen, created, unchanged] = [0, 0, state.done];
  for (const { collection, page } of pagesOf(collections)) {
    seen += page.length;
    for (const record of page) addToDigest(digest, recordDigestText(record));
    if (seen === state.done && digestSoFar(digest) !== state.digest)
      throw changed(stateFile, state);
    bar.advance(page.length);
    if (seen <= state.done) continue;
    const sent = await sendRecords(call, collection, page);
    created += sent.created;
    unchanged += sent.unchanged;
    current = { ...current, done: seen, digest: digestSoFar(digest) };
    saveJsonFile(stateFile.files, stateFile.path, current);
  }
  if (state.finished !== undefined) {
    const shown = `the files in ${stateFile.files.folder} were imported into ${call.to.instance}`;
    throw alreadyImported(shown, state.finished, false);
  }
  finish(stateFile, current);
  bar.end();
  return { created, unchanged };
}

/** Notes that all is written, so that the same command does not write it a second time. */
function finish({ files, path }: StateFile, state: CollectionState): void {
  if (state.done === 0) files.remove(path);
  else saveJsonFile(files, path, { ...state, finished: timestamp(Date.now() * 1000) });
}

const pageSize = 100;

function* pagesOf(collections: readonly Collection[]) {
  for (const collection of collections) {
    for (let at = 0; at < collection.records.length; at += pageSize) {
      yield { collection, page: collection.records.slice(at, at + pageSize) };
    }
  }
}

type Ignored = Pick<CollectionImport, 'format' | 'ignored'>;

function checkFields(
  { file, name, records }: Collection,
  classes: readonly SchemaClass[],
  { format, ignored }: Ignored,
): void {
  const found = classes.find((each) => each.name === name);
  if (found === undefined) throw new OperatorUsageError(`${file}: there is no class ${name}`);
  const { id, created, updated, others } = dialects[format];
  const ofUsers = name === profileClass ? namesOfUsers : [];
  const known = [id, created, updated, ...others, ...ignored, ...ofUsers];
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  for (const each of names) {
    const isOfUser = name === profileClass && isAuthData(each);
    if (known.includes(each) || isOfUser || fieldFor(found.schema, each) !== undefined) continue;
    throw new OperatorUsageError(
      `${file}: the class ${name} has no field ${each}; add it, or --ignore ${each}`,
    );
  }
}

/** Checks that there is a relation for the members in a file. */
function checkJoin(
  { file, name, field }: Join,
  classes: readonly SchemaClass[],
  { ignored }: Ignored,
) {
  if (ignored.includes(field)) return;
  const found = classes.find((each) => each.name === name);
  if (found === undefined) throw new OperatorUsageError(`${file}: there is no class ${name}`);
  const type = fieldFor(found.schema, field)?.type;
  if (type === 'relation') return;
  const text =
    type === undefined ? `has no field ${field}` : `has no relation ${field}, but a ${type}`;
  throw new OperatorUsageError(`${file}: the class ${name} ${text}; add it, or --ignore ${field}`);
}

interface ConvertCall extends Ignored {
  readonly classes: readonly SchemaClass[];
  readonly joins: readonly Join[];
  readonly ids: KnownIds;
  readonly at: string;
  readonly leave: Leave;
  readonly onUtcAssumed: (field: string) => void;
}

/** Converts all records with other ids, to find what is left out. */
function tryAll(
  call: Omit<ConvertCall, 'ids' | 'at' | 'leave'>,
  collections: readonly Collection[],
  leave: Leave,
): void {
  const ids = idsOf(collections, call.format, { objects: 1, users: 1 });
  const trial: ConvertCall = { ...call, ids, at: timestamp(0), leave };
  for (const collection of collections) {
    for (const record of collection.records) {
      convertRecord(trial, collection, record);
      if (isOfUsers(collection)) convertUser(trial, collection, record);
    }
  }
  const joins = call.joins.filter(({ field }) => !call.ignored.includes(field));
  for (const join of joins) leaveOwnerless(join, ids, leave);
}

/** Counts the members of relations of records that are not there. */
function leaveOwnerless({ file, name, field, members }: Join, ids: KnownIds, leave: Leave): void {
  for (const [owner, all] of members) {
    if (!ids.has(`${name}/${owner}`)) leave(file, field, 'their owners are in no file', all.length);
  }
}

interface SendCall extends ConvertCall {
  readonly to: InstanceConnection;
}

async function sendRecords(
  call: SendCall,
  collection: Collection,
  page: readonly ForeignRecord[],
): Promise<ImportedCount> {
  const { to, format } = call;
  const { name, file } = collection;
  const sourceOf = (at: number) => `${file}, ${page[at]?.[dialects[format].id]}`;
  if (isOfUsers(collection)) {
    const users = page.map((record) => convertUser(call, collection, record));
    await sendPage(to, { kind: 'users', name: '', sourceOf }, users);
  }
  const objects = page.map((record) => convertRecord(call, collection, record));
  return sendPage(to, { kind: 'objects', name, sourceOf }, objects);
}

function convertUser(
  { ids, format, classes, ignored, leave }: ConvertCall,
  { name, file }: Collection,
  record: ForeignRecord,
): TransferRecord {
  const id = String(record[dialects[format].id]);
  const schema = schemaOf(classes, name);
  const leaveMember = (member: string, reason: string) => {
    if (!ignored.includes(member)) leave(file, member, reason);
  };
  const hasField = (member: string) => fieldFor(schema, member) !== undefined;
  leaveMembers(record, hasField, leaveMember);
  const kept = Object.entries(record).filter(([member]) => !ignored.includes(member));
  const password = passwordOf(Object.fromEntries(kept), leaveMember);
  return {
    id: ids.get(`user/${id}`),
    username: record.username ?? record.email,
    profile: ids.get(`${name}/${id}`),
    ...(password !== undefined && { password }),
  };
}

function schemaOf(classes: readonly SchemaClass[], name: string): readonly SchemaField[] {
  return classes.find((each) => each.name === name)?.schema ?? []; // checkFields has found it
}

function convertRecord(
  { format, classes, joins, ids, at, leave, ignored, onUtcAssumed }: ConvertCall,
  { name, file }: Collection,
  record: ForeignRecord,
): TransferRecord {
  const { id, created, updated } = dialects[format];
  const own = String(record[id]);
  const schema = schemaOf(classes, name);
  const classOf = (target: string) => (target === 'self' ? name : target.toLowerCase());
  const findId: FindId = (target, old) => ids.get(`${classOf(target)}/${old}`);
  const isTarget = (target: string, className: string) => {
    const own = className === '_User' ? ['user', profileClass] : [className.toLowerCase()];
    return own.includes(classOf(target));
  };
  const conversion = (member: string): Conversion => ({
    findId,
    isTarget,
    leave: (reason, values) => leave(file, member, reason, values),
    onUtcAssumed: () => onUtcAssumed(`${name}.${member}`),
  });
  const timeIn = (member: string, value: unknown) => timeOf(value, conversion(member).onUtcAssumed);
  const values: Record<string, unknown> = {};
  for (const [each, value] of Object.entries(withMembers(joins, { name, own, record }))) {
    const field = ignored.includes(each) ? undefined : fieldFor(schema, each);
    if (field === undefined) continue; // checkFields has found it, or it is one of those that need none
    if (Object.hasOwn(values, field.name))
      conversion(each).leave(`${field.name} has another value`);
    else values[field.name] = convertValue(field, value, conversion(each));
  }
  const owner = name === profileClass ? { owner: findId('user', own) } : {};
  return {
    ...values,
    id: findId(name, own),
    created_at: timeIn(created, record[created] || at),
    updated_at: timeIn(updated, record[updated] || record[created] || at),
    revision: 1,
    ...rightsOf(record.ACL, conversion('ACL')),
    ...owner,
  };
}

interface Owner {
  readonly name: string;
  readonly own: string;
  readonly record: ForeignRecord;
}

/** Returns a record with the members of its relations, which are in other files. */
function withMembers(joins: readonly Join[], { name, own, record }: Owner): ForeignRecord {
  const mine = joins.filter((join) => join.name === name);
  if (mine.length === 0) return record;
  const relations = mine.map(({ field, members }) => [field, members.get(own) ?? []] as const);
  return { ...record, ...Object.fromEntries(relations) };
}
