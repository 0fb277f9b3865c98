import { join } from 'node:path';
import { dataVersion } from '../../../store/data-version.ts';
import { dataVersionEntity } from '../../../store/entities.ts';
import { openDataFolder } from '../files/data-folder.ts';
import { StartError } from '../server/start-error.ts';
import { openStore } from '../store/store.ts';

/** A data folder that no server uses. */
export interface UnusedFolder {
  readonly path: string;
  readonly store: Awaited<ReturnType<typeof openStore>>;
}

/**
 * Opens the store of a data folder that no server uses, for changes that no consumer of the feed watches.
 *
 * @throws StartError when a server uses it, or its data are of a newer version
 */
export async function withUnusedFolder(
  folder: string,
  use: (unused: UnusedFolder) => Promise<void>,
): Promise<void> {
  const locked = await openDataFolder(folder);
  try {
    const store = await openStore({ path: join(locked.path, 'store'), now: Date.now });
    try {
      const version = (await dataVersionEntity.read(store))?.data.version ?? dataVersion;
      if (version > dataVersion)
        throw new StartError(`the data in ${folder} is of a newer version`);
      await use({ path: locked.path, store });
    } finally {
      await store.close();
    }
  } finally {
    await locked.release();
  }
}
