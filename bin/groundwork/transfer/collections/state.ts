import { createHash } from 'node:crypto';
import { profileClass } from '../../../../shared/classes/rules/permissions.ts';
import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { below } from '../../../../shared/values/text/request-path.ts';
import { timestamp } from '../../../../shared/values/timestamp.ts';
import type { InstanceConnection } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import { cannotContinue, createdAt, isStillThere, readState, type StateFile } from '../continue.ts';
import { dialects, type ExportFormat, type ForeignRecord } from '../convert.ts';
import type { ExportedIds } from '../folder.ts';
import { type Collection, isOfUsers } from './read.ts';

/** How far an import of collections is: the first ids of its objects and users, and the records that are written. */
export interface CollectionState {
  readonly at: string;
  readonly objects: number;
  readonly users: number;
  readonly done: number;
  /** Time at which the instance was created; absent in files of earlier versions. */
  readonly origin?: string;
  /** Digest of the ids of all records, by whose order they get their ids here. */
  readonly order?: string;
  /** Digest of the records that are written. */
  readonly digest?: string;
  /** When all records were written; absent: some may be left. */
  readonly finished?: string;
}

/** Ids here, by class and id there: users are the class `user`. */
export type KnownIds = ReadonlyMap<string, number>;

/** Returns the ids of all records, in their order. */
export function idsOf(
  collections: readonly Collection[],
  format: ExportFormat,
  { objects, users }: Pick<ExportedIds, 'objects' | 'users'>,
): KnownIds {
  const ids = new Map<string, number>();
  let next = objects;
  for (const collection of collections) {
    for (const [at, record] of collection.records.entries()) {
      const id = String(record[dialects[format].id]);
      ids.set(`${collection.name}/${id}`, next);
      if (isOfUsers(collection)) ids.set(`user/${id}`, users + at);
      next += 1;
    }
  }
  return ids;
}

/** The records that are imported. */
export interface Records {
  readonly collections: readonly Collection[];
  readonly format: ExportFormat;
}

/** Returns the state of an earlier run, or that of a new one, whose ids are reserved. */
export async function startState(
  to: InstanceConnection,
  { collections, format }: Records,
  { stateFile, out }: { readonly stateFile: StateFile; readonly out: Terminal },
): Promise<CollectionState> {
  const origin = await createdAt(to);
  const ids = idsOf(collections, format, { objects: 0, users: 0 });
  const order = createHash('sha256')
    .update(JSON.stringify([...ids.keys()]))
    .digest('hex');
  const known = readState<CollectionState>(stateFile);
  if (known?.origin === undefined && known !== undefined && known.done > 0) {
    throw cannotContinue(stateFile, 'an earlier version of groundwork began to import this folder');
  }
  if (known?.origin !== undefined && known.origin !== origin) {
    out.say(`The instance ${to.instance} was created again: the import starts again.`);
  } else if (known !== undefined && (known.done > 0 || known.order === order)) {
    if (known.order !== order) throw changed(stateFile, known);
    await checkWritten(to, { known, collections, stateFile });
    return known;
  }
  const reserve = async (kind: 'objects' | 'users', count: number) => {
    const body = { kind, class: profileClass, reserve: count };
    return (await to.send({ path: below(to.base)`import/`, body })).body.first ?? 0;
  };
  const sizeOf = (all: readonly Collection[]) => all.flatMap(({ records }) => records).length;
  const at = timestamp(Date.now() * 1000);
  const objects = await reserve('objects', sizeOf(collections));
  const users = await reserve('users', sizeOf(collections.filter(isOfUsers)));
  return { at, objects, users, done: 0, origin, order };
}

/** Returns the error of an import whose files are others than those that were imported so far. */
export function changed(stateFile: StateFile, { done, finished }: CollectionState): Error {
  // a run that was killed may have written a page that it has not noted
  const count = finished === undefined ? `at least ${done}` : done;
  return cannotContinue(
    stateFile,
    `the files are not those of which ${count} records were imported`,
  );
}

/** Returns the text of a record in a digest. */
export function recordDigestText(record: ForeignRecord): string {
  return writeExactJson(record);
}

interface Check {
  readonly known: CollectionState;
  readonly collections: readonly Collection[];
  readonly stateFile: StateFile;
}

/** Checks that the records that were written are there, by the first and the last one of each class. */
async function checkWritten(to: InstanceConnection, { known, collections, stateFile }: Check) {
  let start = 0;
  for (const { name, records } of collections) {
    const count = Math.min(records.length, known.done - start);
    if (count <= 0) return;
    const first = known.objects + start;
    const written = { kind: 'objects', name, first, last: first + count - 1 } as const;
    if (!(await isStillThere(to, written))) {
      throw cannotContinue(
        stateFile,
        `objects of ${name} that were imported are not there any more`,
      );
    }
    start += count;
  }
}
