import { describe, expect, it } from 'vitest';
import {
  bypassesAcl,
  type ClassRights,
  cappedPermission,
  checkClassRights,
  checkObjectRights,
  classPermission,
  isClassVisible,
  type ObjectPermission,
  type ObjectRights,
  objectPermission,
  objectPermissions,
} from '../../shared/classes/rules/permissions.ts';
import type { ActingUser, Actor, AdminRole, KeyFlags } from '../../shared/values/access.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';

/** Members of group 3 and of no group; user 7 owns the objects of this file. */
const member: ActingUser = { id: 8, groups: [5, 3] };
const stranger: ActingUser = { id: 9, groups: [5] };
const owner: ActingUser = { id: 7, groups: [] };
const owningMember: ActingUser = { id: 7, groups: [3] };

const anonymous: Actor = { kind: 'anonymous' };

function account(role?: AdminRole): Actor {
  return { kind: 'admin', account: 1, role };
}

function apiKey(user?: ActingUser, given: Partial<KeyFlags> = {}): Actor {
  const flags = {
    ignore_acl: false,
    allow_user_create: false,
    allow_group_create: false,
    allow_anonymous_read: false,
    ...given,
  };
  return { kind: 'apiKey', key: 1, instance: 1, flags, user };
}

const reading = { allow_anonymous_read: true };
const ignoring = { ignore_acl: true };
const creating = { allow_user_create: true, allow_group_create: true };

/** A class of group 3. */
function classOf(
  other_permissions: ClassRights['other_permissions'],
  group_permissions: ClassRights['group_permissions'] = 'none',
): ClassRights {
  return { name: 'book', group: 3, group_permissions, other_permissions };
}

/** An object of user 7 and group 3, with the permissions of its owner, its group and others. */
function objectOf(...permissions: [ObjectPermission, ObjectPermission, ObjectPermission]) {
  const [owner_permissions, group_permissions, other_permissions] = permissions;
  const rights: ObjectRights = {
    owner: 7,
    owner_permissions,
    group: 3,
    group_permissions,
    other_permissions,
  };
  return rights;
}

