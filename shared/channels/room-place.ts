import { roomHeadEntity } from '../table/entities/channels.ts';
import { encodeText } from '../table/index-keys.ts';
import type { ChannelData } from '../table/records/channels.ts';
import { builtInChannels, eventLog } from './built-in-channels.ts';
import { limitsOf, type RoomLimits, type RoomPlace } from './rules/room-log.ts';

/** Parts of the keys of a room's items. */
export type RoomKey = readonly [instance: number, channel: number, room: string];

/**
 * Returns a room of a channel; rooms that differ only in case are one (docs/reference/channels.md#rooms).
 *
 * @param name ignored where the channel has no rooms
 */
export function roomPlace(
  instance: number,
  { row, type }: Pick<ChannelData, 'row' | 'type'>,
  name: string,
): RoomPlace {
  const room = type === 'separate_rooms' ? name.toLowerCase() : '';
  return { instance, channel: row, room: encodeText(room) };
}

/** Returns the parts of the keys of a room's items. */
export function roomKey({ instance, channel, room }: RoomPlace): RoomKey {
  return [instance, channel, room];
}

/** Returns a text that is unique for each room. */
export function roomId(place: RoomPlace): string {
  return roomHeadEntity.partition(...roomKey(place));
}

const eventLogRow = builtInChannels.find(({ name }) => name === eventLog)?.row;

/** Returns how much of a room is kept. */
export function roomLimits({ channel }: RoomPlace): RoomLimits {
  return limitsOf({ isEventLog: channel === eventLogRow });
}
