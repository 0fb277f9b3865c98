import { profileClass } from '../../../../shared/classes/rules/permissions.ts';
import { OperatorUsageError } from '../../../operator/terminal.ts';
import type { ProjectFiles } from '../../project-files.ts';
import { dialects, type ExportFormat, type ForeignRecord } from '../convert.ts';
import { readCollectionFile } from './json-file.ts';
import type { Leave } from './left-out.ts';
import { isDocument, parseRecord } from './mongo.ts';

/** A file with the records of a class of another system. */
export interface Collection {
  readonly file: string;
  /** Class here; that of profiles for users. */
  readonly name: string;
  readonly records: readonly ForeignRecord[];
}

/** Members of a relation of Parse, which are in a file of their own. */
export interface Join {
  readonly file: string;
  /** Class and field of the relation there. */
  readonly name: string;
  readonly field: string;
  /** Ids of the members by that of their owner. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/** The files of a folder. */
export interface Collections {
  readonly collections: readonly Collection[];
  readonly joins: readonly Join[];
}

const userFiles: Readonly<Record<ExportFormat, string>> = { parse: '_User', pocketbase: 'users' };

/** Checks whether the records of a collection are users. */
export function isOfUsers({ name }: Pick<Collection, 'name'>): boolean {
  return name === profileClass;
}

/**
 * Reads the files of a folder, that of users first. Classes of the other system itself are left out.
 *
 * @throws UsageError for a file that is no list of records, or not all of one
 */
export function readCollections(
  files: ProjectFiles,
  {
    folder,
    format,
    encoding,
  }: {
    readonly folder: string;
    readonly format: ExportFormat;
    readonly encoding?: string | undefined;
  },
  leave: Leave,
): Collections {
  const isState = (file: string) => file.startsWith('import-');
  const all = files.list('.', false).filter((file) => file.endsWith('.json') && !isState(file));
  if (all.length === 0) throw new OperatorUsageError(`there are no .json files in ${folder}`);
  const collections: Collection[] = [];
  const joins: Join[] = [];
  for (const file of all.toSorted()) {
    const records = recordsOf(readCollectionFile(files, file, encoding), file);
    const stem = file.slice(0, -'.json'.length);
    const join = format === 'parse' ? joinOf(stem) : undefined;
    if (stem === userFiles[format]) collections.push({ file, name: profileClass, records });
    else if (join !== undefined) joins.push({ ...join, file, members: membersOf(file, records) });
    else if (stem.startsWith('_')) leave(file, '', ownClass, records.length);
    else collections.push({ file, name: stem.toLowerCase(), records });
  }
  checkIds(collections, format);
  const others = collections.filter((each) => !isOfUsers(each));
  return { collections: [...collections.filter(isOfUsers), ...others], joins };
}

const ownClass = 'a class of the other system itself';

/** Returns class and field of the members of a relation, by the name of their file; undefined for other files. */
function joinOf(stem: string): Pick<Join, 'name' | 'field'> | undefined {
  const [, , field, owner] = /^_Join([:_-])(.+)\1(_?[^:_-]+)$/.exec(stem) ?? [];
  if (field === undefined || owner === undefined) return undefined;
  if (owner === userFiles.parse) return { name: profileClass, field };
  return owner.startsWith('_') ? undefined : { name: owner.toLowerCase(), field };
}

function recordsOf(parsed: unknown, file: string): readonly ForeignRecord[] {
  const about = Object(parsed) as Readonly<Record<string, unknown>>; // of a list: nothing
  const isSingle = isDocument(about); // one line of mongoexport
  const records = isSingle
    ? [parsed]
    : Array.isArray(parsed)
      ? parsed
      : (about.results ?? about.items);
  if (!Array.isArray(records)) throw new OperatorUsageError(`${file} has no list of records`);
  if (!isSingle) checkWhole(file, records.length, about);
  return records.map((record: unknown, at) => {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      throw new OperatorUsageError(`${file}, record ${at + 1} is not an object`);
    }
    const own = record as ForeignRecord; // was checked
    return isDocument(own) ? parseRecord(own) : own;
  });
}

/** Checks that a response of a list is not only one of its pages. */
function checkWhole(file: string, length: number, about: ForeignRecord): void {
  const { count, totalItems, totalPages, page, perPage } = about;
  const total = Number(count ?? totalItems ?? length);
  const pages = Number(totalPages ?? 1);
  const isUncounted = total < 0 && length >= Number(perPage); // PocketBase with `skipTotal`
  if (total <= length && pages <= 1 && !isUncounted) return;
  const shown = pages > 1 ? `is page ${page ?? 1} of ${pages}` : `has ${length} records`;
  const of = total < 0 ? ', and may be one of several pages' : ` of ${total} records`;
  const rest = pages > 1 && total >= 0 ? ` and has ${length}${of}` : of;
  throw new OperatorUsageError(`${file} ${shown}${rest}: put all records into it`);
}

function membersOf(file: string, records: readonly ForeignRecord[]): Join['members'] {
  const members = new Map<string, string[]>();
  for (const [at, { owningId, relatedId }] of records.entries()) {
    if (typeof owningId !== 'string' || typeof relatedId !== 'string') {
      throw new OperatorUsageError(`${file}, record ${at + 1} has no owningId and relatedId`);
    }
    const known = members.get(owningId);
    if (known === undefined) members.set(owningId, [relatedId]);
    else known.push(relatedId);
  }
  return members;
}

/** Checks that every record has an id of its own. */
function checkIds(collections: readonly Collection[], format: ExportFormat): void {
  const name = dialects[format].id;
  const seen = new Set<string>();
  for (const collection of collections) {
    for (const [at, record] of collection.records.entries()) {
      const id = record[name];
      const source = `${collection.file}, record ${at + 1}`;
      if (id === undefined || id === null || id === '') {
        throw new OperatorUsageError(`${source} has no ${name}`);
      }
      const key = `${collection.name}/${id}`;
      if (seen.has(key))
        throw new OperatorUsageError(`${source}: a record with ${name} ${id} is before it`);
      seen.add(key);
    }
  }
}
