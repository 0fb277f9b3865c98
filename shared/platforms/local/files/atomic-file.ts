import { chown, link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';

/**
 * Creates a file for its owner only: complete and on the disk, or not at all.
 *
 * @returns false when the file exists already; it stays unchanged
 */
export async function createFile(path: string, text: string): Promise<boolean> {
  const draft = await writeDraft(path, text);
  try {
    await link(draft, path); // unlike rename it never replaces
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/**
 * Replaces a file by one that only its owner can read. The owner stays the same: an administrator may work on the files
 * of a service. After a crash, exactly one of both exists.
 */
export async function replaceFile(path: string, contents: string | Uint8Array): Promise<void> {
  const draft = await writeDraft(path, contents);
  if (process.getuid?.() === 0) {
    const { uid, gid } = await ownerOf(path);
    await chown(draft, uid, gid);
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

async function ownerOf(path: string): Promise<{ readonly uid: number; readonly gid: number }> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return stat(dirname(path));
  }
}

async function writeDraft(path: string, contents: string | Uint8Array): Promise<string> {
  const draft = `${path}.${process.pid}.draft`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Creates a folder and its parents, readable by the owner only; `durable`: so that they survive a power failure. */
export async function makeFolders(path: string, durable: boolean): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined || !durable) return;
  for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
}

/** Flushes the list of a folder's files to the disk. */
export function syncFolder(path: string): Promise<void> {
  return flush(path);
}

/** Flushes a folder with all that it contains to the disk. */
export async function syncTree(path: string): Promise<void> {
  for await (const entry of await opendir(path, { bufferSize: 1024 })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) await syncTree(inside);
    else if (entry.isFile()) await flush(inside); // no socket
  }
  await syncFolder(path);
}

async function flush(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
