import type { Dirent } from 'node:fs';
import { copyFile, link, mkdir, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';

/** Folders of files, the types first: no file is ever without type. */
const areas = ['types', 'content'];

/**
 * Adds the files of one folder to another: as links, or as copies where the disk is another one. Files that are there
 * are kept; files that are deleted meanwhile are left out, and so are smaller pictures, which are made again.
 */
export async function linkFiles(from: string, to: string): Promise<void> {
  for (const area of areas) await linkFolder(join(from, area), join(to, area), 'thumbs');
}

async function linkFolder(from: string, to: string, leftOut?: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for await (const entry of entriesOf(from)) {
    if (entry.name === leftOut) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await linkFile(source, target);
  }
}

/** Yields the entries of a folder, which may have millions; none when it is absent. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder, { bufferSize: 1024 });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
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
