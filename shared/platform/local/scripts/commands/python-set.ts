import { readdir, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf } from '../../../../values/caught.ts';

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
export async function findPackages(
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

/** Deletes the sets of a data folder that a newer one has replaced. Only a server that starts may call this. */
export async function removeOldSets(data: string): Promise<void> {
  const folder = packagesFolder(data);
  const current = await realPathOf(join(folder, currentSet));
  if (current === undefined) return;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(setPrefix) || name === basename(current)) continue;
    await rm(join(folder, name), { recursive: true, force: true });
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
