import { type LoadedOf, recordAt } from '../core/resource/loads/loads.ts';
import { unwritten } from '../core/resource/named-records.ts';
import type { Context } from '../core/routing/route.ts';
import type { Store, Stored } from '../store/store.ts';
import { channelEntity } from '../table/entities/channels.ts';
import type { ChannelData } from '../table/records/channels.ts';
import { parentNotFound } from '../values/errors/errors.ts';
import { pathParameters } from '../values/text/path-parameters.ts';
import { builtInChannels } from './built-in-channels.ts';

/** The record of the channel that the path names; a built-in channel may have none. */
export const channelOfPath = recordAt(channelEntity, ['instance', '{channel}']);

/** Loads of routes below a channel. */
export const inChannel = { channel: channelOfPath };

/** A request below a channel. */
export type ChannelContext = Context<LoadedOf<typeof inChannel>>;

/**
 * Returns the channel of a request.
 *
 * @throws ApiError 404
 */
export function channelOf({ loaded, params, instanceId }: ChannelContext): Stored<ChannelData> {
  const { channel: name } = params;
  const isNamed = name !== undefined && instanceId !== undefined;
  const found = loaded.channel ?? (isNamed ? builtInChannel(instanceId, name) : undefined);
  if (found === undefined) throw parentNotFound('Channel');
  return found;
}

/**
 * Returns a built-in channel for which nothing is stored; its version is empty.
 *
 * @param createdAt as its record shows it: when the instance was created
 */
export function builtInChannel(
  instance: number,
  name: string,
  createdAt = '',
): Stored<ChannelData> | undefined {
  const found = builtInChannels.find((channel) => channel.name === name);
  if (found === undefined) return undefined;
  const data = { ...found, created_at: createdAt, updated_at: createdAt };
  return unwritten(channelEntity, instance, data);
}

/** Reads channels by their names in lower case; built-in ones always exist, and text that is no name has none. */
export async function readChannels(
  store: Store,
  instance: number,
  names: readonly string[],
): Promise<readonly (Stored<ChannelData> | undefined)[]> {
  const { pattern } = pathParameters.channel;
  const known = names.filter((name) => pattern.test(name));
  const items = await channelEntity.readAll(
    store,
    known.map((name) => [instance, name]),
  );
  return names.map((name) => items[known.indexOf(name)] ?? builtInChannel(instance, name));
}

/** Reads a channel in the same way. */
export async function readChannel(
  store: Store,
  instance: number,
  name: string,
): Promise<Stored<ChannelData> | undefined> {
  return (await readChannels(store, instance, [name]))[0];
}
