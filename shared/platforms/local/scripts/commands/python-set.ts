import { cp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf } from '../../../../values/caught.ts';
import type { Isolation } from '../sandbox/level.ts';
import { openRunFolder } from '../sandbox/run-folders.ts';

/** Link to the current set. */
export const currentSet = 'current';
/** Begins the name of each set. */
export const setPrefix = 'set-';

/** Returns the folder of the sets in a data folder. */
export function packagesFolder(data: string): string {
  return join(data, 'python-packages');
}

/**
 * Finds the operator's set of Python packages: that of the data folder, else that of `otherwise`.
 *
 * @param otherwise a folder such as {@link packagesFolder}, from the settings
 * @returns its real path; undefined when there is none
 */
async function findPackages(
  data: string | undefined,
  otherwise?: string,
): Promise<string | undefined> {
  const folders = [...(data === undefined ? [] : [packagesFolder(data)]), otherwise];
  for (const folder of folders) {
    const set = folder && (await realPathOf(join(folder, currentSet)));
    if (set) return set;
  }
  return undefined;
}

/** The set for the runners of one server. */
export interface OpenPackages {
  /** A folder that scripts can read; undefined without a set. */
  readonly packages: string | undefined;
  /** Removes temporary files. */
  close(): Promise<void>;
}

/**
 * Finds the set as {@link findPackages} does, where scripts can read it, and deletes those that it has replaced.
 *
 * Outside of a box, another user than root cannot enter a folder of root alone, such as the data folder: that user
 * reads a copy.
 */
export async function openPackages(
  { level, isRoot }: Pick<Isolation, 'level' | 'isRoot'>,
  data: string | undefined,
  otherwise?: string,
): Promise<OpenPackages> {
  if (data !== undefined) await removeOldSets(data);
  const packages = await findPackages(data, otherwise);
  if (packages === undefined || level === 'bubblewrap' || !isRoot) {
    return { packages, close: async () => {} };
  }
  const { temporary, dispose } = await openRunFolder(level);
  const copy = join(temporary, 'packages'); // root's own, unlike the folder of a run
  await cp(packages, copy, { recursive: true });
  return { packages: copy, close: async () => void (await dispose()) };
}

/**
 * Deletes the sets of a data folder that a newer one has replaced. A server that starts does, since none uses them. A set
 * that is newer than the current one is about to become it.
 */
async function removeOldSets(data: string): Promise<void> {
  const folder = packagesFolder(data);
  const current = await realPathOf(join(folder, currentSet));
  if (current === undefined) return;
  const { ctimeMs } = await stat(current);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(setPrefix) || name === basename(current)) continue;
    const set = join(folder, name);
    if ((await stat(set)).ctimeMs <= ctimeMs) await rm(set, { recursive: true, force: true });
  }
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
