import type { ChannelPermission, ChannelType } from '../../channels/rules/channel-rights.ts';
import type { LogEnd, LogPosition, RoomReference } from '../../channels/rules/room-log.ts';
import type { JsonObject } from '../../values/json/json.ts';

/* Data of items for channels. */

/** A channel. */
export interface ChannelData {
  readonly name: string;
  /** List position, and its number in the keys of its messages: a later channel of the same name has another. */
  readonly row: number;
  readonly description: string;
  readonly type: ChannelType;
  /** Group id. */
  readonly group: number | null;
  readonly group_permissions: ChannelPermission;
  readonly other_permissions: ChannelPermission;
  readonly custom_publish: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Origin of a message: a client (`custom`), or the kind of change of a data object. */
export type MessageAction = 'custom' | 'create' | 'update' | 'delete';

/** A message. */
export interface MessageData extends LogPosition {
  readonly created_at: string;
  readonly action: MessageAction;
  readonly author: JsonObject;
  readonly metadata: JsonObject;
  readonly payload: JsonObject;
}

/** The end of a room's log. Every publication changes it, so messages become visible in the order of their ids. */
export type RoomHeadData = LogEnd;

/** The room of a message of a channel with rooms, by the id of the message. */
export interface MessageRoomData {
  readonly room: string;
}

/** A change of an object, as its message will show it. */
export interface ChannelEventData
  extends Pick<MessageData, 'action' | 'author' | 'metadata' | 'payload'> {
  readonly place: RoomReference;
}

/** Where a poll without `last_id` continues. */
export interface PollPositionData {
  /** Id of the newest message that an earlier poll knew. */
  readonly last: number;
  /** When that poll ended, in epoch milliseconds. */
  readonly atMs: number;
}

/** A slot for a poll that waits. */
export type PollSlotData = Readonly<Record<never, never>>;
