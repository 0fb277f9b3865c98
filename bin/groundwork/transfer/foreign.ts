import { below } from '../../../shared/values/text/request-path.ts';
import { timestamp } from '../../../shared/values/timestamp.ts';
import type { NamedFile } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import type { Progress } from '../terminal.ts';
import { importStateName, readJsonFile, saveJsonFile } from './folder.ts';
import type { TransferRecord } from './record-ids.ts';
import { sendPage } from './send-page.ts';

/** An object of another system: values of the fields of a class. */
export interface ForeignObject {
  readonly values: TransferRecord;
  /** Where it comes from, for messages: `books.csv, line 7`. */
  readonly place: string;
}

/** How far the import of a file is: a file beside it, removed at the end. */
interface ForeignState {
  /** Objects that are written. */
  readonly done: number;
  /** The first of the ids that are reserved for the following ones. */
  readonly first: number;
  /** Time of the objects: that of the start. */
  readonly at: string;
}

const pageSize = 100;
const maxPageBytes = 1_000_000;

/**
 * Creates objects of a class. Ids are reserved and noted before they are used, so what a killed import has written is
 * not written again.
 *
 * @param source.objects all objects, the same in each run
 * @returns the number of objects
 * @throws Error that names the place and the field of the first bad object
 */
export async function importObjects(
  to: InstanceConnection,
  source: {
    /** A file that the user has named. */
    readonly file: NamedFile;
    readonly name: string;
    readonly objects: AsyncIterable<ForeignObject>;
  },
  bar: Progress,
): Promise<number> {
  const { file, name, objects } = source;
  const { files, path } = file;
  const statePath = `${path}.${importStateName(to)}`;
  const reserve = async () => {
    const body = { kind: 'objects', class: name, reserve: pageSize };
    return (await to.send({ path: below(to.base)`import/`, body })).body.first as number;
  };
  const save = (next: ForeignState) => saveJsonFile(files, statePath, next);
  let state = readJsonFile<ForeignState>(files, statePath) ?? {
    done: 0,
    first: await reserve(),
    at: timestamp(Date.now() * 1000),
  };
  save(state);
  for await (const page of pagesAfter(objects, state.done)) {
    const records = page.map(({ values }, at) => ({
      id: state.first + at,
      created_at: state.at,
      updated_at: state.at,
      revision: 1,
      ...values,
    }));
    const sourceOf = (at: number) => page[at]?.place ?? path;
    await sendPage(to, { kind: 'objects', name, sourceOf }, records);
    bar.advance(page.length);
    state = { ...state, done: state.done + page.length, first: await reserve() };
    save(state);
  }
  files.remove(statePath);
  return state.done;
}

async function* pagesAfter(objects: AsyncIterable<ForeignObject>, done: number) {
  let page: ForeignObject[] = [];
  let [seen, bytes] = [0, 0];
  for await (const object of objects) {
    seen += 1;
    if (seen <= done) continue;
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
