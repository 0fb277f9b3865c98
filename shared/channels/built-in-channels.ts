import type { ChannelData } from '../table/records/channels.ts';

/** The channel for messages of the platform itself, to which no client may publish. */
export const eventLog = 'eventlog';

const common = {
  description: '',
  type: 'separate_rooms',
  group: null,
  group_permissions: 'none',
  other_permissions: 'none',
} as const;

type BuiltIn = Omit<ChannelData, 'created_at' | 'updated_at'>;

/**
 * Channels of every instance, stored when they are changed for the first time; they cannot be deleted
 * (docs/reference/channels.md#built-in-channels). Their list positions are before those of created channels.
 */
export const builtInChannels: readonly BuiltIn[] = [
  { ...common, name: 'default', row: 1, custom_publish: true },
  { ...common, name: eventLog, row: 2, custom_publish: false },
];

/** Checks whether a channel of this name is built in. */
export function isBuiltIn(name: string): boolean {
  return builtInChannels.some((channel) => channel.name === name);
}
