import { byName, idKey, ofInstance } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type {
  DeletedGroupsData,
  DeletedUserData,
  GroupData,
  GroupNameData,
  MembershipData,
  PasswordData,
  UserData,
  UsernameData,
  UserSocialData,
} from '../records/records.ts';

/** A group of users. */
export const groupEntity = entity<GroupData>('group').keyed(ofInstance, 'GROUP#', idKey, {
  belongsTo: 'contents',
  counter: 'group',
  shownAs: 'group',
  below: (instance, group) => membershipEntity.partition(instance, group),
});

/** The group that has a name. */
export const groupNameEntity = entity<GroupNameData>('group-name').keyed(
  ofInstance,
  'GROUPNAME#',
  byName,
  { belongsTo: 'contents' },
);

/**
 * Deleted groups that users or objects may still name. Read together with every user's record, so a group grants no
 * rights from its deletion on, however long the clean-up of its references takes.
 */
export const deletedGroupsEntity = entity<DeletedGroupsData>('deleted-groups').keyed(
  ofInstance,
  'DELETEDGROUPS',
  { belongsTo: 'contents' },
);

/**
 * A deleted user, from its deletion until its clean-up has ended: no user with its id is imported before, since the
 * clean-up would delete what belongs to that one.
 */
export const deletedUserEntity = entity<DeletedUserData>('deleted-user').keyed(
  ofInstance,
  'DELETEDUSER#',
  idKey,
  { belongsTo: 'contents' },
);

/** Membership of a user in a group, by group; the same transaction updates the user's record. */
export const membershipEntity = entity<MembershipData>('membership').keyed(
  (instance: number, group: number) => `INSTANCE#${instance}#MEMBERS#${group}`,
  '',
  idKey,
  { belongsTo: 'derived', clearedWith: 'item' },
);

/** A user of an app. Contains the ids of its groups, so that rights need no further read. */
export const userEntity = entity<UserData>('user').keyed(
  (instance: number) => `INSTANCE#${instance}#USERS`,
  '',
  idKey,
  { belongsTo: 'contents', counter: 'user', shownAs: 'user' },
);

/** A user's password, hashed. */
export const userPasswordEntity = entity<PasswordData>('password').keyed(
  (instance: number) => `INSTANCE#${instance}#PASSWORDS`,
  '',
  idKey,
  { belongsTo: 'contents' },
);

/** The user that has a name; `code` is the name as index-keys.ts encodes text. */
export const usernameEntity = entity<UsernameData>('username').keyed(
  (instance: number) => `INSTANCE#${instance}#USERNAME`,
  '',
  (code: string) => code,
  { belongsTo: 'derived' },
);

/** A user by its identity at another service. */
export const userSocialEntity = entity<UserSocialData>('user-social').keyed(
  (instance: number) => `INSTANCE#${instance}#SOCIAL`,
  '',
  (backend: string, id: string) => `${backend}#${id}`,
  { belongsTo: 'contents' },
);

/** The kinds of users and groups. */
export const userKinds = [
  groupEntity,
  groupNameEntity,
  deletedGroupsEntity,
  deletedUserEntity,
  membershipEntity,
  userEntity,
  userPasswordEntity,
  usernameEntity,
  userSocialEntity,
] as const;
