import type { Store } from '../store/store.ts';
import { dataVersionEntity } from './entities/deployment.ts';

/**
 * Version of the items in the store that this release writes. It rises by one with a migration, before code may rely on
 * every item having a new form (docs/internals/table.md#data-version).
 */
export const dataVersion = 1;

/** The version of a store with data and without a number: of a release before there was one. */
export const firstDataVersion = 1;

/** The data are of a version that this release does not know. */
export class NewerData extends Error {
  constructor(found: number, known: number) {
    super(`data version ${found}, this program knows up to ${known}`);
    this.name = 'NewerData';
  }
}

/**
 * Checks the version of the data.
 *
 * @throws NewerData when it is greater than `known`
 */
export async function checkDataVersion(store: Pick<Store, 'get'>, known: number): Promise<void> {
  const found = (await dataVersionEntity.read(store))?.data.version ?? firstDataVersion;
  if (found > known) throw new NewerData(found, known);
}
