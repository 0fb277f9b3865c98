import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncTree } from '../files/atomic-file.ts';
import { openDataFolder, readFormat } from '../files/data-folder.ts';
import { addSecretVersion } from '../secrets.ts';
import { StartError } from '../server/start-error.ts';
import { logFiles } from '../store/log/log.ts';
import { linkFiles } from './link-files.ts';

/**
 * Restores a backup into a data folder, and adds a version to its master secret: ids that were given since the backup
 * are given again, to others, and new keys must differ from those (docs/guides/restoring.md).
 *
 * @param folder absent or empty
 * @returns the number of the version, which new keys use
 * @throws StartError when the backup is not complete or of a newer version, or the folder holds something or is in use
 */
export async function restoreDataFolder(backup: string, folder: string): Promise<number> {
  if ((await readFormat(backup)) === undefined) {
    throw new StartError(`${backup} is not a complete backup`);
  }
  await checkEmpty(folder);
  const locked = await openDataFolder(folder);
  try {
    await linkFiles(join(backup, 'files'), join(folder, 'files'));
    await mkdir(join(folder, 'store'), { mode: 0o700 });
    const restore = (name: string) => copyFile(join(backup, name), join(folder, name));
    // the store last: what is interrupted before has no data that could be used with the old keys
    await restore('secrets.json');
    const version = await addSecretVersion(folder);
    await restore('format.json');
    await syncTree(folder);
    for (const name of logFiles) {
      if (existsSync(join(backup, 'store', name))) await restore(`store/${name}`);
    }
    await restore('store/data.mdb');
    await syncTree(join(folder, 'store'));
    return version;
  } finally {
    await locked.release();
  }
}

/**
 * Checks that a data folder can be restored into.
 *
 * @throws StartError when it holds something
 */
export async function checkEmpty(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const [name] = await readdir(folder);
  if (name !== undefined) {
    throw new StartError(`${folder} is not empty (${name}): move it away, or name another folder`);
  }
}
