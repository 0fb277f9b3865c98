import type { Hash } from 'node:crypto';
import { below } from '../../../shared/values/text/request-path.ts';
import { timestamp } from '../../../shared/values/timestamp.ts';
import type { NamedFile } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import type { ProgressBar, Terminal } from '../terminal.ts';
import {
  addToDigest,
  alreadyImported,
  cannotContinue,
  createdAt,
  digestSoFar,
  type ImportedCount,
  isStillThere,
  readState,
  type StateFile,
  startDigest,
  type Written,
} from './continue.ts';
import { importStateName, saveJsonFile } from './folder.ts';
import type { TransferRecord } from './record-ids.ts';
import { sendPage } from './send-page.ts';

/** An object of another system: values of the fields of a class. */
export interface ForeignObject {
  readonly values: TransferRecord;
  /** Where it comes from, for messages: `books.csv, line 7`. */
  readonly source: string;
}

/** How far the import of a file is: a file next to it. */
interface ForeignState {
  /** Objects that are written. */
  readonly done: number;
  /** The first of the ids that are reserved for the following ones. */
  readonly first: number;
  /** Time of the objects: that of the start. */
  readonly at: string;
  /** Times at which the instance and the class were created; absent in files of earlier versions. */
  readonly origin?: string;
  /** Digest of the objects that are written. */
  readonly digest?: string;
  /** Ids of the first and the last object that are written. */
  readonly written?: Pick<Written, 'first' | 'last'>;
  /** When all objects were written; absent: some may be left. */
  readonly finished?: string | undefined;
}

const pageSize = 100;
const maxPageBytes = 1_000_000;

/** An import of objects of one class. */
interface ObjectsImport {
  /** A file that the user has named. */
  readonly file: NamedFile;
  readonly name: string;
  readonly objects: AsyncIterable<ForeignObject>;
  /** Whether the user wants to forget what an earlier run has written. */
  readonly isAgain?: boolean;
}

/**
 * Creates objects of a class. Ids are reserved and noted before they are used, so what a killed import has written is
 * not written again. A class that was emptied or created again is one into which nothing was written.
 *
 * @param source.objects all objects, the same in each run as far as they were written
 * @throws Error that names the position and the field of the first bad object
 * @throws UsageError when it is complete, or cannot continue: the file is another one, or objects were deleted
 */
export async function importForeignObjects(
  to: InstanceConnection,
  source: ObjectsImport,
  out: Pick<Terminal, 'say'> & { readonly bar: ProgressBar },
): Promise<ImportedCount> {
  const { file, name, objects, isAgain = false } = source;
  const { files, path } = file;
  const stateFile = { files, path: statePath(to, { file, name }), isAgain };
  const reserve = async () => {
    const body = { kind: 'objects', class: name, reserve: pageSize };
    return (await to.send({ path: below(to.base)`import/`, body })).body.first as number;
  };
  const save = (next: ForeignState) => saveJsonFile(files, stateFile.path, next);
  const origin = await originOf(to, name);
  const known = await knownState(to, { stateFile, name, origin }, out);
  const at = timestamp(Date.now() * 1000);
  let state = known ?? { done: 0, first: await reserve(), at, origin };
  save(state);
  const digest = startDigest();
  let [created, unchanged] = [0, state.done];
  const shown = `${path} was imported into ${name} of ${to.instance}`;
  for await (const page of pagesOf(withoutWritten(objects, { state, digest, stateFile, shown }))) {
    const records = page.map(({ values }, at) => ({
      id: state.first + at,
      created_at: state.at,
      updated_at: state.at,
      revision: 1,
      ...values,
    }));
    const sourceOf = (at: number) => page[at]?.source ?? path;
    const sent = await sendPage(to, { kind: 'objects', name, sourceOf }, records);
    out.bar.advance(page.length);
    created += sent.created;
    unchanged += sent.unchanged;
    for (const { values } of page) addToDigest(digest, JSON.stringify(values));
    const ids = records.map(({ id }) => Number(id)); // a column may have them
    const written = { first: state.written?.first ?? ids[0] ?? 0, last: ids.at(-1) ?? 0 };
    const done = state.done + page.length;
    const digestNow = digestSoFar(digest);
    const next = { done, written, digest: digestNow, first: await reserve(), finished: undefined };
    state = { ...state, ...next };
    save(state);
  }
  if (state.done === 0) files.remove(stateFile.path);
  else save({ ...state, finished: timestamp(Date.now() * 1000) });
  return { created, unchanged };
}

