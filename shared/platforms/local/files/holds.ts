import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';

/*
 * A process that copies a data folder while its server runs takes a hold: a small file beside the files. Until its end
 * the server deletes no file that data may refer to.
 */

/** A hold ends by itself after this time, in case its process was killed. */
const maxHoldMs = 600_000;
const prefix = 'hold.';

/** Takes a hold on a folder of files, and returns the function that ends it. */
export async function holdFiles(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, prefix + process.pid);
  try {
    await writeFile(path, '', { mode: 0o600 });
  } catch (error) {
    // no server deletes files where there are none, or where nothing can be written
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EROFS') throw error;
    return async () => undefined;
  }
  return () => rm(path, { force: true });
}

/** Checks whether a process has a hold on a folder of files. Deletes holds of processes that were killed. */
export async function isHeld(folder: string): Promise<boolean> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  const held = await Promise.all(names.map((name) => isCurrent(join(folder, name))));
  return held.includes(true);
}

async function isCurrent(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs < maxHoldMs) return true;
    await rm(path, { force: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return false;
}
