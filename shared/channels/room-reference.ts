import { roomHeadEntity } from '../table/entities/channels.ts';
import { encodeText } from '../table/index-keys.ts';
import type { ChannelData } from '../table/records/channels.ts';
import { builtInChannels, eventLog } from './built-in-channels.ts';
import { limitsOf, type RoomLimits, type RoomReference } from './rules/room-log.ts';

/** Parts of the keys of a room's items. */
export type RoomKey = readonly [instance: number, channel: number, room: string];

/**
 * Returns a room of a channel; rooms that differ only in case are one (docs/reference/channels.md#rooms).
 *
 * @param name ignored where the channel has no rooms
 */
export function roomOfChannel(
  instance: number,
  { row: position, type }: Pick<ChannelData, 'row' | 'type'>,
  name: string,
): RoomReference {
  const room = type === 'separate_rooms' ? name.toLowerCase() : '';
  return { instance, channel: position, room: encodeText(room) };
}

/** Returns the parts of the keys of a room's items. */
export function roomKey({ instance, channel, room }: RoomReference): RoomKey {
  return [instance, channel, room];
}

/** Returns a text that is unique for each room. */
export function roomId(reference: RoomReference): string {
  return roomHeadEntity.partition(...roomKey(reference));
}

const eventLogPosition = builtInChannels.find(({ name }) => name === eventLog)?.row;

/** Returns how much of a room is kept. */
export function roomLimits({ channel }: RoomReference): RoomLimits {
  return limitsOf({ isEventLog: channel === eventLogPosition });
}
