import type { Family } from '../../shared/core/family.ts';
import { grants } from './grants.ts';
import { pollRoute } from './poll.ts';
import { streamRoute } from './stream.ts';

/** Requests that wait for messages of channels. On AWS their function is small, as it is paid for while it waits. */
export const channelPolls: Family = {
  name: 'channel-polls',
  grants,
  places: {
    '/instances/{instance}/channels/': '/i/{instance}/channels',
    '/instances/{instance}/channels/{channel}/': '/i/{instance}/channels/{channel}',
  },
  routes: [pollRoute, streamRoute],
};
