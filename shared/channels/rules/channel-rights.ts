import type { ActingUser, Actor } from '../../values/access.ts';

/** Rights on a channel for members of its group and for others, from least to most. */
export const channelPermissions = ['none', 'subscribe', 'publish'] as const;
export type ChannelPermission = (typeof channelPermissions)[number];

/** One room for all, or rooms by name. */
export const channelTypes = ['default', 'separate_rooms'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** Part of a channel that determines rights. */
export interface ChannelRights {
  readonly group: number | null;
  readonly group_permissions: ChannelPermission;
  readonly other_permissions: ChannelPermission;
}

/** Checks whether `actor` may read messages, and see the channel (docs/reference/channels.md#rights). */
export function maySubscribe(actor: Actor, channel: ChannelRights): boolean {
  switch (actor.kind) {
    case 'anonymous':
      return false;
    case 'admin':
      return actor.role !== undefined;
    case 'apiKey': {
      const { flags, user } = actor;
      if (flags.ignore_acl) return true;
      if (user === undefined && !flags.allow_anonymous_read) return false;
      return isGranted(user, channel, 'subscribe');
    }
  }
}

/** Checks whether `actor` may publish messages (docs/reference/channels.md#rights). */
export function mayPublish(actor: Actor, channel: ChannelRights): boolean {
  switch (actor.kind) {
    case 'anonymous':
      return false;
    case 'admin':
      return actor.role !== undefined && actor.role !== 'read';
    case 'apiKey':
      return (
        actor.flags.ignore_acl ||
        (actor.user !== undefined && isGranted(actor.user, channel, 'publish'))
      );
  }
}

/** Checks whether `actor` may change data objects that have the channel (docs/reference/channels.md#objects). */
export function mayNotify(actor: Actor, channel: ChannelRights): boolean {
  if (actor.kind !== 'apiKey') return actor.kind === 'admin' && actor.role !== undefined;
  return actor.flags.ignore_acl || isGranted(actor.user, channel, 'publish');
}

/** Checks the permissions of a user, or of no user: the higher of group and other. */
function isGranted(
  user: ActingUser | undefined,
  { group, group_permissions, other_permissions }: ChannelRights,
  needed: ChannelPermission,
): boolean {
  const isMember = group !== null && (user?.groups.includes(group) ?? false);
  const given = isMember ? [group_permissions, other_permissions] : [other_permissions];
  return given.some((each) => rank(each) >= rank(needed));
}

function rank(permission: ChannelPermission): number {
  return channelPermissions.indexOf(permission);
}
