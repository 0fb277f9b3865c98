import { rewriteObjects } from '../classes/rewrite-objects.ts';
import { afterCalls, type JobType } from '../jobs/jobs.ts';
import { classEntity } from '../store/entities.ts';

/** Deleted channel, by its number. */
export type DeletedChannel = { readonly instance: number; readonly channel: number };

type Progress = DeletedChannel & {
  /** Sort key of the class whose objects are next. */
  readonly at?: string;
  /** Sort key of the last object that was read. */
  readonly last?: string;
};

/**
 * Removes a deleted channel from its objects (docs/reference/channels.md#deleting). Its messages expire. It starts after
 * the end of all requests that may have read the channel.
 */
export const clearChannel: JobType = {
  name: 'clear-channel',
  step: afterCalls<Progress>(async (context, task) => {
    const { instance, channel, at = '', last } = task;
    const classes = await classEntity.listAll(context.store, [instance]);
    const next = classes.find(({ key }) => key.sk >= at);
    if (next === undefined) return 'done';
    const reached = await rewriteObjects(context, {
      instance,
      class: next,
      after: last,
      change: (data) =>
        data.channelNumber === channel
          ? { ...data, channel: null, channel_room: null, channelNumber: null }
          : undefined,
    });
    const { sk } = next.key;
    const place =
      reached === undefined ? { at: `${sk}\u0000`, last: '' } : { at: sk, last: reached };
    return { task: { ...task, ...place } };
  }),
};
