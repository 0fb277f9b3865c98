import * as v from 'valibot';
import type { QueryParameters } from '../core/routing/forms.ts';
import type { ChannelData } from '../table/records/channels.ts';
import { type ApiError, invalid } from '../values/errors/errors.ts';
import { messages } from '../values/errors/messages.ts';
import { text } from '../values/values.ts';
import { roomOfChannel } from './room-reference.ts';
import type { RoomReference } from './rules/room-log.ts';

/** Longest name of a room, in characters. */
export const maxRoomName = 128;

const roomName = text({ max: maxRoomName });

/** The query parameter that names a room. */
export const roomParameters: QueryParameters = {
  room: {
    type: 'string',
    description: 'Room of a channel with separate rooms; there it is required.',
  },
};

/**
 * Returns a room of a channel. The name of a room is ignored where the channel has none.
 *
 * @param name as sent; undefined or empty: none
 * @throws ApiError 400
 */
export function readRoomReference(
  instance: number,
  channel: Pick<ChannelData, 'row' | 'type'>,
  name: string | undefined,
): RoomReference {
  if (channel.type !== 'separate_rooms') return roomOfChannel(instance, channel, '');
  if (name === undefined || name === '') throw roomRequired();
  const result = v.safeParse(roomName, name);
  if (!result.success) throw invalid({ room: result.issues.map(({ message }) => message) });
  return roomOfChannel(instance, channel, result.output);
}

/** Returns the 400 for a missing room; a string, not a list (docs/reference/errors.md#bodies). */
function roomRequired(): ApiError {
  return invalid({ room: messages.roomRequired });
}
