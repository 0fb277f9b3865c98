import type { Key } from '../store/store.ts';
import type { InstanceData, InstanceNameData } from './records/records.ts';

/** Returns the data id that the record of an instance has. */
export function dataOfInstance({ id, data }: Pick<InstanceData, 'id' | 'data'>): number {
  return data ?? id;
}

/** Returns the data id that the record of a name has. */
export function dataOfName(found: InstanceNameData | undefined): number | undefined {
  return found?.data ?? found?.instance;
}

/** Returns the data id to whose partitions a key belongs; undefined outside instances. */
export function contentsOf(key: Key): number | undefined {
  return key.pk.startsWith('INSTANCE#') ? instanceIn(key) : undefined;
}

/** Returns the data id to whose partitions a key of an instance belongs. */
export function instanceIn({ pk }: Key): number {
  return Number(pk.split('#')[1]);
}
