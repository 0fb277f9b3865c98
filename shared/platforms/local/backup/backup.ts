import { existsSync } from 'node:fs';
import { copyFile, mkdir, opendir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Stored } from '../../../store/store.ts';
import { fileNamedBy, kindsWithFiles } from '../../../table/kinds.ts';
import { codeOf } from '../../../values/caught.ts';
import { syncFolder, syncTree } from '../files/atomic-file.ts';
import { holdFiles } from '../files/holds.ts';
import { StartError } from '../server/start-error.ts';
import { openStoreReader } from '../store/read-only.ts';
import { linkFiles } from './link-files.ts';

/** Contents of a backup. */
export interface BackupSize {
  readonly items: number;
  readonly files: number;
}

const maxSnapshots = 3; // until no file of one was deleted with a script or an instance meanwhile

/** Files of a data folder besides the store and the files of objects, in the order in which they are copied. */
const ownFiles = ['secrets.json', 'format.json'];

/**
 * Makes a backup of a data folder, also while a server uses it: the store as it is at one moment, the files that it
 * refers to, and the secrets. Files are linked where both folders are on one disk, since their contents never change.
 *
 * @param target a folder that does not exist; it appears when the backup is complete and on the disk
 * @throws StartError when there is no data, or the target exists
 */
export async function backUp(folder: string, target: string): Promise<BackupSize> {
  const path = resolve(target);
  if (existsSync(path)) throw new StartError(`${target} exists: name a new folder`);
  if (!existsSync(join(folder, 'format.json'))) throw new StartError(`${folder} holds no data`);
  await checkOutside(join(folder, 'files'), path);
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.part`;
  await mkdir(draft, { mode: 0o700 });
  try {
    const size = await copyData(folder, draft);
    for (const name of ownFiles) await copyFile(join(folder, name), join(draft, name));
    await syncTree(draft);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return size;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Checks that a target is neither a folder of data nor in it: a backup would contain itself, or be deleted as a draft.
 *
 * @throws StartError otherwise
 */
export async function checkOutside(folder: string, target: string): Promise<void> {
  const [data, path] = [await realPath(resolve(folder)), await realPath(resolve(target))];
  if (!`${path}${sep}`.startsWith(`${data}${sep}`)) return;
  throw new StartError(`a backup of ${folder} cannot be in it: name another folder than ${target}`);
}

/** Returns the real path of a file that may be absent, by the nearest folder above it that exists. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

/** Copies files and store, until the store refers to no file that is missing. */
async function copyData(folder: string, draft: string): Promise<BackupSize> {
  const [from, to] = [join(folder, 'files'), join(draft, 'files')];
  await mkdir(to, { mode: 0o700 });
  await linkFiles(from, to); // most are there before the snapshot, so that deletions are held for a short time
  for (let snapshots = 1; ; snapshots += 1) {
    const release = await holdFiles(from);
    try {
      await snapshot(folder, join(draft, 'store'));
      await linkFiles(from, to);
    } finally {
      await release();
    }
    const { missing, ...size } = await checkBackup(draft);
    if (missing === undefined) return size;
    if (snapshots === maxSnapshots) throw new Error(`the file ${missing} is missing in ${folder}`);
  }
}

/** Writes the store as it is now, without its free space. */
async function snapshot(folder: string, store: string): Promise<void> {
  await rm(store, { recursive: true, force: true });
  const reader = await openStoreReader(folder);
  try {
    await mkdir(store, { mode: 0o700 });
    await reader.snapshot(store);
  } finally {
    await reader.close();
  }
}

/** Counts the contents of a backup, and returns a file that an item refers to and that is missing, if any. */
export async function checkBackup(
  draft: string,
): Promise<BackupSize & { readonly missing: string | undefined }> {
  const reader = await openStoreReader(draft);
  let items = 0;
  let missing: string | undefined;
  const take = (item: Stored) => {
    const key = fileNamedBy(item);
    if (key !== undefined && !existsSync(join(draft, 'files', 'content', key))) missing = key;
  };
  const progress = (read: number) => {
    items = read;
  };
  await reader.walk(kindsWithFiles, { take, progress }).finally(() => reader.close());
  return { items, files: await count(join(draft, 'files', 'content')), missing };
}

async function count(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0;
  let files = 0;
  for await (const entry of await opendir(folder, { bufferSize: 1024 })) {
    if (entry.isDirectory()) files += await count(join(folder, entry.name));
    else if (entry.isFile()) files += 1;
  }
  return files;
}
