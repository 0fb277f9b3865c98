/** A channel, as the interface shows it. */
export interface Channel {
  readonly name: string;
  readonly description: string;
  readonly type: ChannelType;
  readonly group: number | null;
  readonly group_permissions: ChannelPermission;
  readonly other_permissions: ChannelPermission;
  readonly custom_publish: boolean;
}

export type ChannelType = 'default' | 'separate_rooms';
export type ChannelPermission = 'none' | 'subscribe' | 'publish';

/** A message, as the interface shows it. */
export interface Message {
  readonly id: number;
  readonly created_at: string;
  readonly action: string;
  readonly author: Readonly<Record<string, number>>;
  readonly metadata: { readonly type: string; readonly class?: string };
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Types in words. */
export const typeTexts: Readonly<Record<ChannelType, string>> = {
  default: 'one room',
  separate_rooms: 'rooms',
};

/** Permissions in words. */
export const permissionTexts: Readonly<Record<ChannelPermission, string>> = {
  none: 'nothing',
  subscribe: 'read messages',
  publish: 'read messages and publish',
};

/** Channels that every instance has; they cannot be deleted. */
export const builtIn: readonly string[] = ['default', 'eventlog'];
