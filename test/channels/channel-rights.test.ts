import { describe, expect, it } from 'vitest';
import {
  type ChannelRights,
  mayNotify,
  mayPublish,
  maySubscribe,
} from '../../shared/channels/rules/channel-rights.ts';
import type { Actor, KeyFlags } from '../../shared/values/access.ts';

const noFlags = {
  ignore_acl: false,
  allow_user_create: false,
  allow_group_create: false,
  allow_anonymous_read: false,
};

function key(flags: Partial<KeyFlags> = {}, groups?: readonly number[]): Actor {
  const user = groups && { id: 9, groups };
  return { kind: 'apiKey', key: 4, instance: 1, flags: { ...noFlags, ...flags }, user };
}

const admin = (role: 'owner' | 'full' | 'write' | 'read' | undefined): Actor => ({
  kind: 'admin',
  account: 1,
  role,
});

const closed: ChannelRights = { group: 3, group_permissions: 'none', other_permissions: 'none' };
const others = (other_permissions: ChannelRights['other_permissions']) => ({
  ...closed,
  other_permissions,
});
const group = (group_permissions: ChannelRights['group_permissions']) => ({
  ...closed,
  group_permissions,
});

describe('who may subscribe, publish, and change objects of the channel', () => {
  it.each<[string, Actor, ChannelRights, string]>([
    ['the owner', admin('owner'), closed, 'spn'],
    ['role write', admin('write'), closed, 'spn'],
    ['role read', admin('read'), closed, 's-n'],
    ['a stranger', admin(undefined), others('publish'), '---'],
    ['nobody', { kind: 'anonymous' }, others('publish'), '---'],
    ['ignore_acl', key({ ignore_acl: true }), closed, 'spn'],
    ['ignore_acl with a user', key({ ignore_acl: true }, []), closed, 'spn'],
    ['a bare key, others publish', key(), others('publish'), '--n'],
    ['a bare key, others subscribe', key(), others('subscribe'), '---'],
    [
      'anonymous read, others publish',
      key({ allow_anonymous_read: true }),
      others('publish'),
      's-n',
    ],
    [
      'anonymous read, others subscribe',
      key({ allow_anonymous_read: true }),
      others('subscribe'),
      's--',
    ],
    ['anonymous read, closed', key({ allow_anonymous_read: true }), closed, '---'],
    ['a user, others publish', key({}, []), others('publish'), 'spn'],
    ['a user, others subscribe', key({}, []), others('subscribe'), 's--'],
    ['a user, closed', key({}, []), closed, '---'],
    ['a member, the group publishes', key({}, [3]), group('publish'), 'spn'],
    ['a member, the group subscribes', key({}, [3]), group('subscribe'), 's--'],
    ['a member, others publish', key({}, [3]), others('publish'), 'spn'],
    ['a user of another group', key({}, [4]), group('publish'), '---'],
    ['no group', key({}, [3]), { ...group('publish'), group: null }, '---'],
  ])('%s', (_, actor, channel, rights) => {
    const shown = [
      maySubscribe(actor, channel) ? 's' : '-',
      mayPublish(actor, channel) ? 'p' : '-',
      mayNotify(actor, channel) ? 'n' : '-',
    ];

    expect(shown.join('')).toBe(rights);
  });
});
