import { builtInChannels } from '../../shared/channels/built-in-channels.ts';
import { builtInChannel, channelOfPath } from '../../shared/channels/channel-record.ts';
import { maySubscribe } from '../../shared/channels/rules/channel-rights.ts';
import {
  allRights,
  type Context,
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  type LoadedOf,
  listRoutes,
  prefixParameters,
  recordAt,
} from '../../shared/core/family.ts';
import { readPartlyWritten } from '../../shared/core/resource/named-records.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import type { ChannelData } from '../../shared/table/records/channels.ts';
import { forbidden } from '../../shared/values/errors/errors.ts';
import { channelFields } from './fields.ts';
import { grants } from './grants.ts';
import { historyRoutes } from './history.ts';
import { jobs } from './jobs.ts';
import { channelsPath } from './paths.ts';
import { publishRoute } from './publish.ts';
import {
  type ChannelView,
  channelKind,
  createChannel,
  removeChannel,
  updateChannel,
} from './write.ts';

/** Built-in channels were created with the instance. */
const loads = { owning: recordAt(instanceEntity, ['instance']) };

const resource: ListOf<ChannelData, ChannelView, typeof channelFields, LoadedOf<typeof loads>> = {
  name: 'Channel',
  path: channelsPath,
  item: 'channel',
  access: {
    owner: allRights,
    full: allRights,
    write: allRights,
    read: 'LG',
    ignoreAcl: allRights,
    user: 'LG', // those that the user may subscribe to
    allowAnonymousRead: 'LG',
  },
  fields: channelFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    {
      name: 'group',
      type: 'detail',
      to: ({ data }, base) => (data.group === null ? undefined : `${base}/groups/${data.group}/`),
    },
    { name: 'poll', type: 'poll', to: 'poll/' },
    { name: 'publish', type: 'publish', to: 'publish/' },
    { name: 'history', type: 'list', to: 'history/' },
  ],
  parameters: prefixParameters('name'),
  record: channelOfPath,
  loads,
  unwritten: (context) => builtIn(context, context.params.channel ?? ''),
  counter: idsFrom('channel'),
  authorizeItem: ({ actor }, { data }) => {
    if (!maySubscribe(actor, data)) throw forbidden('channel_denies');
  },
  readItems: (context, range) =>
    readPartlyWritten(context, channelKind, {
      range,
      unwritten: builtInChannels.flatMap(({ name }) => builtIn(context, name) ?? []),
      isShown: (data) => maySubscribe(context.actor, data),
    }),
  view: (_, items) => Promise.resolve(items),
  segment: ({ data }) => data.name,
  create: createChannel,
  update: updateChannel,
  remove: removeChannel,
};

/** Returns a built-in channel as it is before its first change. */
function builtIn(context: Context<LoadedOf<typeof loads>>, name: string) {
  return builtInChannel(instanceOf(context), name, context.loaded.owning?.data.created_at);
}

/** Channels, and their messages, except those that clients wait for. */
export const channels: Family = {
  name: 'channels',
  grants,
  jobs,
  places: {
    '/instances/{instance}/channels/': '/i/{instance}/channels',
    '/instances/{instance}/channels/{channel}/': '/i/{instance}/channels/{channel}',
  },
  routes: [...listRoutes(resource), publishRoute, ...historyRoutes],
};
