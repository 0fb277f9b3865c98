import type { ListItem } from '../core/resource/page.ts';
import type { Stored } from '../store/store.ts';
import { messageEntity } from '../table/entities/channels.ts';
import type { MessageData } from '../table/records/channels.ts';
import type { ItemRange } from '../values/paging.ts';
import { type RoomServices, readEnd, readUntil } from './read-room.ts';
import { roomKey, roomLimits } from './room-reference.ts';
import { isKept, type RoomReference } from './rules/room-log.ts';

/**
 * Reads kept messages of a range of ids, in the order of reading. A message whose previous one is not visible yet is
 * read again, so that a client that continues after the last one misses none.
 */
export async function readHistory(
  services: RoomServices,
  reference: RoomReference,
  range: ItemRange,
): Promise<readonly ListItem<MessageData>[]> {
  const items = await readUntil(
    () => readKept(services, reference, range),
    (found) => isComplete(found, range),
  );
  return items.map((item) => ({ pk: item.data.id, item }));
}

async function readKept(
  { store }: RoomServices,
  reference: RoomReference,
  { above = 0, below, descending, limit }: ItemRange,
): Promise<readonly Stored<MessageData>[]> {
  const end = await readEnd({ store }, reference);
  if (end === undefined) return [];
  const key = roomKey(reference);
  const edge = (id: number) => ({ key: messageEntity.key(...key, id).sk, inclusive: false });
  const limits = roomLimits(reference);
  const { items } = await messageEntity.list(store, key, {
    lower: edge(Math.max(above, end.trimmed)),
    upper: edge(below ?? end.last + 1), // later ones may be visible in part
    descending,
    limit: limit + (descending ? 0 : limits.step), // older ones that are not kept may come first
  });
  return items.filter(({ data }) => isKept(data, end, limits)).slice(0, limit);
}

/** Checks that no message between two others is missing. */
function isComplete(items: readonly Stored<MessageData>[], { descending }: ItemRange): boolean {
  const ascending = descending ? items.toReversed() : items;
  return ascending.every(({ data }, at) => {
    const before = ascending[at - 1];
    return before === undefined || data.previous === before.data.id;
  });
}
