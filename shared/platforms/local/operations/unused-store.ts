import type { Secrets } from '../../../ports/ports.ts';
import type { Store } from '../../../store/store.ts';
import { dataVersion } from '../../../table/data-version.ts';
import { dataVersionEntity } from '../../../table/entities/deployment.ts';
import { openDataFolder } from '../files/data-folder.ts';
import { openSecrets } from '../secrets.ts';
import { StartError } from '../server/start-error.ts';
import { openStore } from '../store/store.ts';

/** The parts of a data folder that commands for operators write. */
export interface UnusedStore {
  readonly store: Store;
  readonly secrets: Secrets;
}

/**
 * Opens a data folder that no server uses, for a command. No consumer of the change feed runs: none may watch what the
 * command writes.
 *
 * @throws StartError when the folder cannot be used, or its data are of a newer version
 */
export async function inUnusedStore(
  folder: string,
  use: (unused: UnusedStore) => Promise<void>,
): Promise<void> {
  const locked = await openDataFolder(folder);
  try {
    const now = Date.now;
    const secrets = await openSecrets(locked.path, { isNew: false, nowMs: now });
    await locked.raiseFormat();
    const store = await openStore({ path: `${locked.path}/store`, now });
    try {
      const version = (await dataVersionEntity.read(store))?.data.version ?? dataVersion;
      if (version > dataVersion) {
        throw new StartError(`the data in ${folder} is of a newer version`);
      }
      await use({ store, secrets });
    } finally {
      await store.close();
    }
  } finally {
    await locked.release();
  }
}
