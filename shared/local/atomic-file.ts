import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './start-error.ts';

/**
 * Makes a file that only the owner can read, whole and on the disk, or not at all.
 *
 * @returns false when there is a file already, which stays
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

async function writeDraft(path: string, text: string): Promise<string> {
  const draft = `${path}.${process.pid}.draft`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
