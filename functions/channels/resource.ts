import { builtInChannels } from '../../shared/channels/built-in-channels.ts';
import { builtInChannel, channelOfPath } from '../../shared/channels/channel-record.ts';
import { maySubscribe } from '../../shared/channels/rules/channel-rights.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import type { ListOf } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { type LoadedOf, recordAt } from '../../shared/core/resource/loads/loads.ts';
import { readNamedRows } from '../../shared/core/resource/named-records.ts';
import { cut, gather, type Row, rowsIn } from '../../shared/core/resource/page.ts';
import { idsFrom, instanceOf } from '../../shared/core/resource/place.ts';
import { prefixParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Context, Family } from '../../shared/core/resource/route.ts';
import { channelEntity, instanceEntity } from '../../shared/store/entities.ts';
import type { ChannelData } from '../../shared/store/records/channels.ts';
import { allRights } from '../../shared/values/access.ts';
import { forbidden } from '../../shared/values/errors/errors.ts';
import type { RowRange } from '../../shared/values/paging.ts';
import { channelFields } from './fields.ts';
import { grants } from './grants.ts';
import { historyRoutes } from './history.ts';
import { jobs } from './jobs.ts';
import { path } from './paths.ts';
import { publishRoute } from './publish.ts';
import { type ChannelView, createChannel, kind, removeChannel, updateChannel } from './write.ts';

/** Built-in channels were created with the instance. */
const loads = { owning: recordAt(instanceEntity, ['instance']) };

const resource: ListOf<ChannelData, ChannelView, typeof channelFields, LoadedOf<typeof loads>> = {
  name: 'Channel',
  path,
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
    { name: 'history', type: 'history', to: 'history/' },
  ],
  parameters: prefixParameters('name'),
  record: channelOfPath,
  loads,
  unwritten: (context) =>
    builtInChannel(
      instanceOf(context),
      context.params.channel ?? '',
      context.loaded.owning?.data.created_at,
    ),
  counter: idsFrom('channel'),
  authorizeItem: ({ actor }, { data }) => {
    if (!maySubscribe(actor, data)) throw forbidden('channel_denies');
  },
  rows: async (context, range) => {
    const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
    const isKept = ({ item: { data } }: Row<ChannelData>) =>
      data.name.startsWith(prefix) && maySubscribe(context.actor, data);
    const [written, unwritten] = await Promise.all([
      gather(range, (part) => readNamedRows(context, kind, part), isKept),
      unwrittenRows(context, range),
    ]);
    const rows = cut([...rowsIn(written), ...unwritten.filter(isKept)], range);
    return 'isUndecided' in written && rows.length < range.limit
      ? { rows, isUndecided: true }
      : rows;
  },
  view: (_, items) => Promise.resolve(items),
  segment: ({ data }) => data.name,
  create: createChannel,
  update: updateChannel,
  remove: removeChannel,
};

/** Returns built-in channels of a range that were never changed. */
async function unwrittenRows(
  context: Context<LoadedOf<typeof loads>>,
  range: RowRange,
): Promise<readonly Row<ChannelData>[]> {
  const wanted = builtInChannels.filter(
    ({ row }) => row > (range.above ?? -1) && row < (range.below ?? Number.POSITIVE_INFINITY),
  );
  const instance = instanceOf(context);
  const stored = await channelEntity.readAll(
    context.platform.store,
    wanted.map(({ name }) => [instance, name]),
  );
  const createdAt = context.loaded.owning?.data.created_at;
  return wanted.flatMap(({ name, row }, at) => {
    const item = stored[at] === undefined ? builtInChannel(instance, name, createdAt) : undefined;
    return item === undefined ? [] : [{ pk: row, item }];
  });
}

/** Channels, and their messages, except those that clients wait for. */
export const channels: Family = {
  name: 'channels',
  grants,
  jobs,
  routes: [...listRoutes(resource), publishRoute, ...historyRoutes],
};
