import { randomUUID } from 'node:crypto';
import { chown, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { codeOf } from '../../../../values/caught.ts';
import { boxedPaths, fileBytes } from './box.ts';
import type { Level } from './level.ts';
import { isServerRoot, nobodyId } from './other-user.ts';

/**
 * All calls of the server on folders of runs. A script determines what the deletion finds, so each may fail with any
 * error: a test lets them fail. Those of the launcher are in folder-calls.cjs.
 */
export const folderCalls = { chown, lstat, mkdir, readdir, realpath, rm };

const folderPrefix = 'groundwork-script-'; // also in launcher.cjs
const inUse = new Set<string>(); // all folders of this process that are not disposed of

/** A folder for the files of runs. */
export interface RunFolder {
  /** Its path inside the sandbox. */
  readonly temporary: string;
  /** Maximum bytes in it; absent if the file system has that limit. */
  readonly limit: { readonly maxFolderBytes?: number };
  /** Deletes it. Never rejects: returns false if it is left, for {@link findLeftFolders}. */
  dispose(): Promise<boolean>;
}

/** Checks whether a folder is of a run of this process. */
export function isOfThisServer(folder: string): boolean {
  return basename(folder).startsWith(`${folderPrefix}${process.pid}-`);
}

/** Creates a folder for the files of runs, except for a box, which has its own. */
export async function openRunFolder(level: Level): Promise<RunFolder> {
  if (level === 'bubblewrap') {
    return { temporary: boxedPaths.temporary, limit: {}, dispose: async () => true };
  }
  const name = `${folderPrefix}${process.pid}-${randomUUID()}`;
  const temporary = join(await folderCalls.realpath(tmpdir()), name);
  const dispose = async () => {
    inUse.delete(temporary);
    return (await tryToDelete(temporary)) === undefined;
  };
  inUse.add(temporary); // before it is there: `findLeftFolders` must not find it
  try {
    await folderCalls.mkdir(temporary, { mode: 0o700 });
    if (isServerRoot) await folderCalls.chown(temporary, nobodyId, nobodyId);
  } catch (error) {
    await dispose(); // it may be there, and still be the server's
    throw error;
  }
  return { temporary, limit: { maxFolderBytes: fileBytes }, dispose };
}

/** Deletes an ordinary folder. Returns the error if a part of it is left. */
export async function tryToDelete(folder: string): Promise<unknown> {
  try {
    await folderCalls.rm(folder, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Finds folders that nothing uses: their deletion has failed, or their server was killed. */
export async function findLeftFolders(): Promise<readonly string[]> {
  const parent = await folderCalls.realpath(tmpdir());
  const left: string[] = [];
  for (const name of await folderCalls.readdir(parent)) {
    const [, pid] = /^groundwork-script-(\d+)-/.exec(name) ?? [];
    const folder = join(parent, name);
    if (pid !== undefined && !isUsed(folder, Number(pid)) && (await isOwn(folder))) {
      left.push(folder);
    }
  }
  return left;
}

/** The server in a container may have the same id at each start, so the id alone does not show a use. */
function isUsed(folder: string, pid: number): boolean {
  return pid === process.pid ? inUse.has(folder) : isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Checks for a folder that this user can delete. */
async function isOwn(folder: string): Promise<boolean> {
  const user = process.getuid?.();
  try {
    const { uid } = await folderCalls.lstat(folder);
    return user === 0 || uid === user;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return false; // its owner has deleted it since
  }
}
