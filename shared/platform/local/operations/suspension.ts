import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  changeSuspension,
  type SuspendedInstance,
  type SuspensionChange,
  suspensionIn,
  suspensionKinds,
} from '../../../instances/suspension.ts';
import { openIds } from '../../ids.ts';
import { askServer } from '../control.ts';
import { StartError } from '../server/start-error.ts';
import { openStoreReader } from '../store/read-only.ts';
import { withUnusedFolder } from './unused-folder.ts';

/**
 * Suspends an instance of a data folder, or ends that, also while a server uses the folder.
 *
 * @throws StartError when the folder cannot be used; Error when there is no such instance, or it is not suspended
 */
export async function changeFolderSuspension(
  folder: string,
  suspension: SuspensionChange,
): Promise<void> {
  requireData(folder);
  try {
    await askServer(folder, { suspension });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    await withUnusedFolder(folder, ({ store }) =>
      changeSuspension({ store, ids: openIds() }, suspension, Date.now()),
    );
  }
}

/** Lists the suspended instances of a data folder, also while a server uses it. */
export async function listFolderSuspensions(folder: string): Promise<readonly SuspendedInstance[]> {
  requireData(folder);
  const store = await openStoreReader(folder);
  const found: SuspendedInstance[] = [];
  const take = (item: Parameters<typeof suspensionIn>[0]) => {
    const one = suspensionIn(item);
    if (one !== undefined) found.push(one);
  };
  try {
    await store.walk(suspensionKinds, { take, progress: () => undefined });
  } finally {
    await store.close();
  }
  return found;
}

function requireData(folder: string): void {
  if (!existsSync(join(folder, 'format.json'))) throw new StartError(`${folder} holds no data`);
}
