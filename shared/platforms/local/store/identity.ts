import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { maintain } from '../../../jobs/maintain.ts';
import type { Ids } from '../../../ports/ports.ts';
import type { Store } from '../../../store/store.ts';
import { createItem } from '../../../store/writes.ts';
import { storeIdentityEntity } from '../../../table/entities/deployment.ts';
import { codeOf } from '../../../values/caught.ts';
import type { DataFolder } from '../files/data-folder.ts';
import { StartError } from '../server/start-error.ts';

const advice = 'restore the whole folder from one backup, or name an empty folder';

/** Checks whether a folder has a non-empty store file. */
export async function hasStore(storePath: string): Promise<boolean> {
  try {
    return (await stat(join(storePath, 'data.mdb'))).size > 0;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return false;
  }
}

/**
 * Checks that a folder with data has its store: an empty replacement would look as if all data were deleted.
 *
 * @throws StartError when it is missing
 */
export function checkStoreThere({ path, isNew }: DataFolder, isThere: boolean): void {
  if (isNew || isThere) return;
  throw new StartError(`the store in ${path} is gone, and other files are there: ${advice}`);
}

/**
 * Checks that the store belongs to the folder's other files. A store without id gets a random one.
 *
 * @returns the id of the store
 * @throws StartError when it is another store
 */
export async function identifyStore(
  { path, store: expected }: DataFolder,
  { store, ids }: { readonly store: Store; readonly ids: Ids },
): Promise<string> {
  const key = storeIdentityEntity.key();
  const found = (await storeIdentityEntity.read(store))?.data.id;
  if (expected !== undefined && found !== expected) {
    throw new StartError(
      `the store in ${path} is not the one that the other files there belong to: ${advice}`,
    );
  }
  if (found !== undefined) return found;
  const id = ids.random();
  await maintain({ store, ids }, [createItem(storeIdentityEntity, key, { id })]);
  return id;
}
