import { profileClass } from '../../../shared/classes/rules/permissions.ts';
import { parseExactJson } from '../../../shared/values/json/exact-number.ts';
import { toDatetime } from '../../../shared/values/text/datetime-text.ts';
import { below } from '../../../shared/values/text/request-path.ts';
import { timestamp } from '../../../shared/values/timestamp.ts';
import { UsageError } from '../../operator/terminal.ts';
import { openFiles, type ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import {
  convertValue,
  dialects,
  type FindId,
  type ForeignRecord,
  type Format,
  fieldFor,
  rightsOf,
} from './convert.ts';
import { type Ids, importStateName, readJsonFile, saveJsonFile } from './folder.ts';
import type { TransferRecord } from './record-ids.ts';
import { fetchSchema, type SchemaClass } from './schema.ts';
import { sendPage } from './send-page.ts';

/** A file with the records of a class of another system. */
interface Collection {
  readonly file: string;
  /** Class here; that of profiles for users. */
  readonly name: string;
  readonly records: readonly ForeignRecord[];
}

/** An import of collections. */
export interface CollectionImport {
  readonly format: Format;
  readonly folder: string;
  /** Of the files; absent: UTF-8. */
  readonly encoding?: string | undefined;
  /** Names of fields that are left out. */
  readonly ignored: readonly string[];
}

/** How far it is: the first ids of its objects and users, and the records that are written. */
interface CollectionState {
  readonly at: string;
  readonly objects: number;
  readonly users: number;
  readonly done: number;
}

/**
 * Imports a folder of JSON files, one for each class of another system, with references between them. The files are
 * in memory as a whole.
 *
 * @returns the number of records
 * @throws UsageError for files that fit no class
 */
export async function importCollections(
  to: InstanceConnection,
  source: CollectionImport,
  out: Terminal,
): Promise<number> {
  const { format } = source;
  const files = openFiles(source.folder);
  const collections = readCollections(files, source);
  const { classes } = await fetchSchema(to);
  for (const collection of collections) checkFields(collection, classes, source);
  const statePath = importStateName(to);
  const sizeOf = (all: readonly Collection[]) =>
    all.reduce((sum, { records }) => sum + records.length, 0);
  const total = sizeOf(collections);
  const state =
    readJsonFile<CollectionState>(files, statePath) ??
    (await begin(to, { objects: total, users: sizeOf(collections.filter(isOfUsers)) }));
  saveJsonFile(files, statePath, state);
  const ids = idsOf(collections, format, state);
  const call = { to, format, classes, ids, at: state.at };
  const bar = out.progress(`Importing into ${to.instance}`, total);
  let [seen, { done }] = [0, state];
  for (const { collection, page } of pagesOf(collections)) {
    seen += page.length;
    if (seen > done) {
      await sendRecords(call, collection, page);
      done = seen;
      saveJsonFile(files, statePath, { ...state, done });
    }
    bar.advance(page.length);
  }
  files.remove(statePath);
  bar.end('Imported');
  return total;
}

const pageSize = 100;

function* pagesOf(collections: readonly Collection[]) {
  for (const collection of collections) {
    for (let at = 0; at < collection.records.length; at += pageSize) {
      yield { collection, page: collection.records.slice(at, at + pageSize) };
    }
  }
}

function isOfUsers({ name }: Collection): boolean {
  return name === profileClass;
}

const userFiles: Readonly<Record<Format, string>> = { parse: '_User', pocketbase: 'users' };

/** Reads the files of a folder, that of users first. */
function readCollections(
  own: ProjectFiles,
  { folder, format, encoding }: CollectionImport,
): readonly Collection[] {
  const isState = (file: string) => file.startsWith('import-');
  const files = own.list('.', false).filter((file) => file.endsWith('.json') && !isState(file));
  if (files.length === 0) throw new UsageError(`there are no .json files in ${folder}`);
  const all = files.toSorted().map((file): Collection => {
    const parsed: unknown = parseExactJson(own.readText(file, { encoding }) ?? '');
    const { results, items } = parsed as { results?: unknown; items?: unknown };
    const records = Array.isArray(parsed) ? parsed : (results ?? items);
    if (!Array.isArray(records)) throw new UsageError(`${file} has no list of records`);
    const name = file.slice(0, -'.json'.length);
    return { file, name: name === userFiles[format] ? profileClass : name.toLowerCase(), records };
  });
  return [...all.filter(isOfUsers), ...all.filter((each) => !isOfUsers(each))];
}

const namesOfUsers = [
  'username email emailVerified emailVisibility verified authData sessionToken password',
  'tokenKey',
].flatMap((names) => names.split(' '));

function checkFields(
  { file, name, records }: Collection,
  classes: readonly SchemaClass[],
  { format, ignored }: CollectionImport,
): void {
  const found = classes.find((each) => each.name === name);
  if (found === undefined) throw new UsageError(`${file}: there is no class ${name}`);
  const { id, created, updated, others } = dialects[format];
  const known = [
    id,
    created,
    updated,
    ...others,
    ...ignored,
    ...(name === profileClass ? namesOfUsers : []),
  ];
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  for (const each of names) {
    if (known.includes(each) || fieldFor(found.schema, each) !== undefined) continue;
    throw new UsageError(
      `${file}: the class ${name} has no field ${each}; add it, or --ignore ${each}`,
    );
  }
}

async function begin(
  to: InstanceConnection,
  counts: Pick<Ids, 'objects' | 'users'>,
): Promise<CollectionState> {
  const reserve = async (kind: 'objects' | 'users') => {
    const body = { kind, class: profileClass, reserve: counts[kind] };
    return (await to.send({ path: below(to.base)`import/`, body })).body.first ?? 0;
  };
  const at = timestamp(Date.now() * 1000);
  return { at, objects: await reserve('objects'), users: await reserve('users'), done: 0 };
}

/** Ids here, by class and id there: users are the class `user`. */
type KnownIds = ReadonlyMap<string, number>;

function idsOf(
  collections: readonly Collection[],
  format: Format,
  state: CollectionState,
): KnownIds {
  const ids = new Map<string, number>();
  let next = state.objects;
  for (const collection of collections) {
    for (const [at, record] of collection.records.entries()) {
      const id = String(record[dialects[format].id]);
      ids.set(`${collection.name}/${id}`, next);
      if (isOfUsers(collection)) ids.set(`user/${id}`, state.users + at);
      next += 1;
    }
  }
  return ids;
}

interface SendCall {
  readonly to: InstanceConnection;
  readonly format: Format;
  readonly classes: readonly SchemaClass[];
  readonly ids: KnownIds;
  readonly at: string;
}

async function sendRecords(
  call: SendCall,
  collection: Collection,
  page: readonly ForeignRecord[],
): Promise<void> {
  const { to, ids, format } = call;
  const { name, file } = collection;
  const sourceOf = (at: number) => `${file}, ${page[at]?.[dialects[format].id]}`;
  if (isOfUsers(collection)) {
    const users = page.map(({ username, email, ...record }) => {
      const id = String(record[dialects[format].id]);
      const profile = ids.get(`${name}/${id}`);
      return { id: ids.get(`user/${id}`), username: username ?? email, profile };
    });
    await sendPage(to, { kind: 'users', name: '', sourceOf }, users);
  }
  const objects = page.map((record) => convertRecord(call, name, record));
  await sendPage(to, { kind: 'objects', name, sourceOf }, objects);
}

function convertRecord(
  { format, classes, ids, at }: SendCall,
  name: string,
  record: ForeignRecord,
): TransferRecord {
  const { id, created, updated } = dialects[format];
  const schema = classes.find((each) => each.name === name)?.schema ?? [];
  const findId: FindId = (target, old) => {
    const lower = target.toLowerCase();
    return ids.get(`${lower === 'self' ? name : lower}/${old}`);
  };
  const values = Object.entries(record).flatMap(([each, value]) => {
    const field = fieldFor(schema, each);
    return field === undefined ? [] : [[field.name, convertValue(field, value, findId)] as const];
  });
  const owner = name === profileClass ? { owner: findId('user', String(record[id])) } : {};
  return {
    ...Object.fromEntries(values),
    id: findId(name, String(record[id])),
    created_at: toDatetime(String(record[created] || at)),
    updated_at: toDatetime(String(record[updated] || record[created] || at)),
    revision: 1,
    ...rightsOf(record.ACL, findId),
    ...owner,
  };
}
