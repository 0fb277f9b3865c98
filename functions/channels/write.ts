import { builtInChannels, isBuiltIn } from '../../shared/channels/built-in-channels.ts';
import { builtInChannel } from '../../shared/channels/channel-record.ts';
import { clearChannel } from '../../shared/channels/clear-channel.ts';
import { type Context, instanceOf, reservedId, type Update } from '../../shared/core/family.ts';
import {
  type Input,
  type InputMode,
  type Values,
  validValues,
} from '../../shared/core/resource/input.ts';
import {
  changedRecord,
  freedPosition,
  listPositionWrite,
  type NamedKind,
  takeName,
} from '../../shared/core/resource/named-records.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { deleteItem } from '../../shared/store/writes.ts';
import { channelEntity, channelPositionEntity } from '../../shared/table/entities/channels.ts';
import { groupEntity } from '../../shared/table/entities/users.ts';
import type { ChannelData } from '../../shared/table/records/channels.ts';
import { forbidden } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { channelFields } from './fields.ts';

export const channelKind: NamedKind<ChannelData> = {
  entity: channelEntity,
  positionEntity: channelPositionEntity,
};

/** A channel, without joined records. */
export type ChannelView = Pick<Stored<ChannelData>, 'data'>;

export async function createChannel(
  context: Context,
  input: Input<typeof channelFields, 'create'>,
): Promise<ChannelView> {
  const draft = await readChannel(context, input);
  const now = timestamp(context.platform.clock.micros());
  const position = builtInChannels.length + reservedId(context);
  const data: ChannelData = { ...draft, row: position, created_at: now, updated_at: now };
  const instance = instanceOf(context);
  return retryOnConflict(async () => {
    const found = await channelEntity.read(context.platform.store, instance, data.name);
    const holder = found ?? builtInChannel(instance, data.name);
    await takeName(context, channelKind, { data, holder, field: 'name' });
    return { data };
  });
}

/** Changes a channel, except its name and type; a built-in one is stored at its first change. */
export async function updateChannel(
  context: Context,
  { current, input }: Update<ChannelData, typeof channelFields>,
): Promise<ChannelView> {
  const draft = await readChannel(context, input);
  const updated_at = timestamp(context.platform.clock.micros());
  const data: ChannelData = { ...current.data, ...draft, updated_at };
  await commit(context, [
    changedRecord(current, data),
    listPositionWrite(context, channelKind, data),
  ]);
  return { data };
}

/** Deletes a channel. Its objects lose it in the background, and its messages expire. */
export async function removeChannel(context: Context, current: Stored<ChannelData>): Promise<void> {
  const { name, row: position } = current.data;
  if (isBuiltIn(name)) throw forbidden('item_protected');
  await commit(context, [
    deleteItem(current),
    freedPosition(context, channelKind, current.data),
    newJob(context.platform, clearChannel, {
      instance: instanceOf(context),
      channel: position,
    }),
  ]);
}

/**
 * Reads a body, and checks that its group exists.
 *
 * @throws ApiError 400 with the messages of all fields that failed
 */
async function readChannel<Mode extends InputMode>(
  context: Context,
  input: Input<typeof channelFields, Mode>,
): Promise<Values<typeof channelFields, Mode>> {
  const reading = input.read();
  const { group }: { readonly group?: number | null } = reading.values;
  const isMissing =
    typeof group === 'number' &&
    (await groupEntity.read(context.platform.store, instanceOf(context), group)) === undefined;
  return validValues(reading, isMissing ? { group: [messages.noSuchPk(group)] } : {});
}
