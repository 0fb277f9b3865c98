import { describe, expect, it } from 'vitest';
import {
  type Access,
  type Actor,
  type AdminRole,
  denialOf,
  depthOf,
  hasFullRole,
  isAllowed,
} from '../../shared/values/access.ts';

const flags = {
  ignore_acl: false,
  allow_user_create: false,
  allow_group_create: false,
  allow_anonymous_read: false,
};
const nobody: Actor = { kind: 'anonymous' };
const account = (role?: AdminRole): Actor => ({ kind: 'admin', account: 1, role });
const stranger = account();
const key: Actor = { kind: 'apiKey', key: 1, instance: 1, flags, user: undefined };
const user: Actor = { ...key, user: { id: 1, groups: [] } };

const ownersOnly: Access = { owner: 'LGCUDA' };
const usersOnly: Access = { user: 'LG' };
const ownersAndUsers: Access = { owner: 'LG', user: 'LG' };

const denials: readonly (readonly [string, Access, Actor, string])[] = [
  ['a request without key', ownersOnly, nobody, 'key_missing'],
  ['a request without key, where users may', usersOnly, nobody, 'key_missing'],
  ['an account of another instance', ownersOnly, stranger, 'not_a_member'],
  ['an account of another instance, where users may', usersOnly, stranger, 'not_a_member'],
  ['a member with too low a role', ownersOnly, account('read'), 'role_too_low'],
  ['a member where only users may', usersOnly, account('full'), 'user_key_needed'],
  ['the owner where only users may', usersOnly, account('owner'), 'user_key_needed'],
  ['a member where the owner may, and users', ownersAndUsers, account('read'), 'role_too_low'],
  ['an API key where only accounts may', ownersOnly, key, 'account_key_needed'],
  ['an API key where users may', usersOnly, key, 'user_key_needed'],
  ['a user where only accounts may', ownersOnly, user, 'account_key_needed'],
  ['a user where users may do something else', { user: 'D' }, user, 'account_key_needed'],
  ['an API key where a flag helps', { ignoreAcl: 'L' }, key, 'key_flag_needed'],
  ['a user where a flag helps', { user: 'D', allowUserCreate: 'L' }, user, 'key_flag_needed'],
  ['an API key where a flag for groups helps', { allowGroupCreate: 'L' }, key, 'key_flag_needed'],
  ['an API key where public reading helps', { allowAnonymousRead: 'L' }, key, 'key_flag_needed'],
  ['an API key where a flag allows something else', { ignoreAcl: 'D' }, key, 'account_key_needed'],
  [
    'an API key where a user may, or a flag helps',
    { user: 'L', ignoreAcl: 'L' },
    key,
    'user_key_needed',
  ],
];

describe('the reason of a denial', () => {
  it.each(denials)('%s', (_, access, actor, reason) => {
    expect(isAllowed(access, actor, 'L')).toBe(false);
    expect(denialOf(access, actor, ['L'])).toBe(reason);
  });

  it('considers each right that would be enough', () => {
    expect(denialOf({ user: 'G' }, key, ['L', 'G'])).toBe('user_key_needed');
    expect(denialOf({ user: 'G' }, key, ['L', 'C'])).toBe('account_key_needed');
  });
});

describe('the full role', () => {
  it.each<[string, Actor, boolean]>([
    ['the owner', account('owner'), true],
    ['a full member', account('full'), true],
    ['a writing member', account('write'), false],
    ['a reading member', account('read'), false],
    ['an account of another instance', stranger, false],
    ['an API key', { ...key, flags: { ...flags, ignore_acl: true } }, false],
    ['nobody', nobody, false],
  ])('of %s', (_, actor, isFull) => {
    expect(hasFullRole(actor)).toBe(isFull);
  });
});

describe('the number of scripts before a request', () => {
  it.each<[string, Actor, number]>([
    ['a client with an account key', account('full'), 0],
    ['a script of a script', { kind: 'admin', account: 1, role: 'full', depth: 2 }, 2],
    ['an API key', key, 0],
    ['nobody', nobody, 0],
  ])('of %s', (_, actor, depth) => {
    expect(depthOf(actor)).toBe(depth);
  });
});
