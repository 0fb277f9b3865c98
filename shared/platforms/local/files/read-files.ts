import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStore } from '../../../ports/file-store.ts';
import { checkOwned, type FileKey } from '../../../values/file-keys.ts';

/** Reads the files of a data folder that a server may use, and changes nothing. */
export function readFolderFiles(
  folder: string,
): { has(key: FileKey): boolean } & { readonly files: Pick<FileStore, 'get' | 'size'> } {
  const pathOf = (key: FileKey) => join(folder, 'files', 'content', key);
  const sizeOf = (key: FileKey) => {
    const found = lstatSync(pathOf(key), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : undefined;
  };
  return {
    has: (key) => sizeOf(key) !== undefined,
    files: {
      get: async (owner, key) => {
        checkOwned(owner, key);
        if (sizeOf(key) === undefined) return undefined;
        return { bytes: await readFile(pathOf(key)), contentType: '' };
      },
      size: async (owner, key) => {
        checkOwned(owner, key);
        return sizeOf(key);
      },
    },
  };
}
