import { type ChannelContext, channelOf, inChannel } from '../../shared/channels/channel-record.ts';
import { readRoomReference, roomParameters } from '../../shared/channels/channel-room.ts';
import { checkSubscribe, messageAccess } from '../../shared/channels/message-access.ts';
import { readHistory } from '../../shared/channels/read-history.ts';
import { roomKey } from '../../shared/channels/room-reference.ts';
import { messageFields } from '../../shared/channels/show-message.ts';
import { instanceOf, notFound, type Route } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { linkPath } from '../../shared/core/resource/links.ts';
import { loadedOperations } from '../../shared/core/resource/loads/loaded-operations.ts';
import { type PageBody, pageOf, roomyPageBody } from '../../shared/core/resource/page.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import {
  orderingParameters,
  pageParameters,
  projectionParameters,
} from '../../shared/core/resource/query-parameters.ts';
import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import { messageEntity, messageRoomEntity } from '../../shared/table/entities/channels.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { inListOrder, parsePaging, rangeAhead } from '../../shared/values/paging.ts';
import { messageLinks, showWithLinks } from './message-links.ts';
import { channelsPath } from './paths.ts';

const list = `${channelsPath}{channel}/history/`;

const parameters: QueryParameters = {
  ...pageParameters,
  ...orderingParameters,
  ...projectionParameters,
  ...roomParameters,
  last_id: { type: 'integer', description: 'Returns only messages with greater ids.', min: 0 },
};

const shared = {
  description: '',
  resource: 'Channel History',
  noun: 'message',
  instance: 'place',
  lookups: [],
  ignoresCredentials: false,
  access: messageAccess,
  forms: {
    links: messageLinks,
    response: { fields: messageFields, links: messageLinks, name: 'Message' },
  },
} as const satisfies Partial<Route>;

/** The messages of a channel that are kept (docs/reference/channels.md#history). */
export const historyRoutes: readonly Route[] = [
  {
    ...shared,
    name: 'Channel History List',
    kind: 'list',
    paths: { 'v1.1': list, v1: list },
    operations: loadedOperations(inChannel, {
      GET: {
        right: 'L',
        authorize: checkSubscribe,
        parameters,
        run: async (context) => ({ status: 200, body: await listMessages(context) }),
      },
    }),
  },
  {
    ...shared,
    name: 'Channel History Instance',
    kind: 'detail',
    paths: { 'v1.1': `${list}{id}/`, v1: `${list}{id}/` },
    operations: loadedOperations(inChannel, {
      GET: {
        right: 'G',
        authorize: checkSubscribe,
        parameters: projectionParameters,
        run: async (context) => ({ status: 200, body: await showOne(context) }),
      },
    }),
  },
];

async function listMessages(context: ChannelContext): Promise<PageBody> {
  const { query } = context.request;
  const value = (name: string) => queryValue(query, name);
  const reference = readRoomReference(instanceOf(context), channelOf(context).data, value('room'));
  const paging = parsePaging(value, false);
  const range = rangeAhead(paging, context.platform.store.isNear === true);
  const after = value('last_id') ?? '';
  const above = /^\d{1,10}$/.test(after) ? Number(after) : 0; // others are ignored
  const found =
    paging.size === 0
      ? []
      : await readHistory(context.platform, reference, {
          ...range,
          above: Math.max(range.above ?? 0, above),
        });
  const listItems = inListOrder(found.slice(0, paging.size), paging);
  const { route } = context;
  const page = pageOf(
    { route, path: linkPath(context, route.paths), query, paging },
    listItems,
    found.length > paging.size,
  );
  const project = parseProjection(query);
  const objects = listItems.map(({ item }) =>
    project(showWithLinks(context, item.data), messageFields),
  );
  return roomyPageBody(page, objects);
}

/** Shows a message of any room of the channel. */
async function showOne(context: ChannelContext): Promise<JsonObject> {
  const { data: channel } = channelOf(context);
  const { id } = context.params;
  const { store } = context.platform;
  const instance = instanceOf(context);
  if (id === undefined) throw notFound();
  const room =
    channel.type === 'separate_rooms'
      ? (await messageRoomEntity.read(store, instance, channel.row, id))?.data.room
      : encodeText('');
  if (room === undefined) throw notFound();
  const key = roomKey({ instance, channel: channel.row, room });
  const found = await messageEntity.read(store, ...key, id);
  if (found === undefined) throw notFound();
  return parseProjection(context.request.query)(showWithLinks(context, found.data), messageFields);
}
