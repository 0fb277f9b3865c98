import type { channelFields } from '../../../functions/channels/fields.ts';
import type { messageFields } from '../../../shared/channels/show-message.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';

/** A channel, as the interface shows it. */
export type Channel = ShownRecord<typeof channelFields>;

/** The channels of an instance. */
export const channelType: RecordType<Pick<Channel, 'name'>> = {
  noun: 'channel',
  title: 'Channels',
  path: (instance) => at`instances/${instance}/channels/`,
  place: (instance) => at`/i/${instance}/channels`,
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
};

/** A message, as the interface shows it. */
export type RoomMessage = ShownRecord<typeof messageFields>;

/** Types in words. */
export const typeTexts: Readonly<Record<Channel['type'], string>> = {
  default: 'No',
  separate_rooms: 'Yes',
};

/** Permissions in words. */
export const permissionTexts: Readonly<Record<Channel['other_permissions'], string>> = {
  none: 'No access',
  subscribe: 'Read messages',
  publish: 'Read and publish messages',
};

/** Channels that every instance has; they cannot be deleted. */
export const builtIn: readonly string[] = ['default', 'eventlog'];
