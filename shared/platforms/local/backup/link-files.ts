import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';

/** Folders of files, the types first: no file is ever without type. */
const areas = ['types', 'content'];

/**
 * Adds the files of one folder to another: as links, or as copies where the disk is another one. Files that are there
 * are kept; files that are deleted meanwhile are left out.
 */
export async function linkFiles(from: string, to: string): Promise<void> {
  for (const area of areas) await linkFolder(join(from, area), join(to, area));
}

async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await entriesOf(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await linkFile(source, target);
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return [];
  }
}

async function linkFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    switch (codeOf(error)) {
      case 'EEXIST':
      case 'ENOENT':
        return;
      case 'EXDEV':
      case 'EPERM':
      case 'EMLINK':
        return copy(source, target);
      default:
        throw error;
    }
  }
}

async function copy(source: string, target: string): Promise<void> {
  try {
    await copyFile(source, target);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
