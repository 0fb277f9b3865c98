import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  changeSuspension,
  listSuspensions,
  type Suspension,
  type SuspensionRequest,
} from '../../../instances/suspension.ts';
import { openClock } from '../../../ports/clock.ts';
import { openIds } from '../../../ports/ids.ts';
import { askServer } from '../control.ts';
import { StartError } from '../server/start-error.ts';
import { openStoreReader } from '../store/read-only.ts';
import { inUnusedStore } from './unused-store.ts';

/**
 * Suspends or resumes an instance of a data folder, also while a server uses the folder: its next request knows of it.
 *
 * @throws StartError when the folder cannot be used; Error as {@link changeSuspension} does
 */
export async function changeFolderSuspension(
  folder: string,
  request: SuspensionRequest,
): Promise<void> {
  if (!existsSync(join(folder, 'format.json'))) throw new StartError(`${folder} holds no data`);
  try {
    await askServer(folder, { suspension: request });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // no server uses it
    await inUnusedStore(folder, ({ store }) =>
      changeSuspension({ store, ids: openIds(), clock: openClock() }, request),
    );
  }
}

/** Lists the suspended instances of a data folder, also while a server uses the folder. */
export async function listFolderSuspensions(folder: string): Promise<readonly Suspension[]> {
  const store = await openStoreReader(folder);
  return listSuspensions(store).finally(() => store.close());
}
