import type { JobType } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { deleteIfExists } from '../store/writes.ts';
import { messageEntity, messageRoomEntity } from '../table/entities/channels.ts';
import { roomKey } from './room-reference.ts';

/** A room, and the id of the newest message to delete. */
type TrimTask = {
  readonly instance: number;
  readonly channel: number;
  readonly room: string;
  readonly upTo: number;
};

const stepSize = 50; // with the records of their rooms at most a hundred items

/** Deletes messages that newer ones have displaced (docs/reference/channels.md#history). */
export const trimRoom: JobType = {
  name: 'trim-room',
  step: async (context, stored) => {
    const task = stored as TrimTask; // as stored
    const key = roomKey(task);
    const upper = { key: messageEntity.key(...key, task.upTo).sk, inclusive: true };
    const part = { upper, limit: stepSize };
    const { items, last } = await messageEntity.list(context.store, key, part);
    const writes = items.flatMap((item) => [
      deleteIfExists(item.key),
      deleteIfExists(messageRoomEntity.key(task.instance, task.channel, item.data.id)),
    ]);
    if (writes.length > 0) await maintain(context, writes);
    return last === undefined ? 'done' : { task };
  },
};
