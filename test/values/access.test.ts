import { describe, expect, it } from 'vitest';
import {
  type Access,
  type Actor,
  type AdminRole,
  isAllowed,
  type KeyFlags,
  type Right,
} from '../../shared/values/access.ts';

const none: KeyFlags = {
  ignore_acl: false,
  allow_user_create: false,
  allow_group_create: false,
  allow_anonymous_read: false,
};

const admin = (role: AdminRole | undefined): Actor => ({ kind: 'admin', account: 1, role });
const key = (flags: Partial<KeyFlags> = {}, hasUser = false): Actor => ({
  kind: 'apiKey',
  key: 1,
  instance: 1,
  flags: { ...none, ...flags },
  user: hasUser ? { id: 1, groups: [] } : undefined,
});
const nobody: Actor = { kind: 'anonymous' };

/** Each kind of caller has one right of its own. */
const access: Access = { owner: 'D', full: 'U', write: 'C', read: 'G', apiKey: 'L', user: 'A' };
const flagged: Access = {
  ignoreAcl: 'L',
  allowUserCreate: 'G',
  allowGroupCreate: 'C',
  allowAnonymousRead: 'U',
};

const rights: readonly Right[] = ['L', 'G', 'C', 'U', 'D', 'A'];
const held = (table: Access, actor: Actor) =>
  rights.filter((right) => isAllowed(table, actor, right)).join('');

describe('rights', () => {
  it.each([
    ['the owner', access, admin('owner'), 'D'],
    ['a full administrator', access, admin('full'), 'U'],
    ['a writing one', access, admin('write'), 'C'],
    ['a reading one', access, admin('read'), 'G'],
    ['an account that is no member', access, admin(undefined), ''],
    ['an account where all may', { account: 'LC' }, admin(undefined), 'LC'],
    ['a member where all accounts may', { account: 'L', read: 'G' }, admin('read'), 'LG'],
    ['an API key', access, key(), 'L'],
    ['an API key for a user', access, key({}, true), 'LA'],
    ['a key whose flags nothing asks for', access, key({ ignore_acl: true }), 'L'],
    ['a key without flags', flagged, key(), ''],
    ['ignore_acl', flagged, key({ ignore_acl: true }), 'L'],
    ['allow_user_create', flagged, key({ allow_user_create: true }), 'G'],
    ['allow_group_create', flagged, key({ allow_group_create: true }), 'C'],
    ['allow_anonymous_read', flagged, key({ allow_anonymous_read: true }), 'U'],
    ['two flags', flagged, key({ ignore_acl: true, allow_group_create: true }), 'LC'],
    ['nobody', access, nobody, ''],
    ['nobody where all may', { anonymous: 'G', apiKey: 'L' }, nobody, 'G'],
  ] as readonly [string, Access, Actor, string][])('of %s', (_, table, actor, expected) => {
    expect(held(table, actor)).toBe(expected);
  });
});
