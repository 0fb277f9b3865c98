import { readFolderFiles } from '../../shared/platforms/local/files/read-files.ts';
import { openStoreReader } from '../../shared/platforms/local/store/read-only.ts';
import type { StoredFiles } from './missing-files.ts';

/** Opens the records and files of a data folder, also while a server uses it. */
export async function openFolderFiles(
  folder: string,
): Promise<StoredFiles & { close(): Promise<void> }> {
  const store = await openStoreReader(folder);
  return {
    store,
    ...readFolderFiles(folder),
    walk: (kinds, take) => store.walk(kinds, { take, progress: () => undefined }),
    close: () => store.close(),
  };
}
