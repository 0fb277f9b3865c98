import { readChannel } from '../channels/channel-record.ts';
import { roomOfChannel } from '../channels/room-reference.ts';
import { mayNotify } from '../channels/rules/channel-rights.ts';
import type { CompiledClass } from '../classes/rules/compiled-class.ts';
import { actorName } from '../store/commit.ts';
import type { Write } from '../store/store.ts';
import { createItem } from '../store/writes.ts';
import { channelEventEntity } from '../table/entities/channels.ts';
import type { ChannelData } from '../table/records/channels.ts';
import type { ObjectData } from '../table/records/records.ts';
import type { Actor } from '../values/access.ts';
import { detailError, invalid } from '../values/errors/errors.ts';
import { messages } from '../values/errors/messages.ts';
import type { JsonObject } from '../values/json/json.ts';
import type { FieldMessages, SystemValues } from './object-rules.ts';
import type { SaveCall } from './save-call.ts';
import { showObject } from './show-object.ts';

/* Objects may have a channel, which gets a message of each change (docs/reference/channels.md#objects). */

/** Returns the channel that a body names; undefined: it names none, or one that does not exist. */
export async function namedChannel(
  { platform, instance }: SaveCall,
  { channel }: SystemValues,
): Promise<ChannelData | undefined> {
  if (typeof channel !== 'string') return undefined;
  return (await readChannel(platform.store, instance, channel.toLowerCase()))?.data;
}

/** Checks that the channel that a body names exists. */
export function channelErrors(
  { channel }: SystemValues,
  found: ChannelData | undefined,
): FieldMessages {
  const isMissing = typeof channel === 'string' && found === undefined;
  return isMissing ? { channel: [messages.noSuchName(channel)] } : {};
}

type ChannelFields = Pick<ObjectData, 'channel' | 'channel_room'>;

/**
 * Returns the fields of a new object that name its channel.
 *
 * @throws ApiError 400 without the room that the channel needs, 403 when the actor may not publish there
 */
export function objectChannelFields(
  actor: Actor,
  { channel_room }: SystemValues,
  channel: ChannelData | undefined,
): ChannelFields {
  if (channel === undefined) return withoutChannel;
  const hasRooms = channel.type === 'separate_rooms';
  if (hasRooms && !channel_room) {
    throw invalid({ non_field_errors: [messages.channelRoomRequired] });
  }
  checkNotify(actor, channel);
  return { channel: channel.name, channel_room: (hasRooms && channel_room) || null };
}

const withoutChannel: ChannelFields = { channel: null, channel_room: null };

/**
 * Returns the channel of an existing object; undefined: it has none, or that was deleted.
 *
 * @throws ApiError 403 when the actor may not publish there
 */
export async function channelOfObject(
  { platform, instance, actor }: SaveCall,
  { channel: name, channelNumber }: ObjectData,
): Promise<ChannelData | undefined> {
  if (name === null) return undefined;
  const found = (await readChannel(platform.store, instance, name))?.data;
  if (found === undefined || found.row !== channelNumber) return undefined;
  checkNotify(actor, found);
  return found;
}

function checkNotify(actor: Actor, channel: ChannelData): void {
  if (mayNotify(actor, channel)) return;
  const text = 'You do not have permission to publish data to specified channel.';
  throw detailError(403, text, 'channel_denies');
}

/** A change of an object with a channel. */
export interface ChannelObjectChange {
  readonly channel: ChannelData | undefined;
  /** Absent: the object is new. */
  readonly before?: ObjectData;
  /** Absent: the object is deleted. */
  readonly after?: ObjectData;
}

/** Returns the write of the event of a change; its message is published when the change is committed. */
export function channelEvent(call: SaveCall, change: ChannelObjectChange): readonly Write[] {
  const { channel, before, after } = change;
  const data = after ?? before;
  if (channel === undefined || data === undefined) return [];
  const {
    instance,
    class: { data: classData },
    actor,
  } = call;
  const action = before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
  const source = { id: data.id, revision: data.revision, action } as const;
  const key = channelEventEntity.key(instance, classData.number, source);
  return [
    createItem(channelEventEntity, key, {
      place: roomOfChannel(instance, channel, data.channel_room ?? ''),
      action,
      author: actorName(actor),
      metadata: { type: 'object', class: classData.name },
      payload: payloadOf(call.compiled, change, data.id),
    }),
  ];
}

/** Returns all attributes of a new object, the changed ones of an update, the id of a deleted object. */
function payloadOf(
  compiled: CompiledClass,
  { before, after }: ChannelObjectChange,
  id: number,
): JsonObject {
  if (after === undefined) return { id };
  const { channel: _, channel_room: __, ...shown } = showObject(compiled, after);
  if (before === undefined) return shown;
  const was = showObject(compiled, before);
  const isChanged = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(was[name]);
  return { id, ...Object.fromEntries(Object.entries(shown).filter(isChanged)) };
}
