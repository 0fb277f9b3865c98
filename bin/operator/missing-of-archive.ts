import { type ArchivedItem, readChunk, readManifest } from '../../shared/backups/archive.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import { fileNamedBy } from '../../shared/table/kinds.ts';
import {
  archivedFileKey,
  chunkKey,
  type FileFolder,
  type FileKey,
  manifestKey,
  readFileKey,
} from '../../shared/values/file-keys.ts';

/** Files of a deployment or a data folder, to be read only. */
export interface ReadFiles {
  /** Checks whether a file existed at the start. */
  has(key: FileKey): boolean;
  readonly files: Pick<FileStore, 'get' | 'size'>;
}

/** Returns the keys of what an archive lacks: its manifest, chunks of items, or copies of files. */
export async function missingOfArchive(
  { files, has }: ReadFiles,
  archive: FileFolder,
): Promise<readonly FileKey[]> {
  const manifest = await readManifest(files, archive);
  if (manifest === undefined) return [manifestKey(archive)];
  const missing: FileKey[] = [];
  for (let chunk = 0; chunk < manifest.chunks; chunk += 1) {
    const items = await readChunk(files, archive, chunk);
    if (items === undefined) missing.push(chunkKey(archive, chunk));
    const copies = items?.flatMap((item) => copyOf(archive, item)) ?? [];
    missing.push(...copies.filter((key) => !has(key)));
  }
  return missing;
}

/** Returns the key of the copy of a file that an archived item refers to; empty without one. */
function copyOf(archive: FileFolder, [, sk, kind, data]: ArchivedItem): readonly FileKey[] {
  const key = readFileKey(fileNamedBy({ kind, key: { sk }, data }) ?? '');
  const copy = key && archivedFileKey(archive, key);
  return copy === undefined ? [] : [copy];
}
