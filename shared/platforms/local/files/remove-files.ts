import { lstat, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';
import type { FileKey } from '../../../values/file-keys.ts';

/** The folders of each file: its content first, so that no file is ever without type. */
const parts = ['content', 'types'] as const;

/** Deletes a file if it exists. Never a folder, and nothing behind a symbolic link. */
export async function removeFile(folder: string, key: FileKey): Promise<void> {
  for (const part of parts) {
    const path = join(folder, part, key);
    if (await isBelow(join(folder, part), key)) await unlink(path).catch(unlessMissing);
  }
}

/**
 * Deletes a folder of an owner with its files, if it exists. Symbolic links are deleted and not followed.
 *
 * @param prefix of the keys of its files, with its last slash
 */
export async function removeFolder(folder: string, prefix: string): Promise<void> {
  const below = prefix.slice(0, -1);
  for (const part of parts) {
    if (!(await isBelow(join(folder, part), below))) continue;
    await rm(join(folder, part, below), { recursive: true, force: true });
  }
}

/**
 * Checks whether the folders between `top` and what is below it exist.
 *
 * @throws Error when one of them is a symbolic link: then it leads elsewhere
 */
async function isBelow(top: string, below: string): Promise<boolean> {
  let path = top;
  for (const name of below.split('/').slice(0, -1)) {
    path = join(path, name);
    const found = await lstat(path).catch(unlessMissing);
    if (found === undefined) return false;
    if (!found.isDirectory()) throw new Error('a folder of files is a link');
  }
  return true;
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
