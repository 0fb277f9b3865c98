import { existsSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as v from 'valibot';
import { codeOf } from '../../../values/caught.ts';
import { StartError } from '../server/start-error.ts';
import { replaceFile } from './atomic-file.ts';
import { lockFolder } from './folder-lock.ts';

/**
 * Version of the data format. A later program reads older versions, never the reverse: it rises with the first kind of
 * items or of files that the last release does not know.
 */
export const format = 3;
const formatFile = 'format.json';
/** Names that a start may leave before it is complete, and that of every disk's root. */
const ownNames =
  /^(store|files|outbox|requests|cache|python-packages|(lock|control)\.sock|push-mode|backup|(secrets|format)\.json(\..*)?|lost\+found)$/;

/** A folder that only this process uses. */
export interface DataFolder {
  /** Absolute path. */
  readonly path: string;
  /** Whether it holds no data yet; true until `markFormat`. */
  readonly isNew: boolean;
  /** Id of the store that belongs to the folder; undefined in a new folder, and in one of an older program. */
  readonly store: string | undefined;
  /** Records, in a folder of an older program, that only this one can read it from now on. */
  raiseFormat(): Promise<void>;
  /** Records that the folder now holds data of this program, with this store. The last step of each start. */
  markFormat(store: string): Promise<void>;
  /** Unlocks the folder for other processes. */
  release(): Promise<void>;
}

/**
 * Opens the folder of all data, created for its owner alone when absent.
 *
 * @throws StartError when it cannot be written, holds files of others, is in use, is damaged, or holds data of a newer version
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  await makeFolder(path);
  const release = await lockFolder(path).catch((error: unknown) => {
    throw toStartError(path, error);
  });
  try {
    const found = await readFormat(path);
    const write = (store: string | undefined) =>
      replaceFile(join(path, formatFile), `${JSON.stringify({ format, store })}\n`);
    return {
      path,
      isNew: found === undefined,
      store: found?.store,
      raiseFormat: async () => {
        if (found !== undefined && found.format < format) await write(found.store);
      },
      markFormat: async (store) => {
        if (found?.store !== store || found.format !== format) await write(store);
      },
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await makePath(path);
    checkOwn(path, await readdir(path)); // fails for a file, which passes the step before
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw toStartError(path, error);
  }
}

/** Rejects a folder without data that holds other files, which data must not be mixed with. */
function checkOwn(path: string, names: readonly string[]): void {
  if (names.includes(formatFile)) return;
  const foreign = names.filter((name) => !ownNames.test(name)).sort();
  if (foreign.length === 0) return;
  const listed = [...foreign.slice(0, 3), ...(foreign.length > 3 ? ['…'] : [])].join(', ');
  const advice = 'name an empty or new folder';
  throw new StartError(
    `the folder ${path} holds files that are not Groundwork's (${listed}): ${advice}`,
  );
}

/** Creates a folder and its parents; mkdir's own recursion never ends for impossible paths (`/proc`, Node 20). */
async function makePath(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await makePath(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

const formatSchema = v.object({ format: v.number(), store: v.optional(v.string()) });

/**
 * Reads `format.json` of a data folder or a backup; undefined when it is absent, so there is no data yet.
 *
 * @throws StartError when it is damaged, or of a newer version
 */
export async function readFormat(
  path: string,
): Promise<v.InferOutput<typeof formatSchema> | undefined> {
  const file = join(path, formatFile);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
  const found = v.safeParse(formatSchema, readJson(text));
  if (!found.success) throw new StartError(`${file} is damaged`);
  if (found.output.format > format) {
    const versions = `format ${found.output.format}, this program reads up to ${format}`;
    throw new StartError(`the data in ${path} is of a newer version (${versions})`);
  }
  return found.output;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function toStartError(path: string, error: unknown): unknown {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartError(`the data folder ${path} is not writable`, { cause: error });
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartError(`the data folder ${path} is not a folder`, { cause: error });
    case 'ENOENT':
      return new StartError(`the data folder ${path} cannot be made`, { cause: error });
    case 'ENOSPC':
      return new StartError(`the disk of the data folder ${path} is full`, { cause: error });
    case 'ENOTSUP':
    case 'EOPNOTSUPP':
      return new StartError(`the file system of ${path} cannot hold a lock`, { cause: error });
    default:
      return error;
  }
}
