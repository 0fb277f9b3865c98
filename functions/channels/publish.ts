import { eventLog } from '../../shared/channels/built-in-channels.ts';
import { type ChannelContext, channelOf, inChannel } from '../../shared/channels/channel-record.ts';
import { maxRoomName, readRoomReference } from '../../shared/channels/channel-room.ts';
import { mayPublish } from '../../shared/channels/rules/channel-rights.ts';
import { messageFields } from '../../shared/channels/show-message.ts';
import {
  allRights,
  defineFields,
  endpointRoute,
  instanceOf,
  validInput,
} from '../../shared/core/family.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { json } from '../../shared/core/resource/field.ts';
import { actorName } from '../../shared/store/commit.ts';
import type { ChannelData } from '../../shared/table/records/channels.ts';
import type { Actor } from '../../shared/values/access.ts';
import { detailError, forbidden } from '../../shared/values/errors/errors.ts';
import { jsonObject, text } from '../../shared/values/values.ts';
import { messageLinks, showWithLinks } from './message-links.ts';
import { channelsPath } from './paths.ts';

const payloadField = defineFields({
  payload: json(jsonObject({ name: 'Payload' }), { initial: {}, shows: 'object' }),
});

const fields = defineFields({
  ...payloadField,
  room: {
    type: 'string',
    writable: 'always',
    input: text({ max: maxRoomName }),
    maxLength: maxRoomName,
  },
});

const maxBodyBytes = 65_536;

/** Publishes a message (docs/reference/channels.md#publishing). */
export const publishRoute = endpointRoute({
  name: 'Channel Publish',
  operationNames: { POST: { id: 'publishMessage', summary: 'Publish a message to a channel' } },
  path: `${channelsPath}{channel}/publish/`,
  access: { owner: allRights, full: allRights, write: allRights, ignoreAcl: allRights, user: 'A' },
  loads: inChannel,
  maxBodyBytes,
  operations: { POST: { right: 'A', run: publish } },
  forms: { POST: fields, links: messageLinks },
  response: { status: 201, fields: messageFields, links: messageLinks, name: 'Message' },
});

async function publish(context: ChannelContext): Promise<Response> {
  const { data } = channelOf(context);
  checkPublish(context.actor, data);
  const body = await context.body();
  const { payload, room } =
    data.type === 'separate_rooms'
      ? validInput(fields, body, 'create')
      : { ...validInput(payloadField, body, 'create'), room: undefined };
  const reference = readRoomReference(instanceOf(context), data, room);
  const message = await context.platform.messages.publish(reference, {
    action: 'custom',
    author: actorName(context.actor),
    metadata: { type: 'message' },
    payload,
  });
  if (message === undefined) throw new Error('a message without conditions was not published');
  return { status: 201, body: showWithLinks(context, message) };
}

/** @throws ApiError 403 */
function checkPublish(actor: Actor, channel: ChannelData): void {
  if (!mayPublish(actor, channel)) throw forbidden('channel_denies');
  if (!channel.custom_publish || channel.name === eventLog) {
    throw detailError(403, 'Custom publish not allowed on this channel.', 'channel_denies');
  }
}
