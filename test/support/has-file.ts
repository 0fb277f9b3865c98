import type { FileStore } from '../../shared/ports/file-store.ts';
import { type OwnedKey, ownerOfFile, readFileKey } from '../../shared/values/file-keys.ts';

/** Checks whether a file exists. */
export async function hasFile(files: Pick<FileStore, 'size'>, text: string): Promise<boolean> {
  const { owner, key } = ownedKey(text);
  return (await files.size(owner, key)) !== undefined;
}

/** Reads a key for its own owner. */
export function ownedKey(text: string): OwnedKey {
  const key = readFileKey(text);
  if (key === undefined) throw new Error(`${text} is not a file key`);
  return { owner: ownerOfFile(key), key };
}
