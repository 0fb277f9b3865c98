import type { Entity } from '../store/entity.ts';
import type { Put, Store } from '../store/store.ts';
import { createOrUpdate, updateItem } from '../store/writes.ts';
import { countExceeded } from '../values/errors/errors.ts';
import type { RecordIdsData } from './records/records.ts';

/* The ids of an instance's records of a kind are in one item, which enforces the limit on their number. */

type IdsEntity = Entity<RecordIdsData, [instance: number], never, [instance: number]>;

/** A kind of record with a limit. */
export interface Limited {
  readonly entity: IdsEntity;
  /** Name of the record in the error. */
  readonly name: string;
  readonly max: number;
}

/**
 * Returns the write that counts a new record.
 *
 * @throws ApiError 400 when the instance has no room for it
 */
export async function addId(
  store: Pick<Store, 'get'>,
  { entity, name, max }: Limited,
  { instance, id }: { readonly instance: number; readonly id: number },
): Promise<Put> {
  const current = await entity.read(store, instance);
  const ids = current?.data.ids ?? [];
  if (ids.length >= max) throw countExceeded(name, max);
  return createOrUpdate(entity, { key: entity.key(instance), current }, { ids: [...ids, id] });
}

/** Returns the write that counts a record no longer, if it was counted. */
export async function removeId(
  store: Pick<Store, 'get'>,
  { entity }: Limited,
  { instance, id }: { readonly instance: number; readonly id: number },
): Promise<readonly Put[]> {
  const current = await entity.read(store, instance);
  if (current === undefined) return [];
  return [updateItem(current, { ids: current.data.ids.filter((other) => other !== id) })];
}