/** Returns the status and the code of the error response of a check; `allowed` without one. */
function outcome(check: () => void): string {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.code}`;
  }
  return 'allowed';
}

const allowed = 'allowed';

describe('callers that bypass ACL', () => {
  it.each<[string, Actor, boolean]>([
    ['an account, whatever its role', account('read'), true],
    ['an ignore_acl key', apiKey(undefined, ignoring), true],
    ['an ignore_acl key with a user', apiKey(stranger, ignoring), true],
    ['not a key with other flags', apiKey(undefined, { ...reading, ...creating }), false],
    ['not a key with a user', apiKey(owner), false],
    ['not a caller without credentials', anonymous, false],
  ])('%s', (_, actor, isExempt) => {
    expect(bypassesAcl(actor)).toBe(isExempt);
  });
});

describe('the class permission', () => {
  it.each<[string, ActingUser | undefined, ClassRights, string]>([
    ['of others is that of no user', undefined, classOf('read', 'create_objects'), 'read'],
    ['of others is that of a user outside', stranger, classOf('read', 'create_objects'), 'read'],
    ['of a member is that of the group', member, classOf('none', 'read'), 'read'],
    [
      'of a member is at least that of others',
      member,
      classOf('create_objects', 'read'),
      'create_objects',
    ],
    [
      'of a member is at most create_objects',
      member,
      classOf('read', 'create_objects'),
      'create_objects',
    ],
    [
      'without a group is that of others',
      member,
      { ...classOf('none', 'create_objects'), group: null },
      'none',
    ],
  ])('%s', (_, user, subject, permission) => {
    expect(classPermission(user, subject)).toBe(permission);
  });
});

describe('operations on the objects of a class', () => {
  const open = classOf('create_objects', 'create_objects');
  const readable = classOf('read', 'read');
  const closed = classOf('none', 'none');
  const forMembers = classOf('none', 'create_objects');
  const profiles = { ...open, name: 'user_profile' };

  type Outcomes = readonly [read: string, create: string, update: string, remove: string];
  const all = (result: string): Outcomes => [result, result, result, result];
  const needsUser = '403 user_key_needed';
  const classDenies = '403 class_denies';

  it.each<[string, Actor, ClassRights, Outcomes]>([
    ['the owner of the instance on any class', account('owner'), closed, all(allowed)],
    ['an account of role full on any class', account('full'), closed, all(allowed)],
    ['an account of role write on any class', account('write'), closed, all(allowed)],
    [
      'an account of role read only reads',
      account('read'),
      open,
      [allowed, '403 role_too_low', '403 role_too_low', '403 role_too_low'],
    ],
    ['an account outside the instance', account(), open, all('403 not_a_member')],
    ['a caller without credentials', anonymous, open, all('403 key_missing')],
    ['an ignore_acl key on any class', apiKey(undefined, ignoring), closed, all(allowed)],
    ['an ignore_acl key with a user', apiKey(stranger, ignoring), closed, all(allowed)],
    [
      'a key without user writes but does not read',
      apiKey(),
      open,
      [needsUser, allowed, allowed, allowed],
    ],
    [
      'flags for users and groups let no key read',
      apiKey(undefined, creating),
      open,
      [needsUser, allowed, allowed, allowed],
    ],
    [
      'a key without user in a class that others read',
      apiKey(),
      readable,
      [needsUser, classDenies, allowed, allowed],
    ],
    [
      'a key without user in a closed class',
      apiKey(),
      closed,
      [needsUser, classDenies, classDenies, classDenies],
    ],
    ['a reading key', apiKey(undefined, reading), open, all(allowed)],
    [
      'a reading key in a class that others read',
      apiKey(undefined, reading),
      readable,
      [allowed, classDenies, allowed, allowed],
    ],
    ['a reading key in a closed class', apiKey(undefined, reading), closed, all(classDenies)],
    ['a user in an open class', apiKey(stranger), open, all(allowed)],
    [
      'a user in a class that others read',
      apiKey(stranger),
      readable,
      [allowed, classDenies, allowed, allowed],
    ],
    ['a user outside the group of a class', apiKey(stranger), forMembers, all(classDenies)],
    ['a member of the group of a class', apiKey(member), forMembers, all(allowed)],
    [
      'profiles are created and deleted with their users',
      account('owner'),
      profiles,
      [allowed, '403 item_protected', allowed, '403 item_protected'],
    ],
    [
      'profiles are protected before the caller is looked at',
      anonymous,
      profiles,
      ['403 key_missing', '403 item_protected', '403 key_missing', '403 item_protected'],
    ],
  ])('%s', (_, actor, subject, outcomes) => {
    const operations = ['read', 'create', 'update', 'delete'] as const;

    const results = operations.map((operation) =>
      outcome(() => checkClassRights(actor, subject, operation)),
    );

    expect(results).toEqual(outcomes);
  });
});

describe('a class in lists of classes', () => {
  it.each<[string, Actor, ClassRights, boolean]>([
    ['is there for an account', account('read'), classOf('none'), true],
    ['is there for an ignore_acl key', apiKey(undefined, ignoring), classOf('none'), true],
    ['is not there without credentials', anonymous, classOf('create_objects'), false],
    ['is there for a key that others may read', apiKey(), classOf('read'), true],
    ['is there for a key that others may create in', apiKey(), classOf('create_objects'), true],
    [
      'is not there for a key without permission',
      apiKey(undefined, reading),
      classOf('none'),
      false,
    ],
    ['is there for a member of its group', apiKey(member), classOf('none', 'read'), true],
    ['is not there for a user outside its group', apiKey(stranger), classOf('none', 'read'), false],
  ])('%s', (_, actor, subject, isThere) => {
    expect(isClassVisible(actor, subject)).toBe(isThere);
  });
});

describe('the object permission', () => {
  it.each<[string, Actor, ObjectRights, ObjectPermission]>([
    ['of an account is full', account('read'), objectOf('none', 'none', 'none'), 'full'],
    [
      'of an ignore_acl key is full',
      apiKey(stranger, ignoring),
      objectOf('none', 'none', 'none'),
      'full',
    ],
    ['of a key without user is that of others', apiKey(), objectOf('full', 'full', 'read'), 'read'],
    [
      'of a user outside is that of others',
      apiKey(stranger),
      objectOf('full', 'full', 'write'),
      'write',
    ],
    [
      'of the owner is that of the owner',
      apiKey(owner),
      objectOf('write', 'full', 'none'),
      'write',
    ],
    [
      'of the owner is at least that of others',
      apiKey(owner),
      objectOf('none', 'none', 'read'),
      'read',
    ],
    ['of a member is that of the group', apiKey(member), objectOf('full', 'read', 'none'), 'read'],
    [
      'of a member is at least that of others',
      apiKey(member),
      objectOf('full', 'read', 'write'),
      'write',
    ],
    [
      'of an owner in the group is the higher: group',
      apiKey(owningMember),
      objectOf('read', 'write', 'none'),
      'write',
    ],
    [
      'of an owner in the group is the higher: owner',
      apiKey(owningMember),
      objectOf('full', 'write', 'none'),
      'full',
    ],
    ['without credentials is that of others', anonymous, objectOf('full', 'full', 'none'), 'none'],
    [
      'of an object without owner and group is that of others',
      apiKey(owningMember),
      { ...objectOf('full', 'full', 'read'), owner: null, group: null },
      'read',
    ],
  ])('%s', (_, actor, object, permission) => {
    expect(objectPermission(actor, object)).toBe(permission);
  });

  const objectDenies = '403 object_denies';
  it.each<[ObjectPermission, readonly [read: string, update: string, remove: string]]>([
    ['none', ['404 not_found', '404 not_found', '404 not_found']],
    ['read', [allowed, objectDenies, objectDenies]],
    ['write', [allowed, allowed, objectDenies]],
    ['full', [allowed, allowed, allowed]],
  ])('%s: who may not read gets a 404, who may not write a 403', (permission, outcomes) => {
    const object = objectOf('none', 'none', permission);
    const operations = ['read', 'update', 'delete'] as const;

    const results = operations.map((operation) =>
      outcome(() => checkObjectRights(apiKey(stranger), object, operation)),
    );

    expect(results).toEqual(outcomes);
  });
});

describe('lowered permissions', () => {
  it.each<[cap: ObjectPermission, lowered: readonly ObjectPermission[]]>([
    ['none', ['none', 'none', 'none', 'none']],
    ['read', ['none', 'read', 'read', 'read']],
    ['write', ['none', 'read', 'write', 'write']],
    ['full', ['none', 'read', 'write', 'full']],
  ])('a caller with %s gives away at most that', (cap, lowered) => {
    expect(objectPermissions.map((wanted) => cappedPermission(wanted, cap))).toEqual(lowered);
  });
});
