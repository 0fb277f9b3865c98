import { type RewriteProgress, rewriteSome } from '../classes/rewrite-objects.ts';
import { afterRequests, type JobType } from '../jobs/jobs.ts';

/** Deleted channel, by its number. */
export type DeletedChannel = { readonly instance: number; readonly channel: number };

/**
 * Removes a deleted channel from its objects (docs/reference/channels.md#deleting). Its messages expire. It starts after
 * the end of all requests that may have read the channel.
 */
export const clearChannel: JobType = {
  name: 'clear-channel',
  step: afterRequests<DeletedChannel & RewriteProgress>(async (context, task) => {
    const { instance, channel } = task;
    const progress = await rewriteSome(context, {
      instance,
      progress: task,
      change: (data) =>
        data.channelNumber === channel
          ? { ...data, channel: null, channel_room: null, channelNumber: null }
          : undefined,
    });
    return progress === undefined ? 'done' : { task: { ...task, ...progress } };
  }),
};