/** Returns the path of the state. That of earlier versions has no class in its name. */
function statePath(
  to: InstanceConnection,
  { file: { files, path }, name }: Pick<ObjectsImport, 'file' | 'name'>,
): string {
  const earlier = `${path}.${importStateName(to)}`;
  return files.has(earlier) ? earlier : `${path}.${importStateName(to, name)}`;
}

async function originOf(to: InstanceConnection, name: string): Promise<string> {
  const { body } = await to.send({ path: below(to.base)`classes/${name}/` });
  return `${await createdAt(to)} ${body.created_at}`;
}

interface KnownCall {
  readonly stateFile: StateFile;
  readonly name: string;
  readonly origin: string;
}

/** Returns the state of an earlier run; undefined where nothing of it is left. */
async function knownState(
  to: InstanceConnection,
  { stateFile, name, origin }: KnownCall,
  out: Pick<Terminal, 'say'>,
): Promise<ForeignState | undefined> {
  const known = readState<ForeignState>(stateFile);
  if (known === undefined) return undefined;
  if (known.origin === undefined) {
    throw cannotContinue(stateFile, 'an earlier version of groundwork began to import this file');
  }
  if (known.origin !== origin) {
    out.say(`The class ${name} was created again: the import starts again.`);
    return undefined;
  }
  const { written } = known;
  if (written === undefined) return known;
  if (await isStillThere(to, { kind: 'objects', name, ...written })) return known;
  const list = below(to.base)`classes/${name}/objects/?page_size=1`;
  if ((await to.send({ path: list })).body.objects.length > 0) {
    throw cannotContinue(stateFile, `objects of ${name} that were imported are not there any more`);
  }
  out.say(`The class ${name} is empty: the import starts again.`);
  return undefined;
}

interface After {
  readonly state: ForeignState;
  readonly digest: Hash;
  readonly stateFile: StateFile;
  /** Says that the file was imported. */
  readonly shown: string;
}

/** Returns the objects after those that are written, which have to be the same as then. */
async function* withoutWritten(
  objects: AsyncIterable<ForeignObject>,
  { state: { done, digest: expected, finished }, digest, stateFile, shown }: After,
) {
  let seen = 0;
  const changed = () => {
    return cannotContinue(
      stateFile,
      finished === undefined
        ? `the first ${done} objects are not those that were imported`
        : `${shown} on ${finished}, and has changed since`,
    );
  };
  for await (const object of objects) {
    seen += 1;
    if (seen > done) {
      yield object;
      continue;
    }
    addToDigest(digest, JSON.stringify(object.values));
    if (seen === done && digestSoFar(digest) !== expected) throw changed();
  }
  if (seen < done) throw changed();
  if (seen === done && finished !== undefined) throw alreadyImported(shown, finished, true);
}

async function* pagesOf(objects: AsyncIterable<ForeignObject>) {
  let page: ForeignObject[] = [];
  let bytes = 0;
  for await (const object of objects) {
    const size = JSON.stringify(object.values).length;
    if (page.length === pageSize || (page.length > 0 && bytes + size > maxPageBytes)) {
      yield page;
      [page, bytes] = [[], 0];
    }
    page.push(object);
    bytes += size;
  }
  if (page.length > 0) yield page;
}
