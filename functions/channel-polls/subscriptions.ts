import {
  type ChannelContext,
  channelOf,
  readChannels,
} from '../../shared/channels/channel-record.ts';
import { readRoomReference } from '../../shared/channels/channel-room.ts';
import { maySubscribe } from '../../shared/channels/rules/channel-rights.ts';
import type { RoomReference } from '../../shared/channels/rules/room-log.ts';
import { instanceOf } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { maxStreamRooms } from '../../shared/values/bounds.ts';
import { forbidden, invalid, parentNotFound } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { readLastId } from './last-id.ts';

/** A room that a stream follows. */
export interface Subscription {
  readonly channel: string;
  /** As the request names it; undefined: the channel has no rooms. */
  readonly room: string | undefined;
  readonly reference: RoomReference;
}

/**
 * Returns the rooms of a stream: that of the path first, then those of the parameter `channels`
 * (docs/reference/channels.md#streams).
 *
 * @throws ApiError 400, or 403 or 404 for any of the channels
 */
export async function subscriptionsOf(context: ChannelContext): Promise<readonly Subscription[]> {
  const { query } = context.request;
  const instance = instanceOf(context);
  const more = parseChannels(queryValue(query, 'channels'));
  const names = more.map(({ channel }) => channel);
  const channels = await readChannels(context.platform.store, instance, names);
  const others = more.map(({ room }, at) => {
    const found = channels[at];
    if (found === undefined) throw parentNotFound('Channel');
    if (!maySubscribe(context.actor, found.data)) throw forbidden('channel_denies');
    return subscription(instance, found.data, room);
  });
  const { data: own } = channelOf(context);
  return [subscription(instance, own, queryValue(query, 'room')), ...others];
}

function subscription(
  instance: number,
  channel: Parameters<typeof readRoomReference>[1] & { readonly name: string },
  room: string | undefined,
): Subscription {
  const reference = readRoomReference(instance, channel, room);
  const name = channel.type === 'separate_rooms' ? room : undefined;
  return { channel: channel.name, room: name, reference };
}

/** Parses `chat:lobby,news`; a room is percent-encoded, so that it may contain the separators. */
function parseChannels(text = ''): readonly Omit<Subscription, 'reference'>[] {
  const parts = text.split(',').filter((part) => part !== '');
  if (parts.length >= maxStreamRooms) {
    throw invalid({ channels: [messages.tooManyItems(maxStreamRooms - 1)] });
  }
  return parts.map((part) => {
    const at = part.indexOf(':');
    if (at < 0) return { channel: part.toLowerCase(), room: undefined };
    return { channel: part.slice(0, at).toLowerCase(), room: decodeRoom(part.slice(at + 1)) };
  });
}

function decodeRoom(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw invalid({ channels: [messages.notString] });
  }
}

/**
 * Reads where a stream continues: one id for each of its rooms. A browser that connects again repeats the parameter of
 * the first connection, so the header counts first.
 *
 * @returns undefined: at the end of the rooms
 * @throws ApiError 400 unless there is one id for each room
 */
export function readPositions(
  { request: { headers, query } }: ChannelContext,
  count: number,
): readonly number[] | undefined {
  const text = headers['last-event-id'] || queryValue(query, 'last_id');
  if (!text) return undefined;
  const ids = text.split(',').map((part) => readLastId(part.trim()));
  const known = ids.filter((id) => id !== undefined);
  if (known.length !== count) throw invalid({ last_id: [messages.notInteger] });
  return known;
}
