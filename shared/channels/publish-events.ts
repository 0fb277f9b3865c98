import type { ChangeConsumer } from '../jobs/change-feed.ts';
import { deleteItem } from '../store/writes.ts';
import { channelEventEntity } from '../table/entities/channels.ts';
import { allSettled } from '../values/promises/all-settled.ts';

/**
 * Publishes the messages of changed objects (docs/reference/channels.md#objects). A message and the deletion of its
 * event are one transaction, so a repeated event makes no second message.
 */
export const publishEvents: ChangeConsumer = {
  name: 'channel-events',
  watches: [{ kind: channelEventEntity.kind, actions: ['create'] }],
  needsShardOrder: true, // each change of an object is an item of its own
  consume: async (changes, { messages }) => {
    const events = changes
      .map(({ after }) => after)
      .filter((item) => item !== undefined)
      .filter(channelEventEntity.matches);
    await allSettled(
      events.map((event) => {
        const { place: reference, ...draft } = event.data;
        return messages.publish(reference, { ...draft, writes: [deleteItem(event)] });
      }),
    );
  },
};
