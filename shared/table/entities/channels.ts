import type { Key } from '../../store/store.ts';
import { byName, idKey, ofInstance } from '../key-parts.ts';
import { actionNamed, entity } from '../kind.ts';
import type {
  ChannelData,
  ChannelEventData,
  MessageAction,
  MessageData,
  MessageRoomData,
  PollPositionData,
  RoomHeadData,
} from '../records/channels.ts';
import type { NamedPositionData } from '../records/records.ts';

/**
 * `channel` is the number of the channel, `room` the name as index-keys.ts encodes text: in lower case, and empty where
 * the channel has no rooms. All items of a room expire, so a deleted channel or instance leaves none behind.
 */
const ofRoom = (instance: number, channel: number, room: string) =>
  `INSTANCE#${instance}#MESSAGES#${channel}#${room}`;

/** A channel. The built-in ones of every instance are stored only when they are changed, and exist before. */
export const channelEntity = entity<ChannelData>('channel').keyed(ofInstance, 'CHANNEL#', byName, {
  belongsTo: 'contents',
  counter: 'channel',
  shownAs: 'channel',
});

/** Channels in order of creation, which is the order of their list. */
export const channelPositionEntity = entity<NamedPositionData>('channel-row').keyed(
  ofInstance,
  'CHANNELROW#',
  idKey,
  { belongsTo: 'contents' },
);

/** A message. */
export const messageEntity = entity<MessageData>('message').keyed(ofRoom, 'MESSAGE#', idKey, {
  belongsTo: 'derived',
  clearedWith: 'time',
  counter: 'message',
  hasLongIds: true,
  hasOrderedIds: true,
});

/** The end of a room's log. */
export const roomHeadEntity = entity<RoomHeadData>('room-head').keyed(ofRoom, 'HEAD', {
  belongsTo: 'derived',
  clearedWith: 'time',
});

/** The room of a message, where the channel has rooms. */
export const messageRoomEntity = entity<MessageRoomData>('message-room').keyed(
  (instance: number, channel: number) => `INSTANCE#${instance}#MESSAGEROOMS#${channel}`,
  '',
  idKey,
  { belongsTo: 'derived', clearedWith: 'time' },
);

/** Where the next poll of a caller continues if it has no position of its own. */
export const pollPositionEntity = entity<PollPositionData>('poll-position').keyed(
  (instance: number) => `INSTANCE#${instance}#POLLS`,
  '',
  (channel: number, caller: string, room: string) => `${channel}#${caller}#${room}`,
  { belongsTo: 'derived' },
);

/** A change of an object with a channel, until its message is published. */
export const channelEventEntity = entity<ChannelEventData>('channel-event').keyed(
  (instance: number) => `INSTANCE#${instance}#CHANNELEVENTS`,
  '',
  (
    classNumber: number,
    { id, revision, action }: { id: number; revision: number; action: MessageAction },
  ) => `${classNumber}#${idKey(id)}#${revision}#${action}`,
  {
    belongsTo: 'derived',
    inLetters: ({ key }) => {
      const { classNumber, object, action } = changeOfChannelEvent(key);
      return { item: 'object', action: actionNamed(action), itemId: object, classNumber };
    },
  },
);

/** Returns the change that a channel event is of. */
export function changeOfChannelEvent({ sk }: Key): {
  readonly classNumber: number;
  readonly object: number;
  readonly action: string;
} {
  const [classNumber, object, , action = ''] = sk.split('#');
  return { classNumber: Number(classNumber), object: Number(object), action };
}

/** The kinds of channels. */
export const channelKinds = [
  channelEntity,
  channelPositionEntity,
  messageEntity,
  roomHeadEntity,
  messageRoomEntity,
  pollPositionEntity,
  channelEventEntity,
] as const;
