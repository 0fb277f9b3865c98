import {
  allRights,
  type Context,
  instanceOf,
  type ListOf,
  type LoadedOf,
  listRoutes,
  notFound,
  type Route,
  recordAt,
  rowsOf,
} from '../../shared/core/family.ts';
import type { Input } from '../../shared/core/resource/input.ts';
import { requiredLoad } from '../../shared/core/resource/loads/loads.ts';
import { cut } from '../../shared/core/resource/page.ts';
import type { Stored } from '../../shared/store/store.ts';
import { groupEntity, membershipEntity, userEntity } from '../../shared/table/entities/users.ts';
import type { GroupData, MembershipData, UserData } from '../../shared/table/records/records.ts';
import { groupOfUserFields, userOfGroupFields } from '../../shared/users/fields.ts';
import {
  profileLoads,
  showGroup,
  type UserContext,
  type UserView,
  viewUser,
  viewUsers,
  wholeUser,
} from '../../shared/users/show-user.ts';
import { forbidden, parentNotFound } from '../../shared/values/errors/errors.ts';
import { addMembership, removeMembership } from './membership.ts';

/** Rights to memberships: keys need a user, who sees its own; not even `ignore_acl` grants access. */
const access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: 'LG',
  user: 'LG',
};

/** Returns the user on whose behalf the request is made, who sees no other users. */
function callingUser({ actor }: Context): number | undefined {
  return actor.kind === 'apiKey' ? actor.user?.id : undefined;
}

/** Returns a path's first id; a missing parent has been rejected before. */
function parentId({ params, route }: Context): number {
  if (params.id === undefined) throw new Error(`${route.name} has no parent`);
  return params.id;
}

interface GroupView {
  readonly group: GroupData;
}

const groupsOfUserLoads = { parent: recordAt(userEntity, ['instance', '{id}']) };
type GroupsOfUser = LoadedOf<typeof groupsOfUserLoads>;

const groupsOfUser: ListOf<GroupData, GroupView, typeof groupOfUserFields, GroupsOfUser> = {
  name: 'User Group',
  operationNames: {
    list: { id: 'listUserGroups', summary: 'List the groups of a user' },
    create: { id: 'addUserToGroup', summary: 'Add a user to a group' },
    get: { id: 'getUserGroup', summary: 'Get a group of a user' },
    delete: { id: 'removeUserFromGroup', summary: 'Remove a user from a group' },
  },
  path: '/instances/{instance}/users/{id}/groups/',
  item: 'member',
  access,
  fields: groupOfUserFields,
  links: [{ name: 'self', type: 'detail', to: '' }],
  record: recordAt(groupEntity, ['instance', '{member}']),
  loads: groupsOfUserLoads,
  authorize: (context) => {
    parentUser(context);
  },
  authorizeItem: (context, { data }) => {
    if (!parentUser(context).data.groups.includes(data.id)) throw notFound();
  },
  readItems: async (context, range) => {
    const instance = instanceOf(context);
    const { groups } = parentUser(context).data;
    const items = await groupEntity.readAll(
      context.platform.store,
      groups.map((id) => [instance, id]),
    );
    const there = items.filter((item) => item !== undefined);
    return cut(
      there.map((item) => ({ pk: item.data.id, item })),
      range,
    );
  },
  view: (_, items) => Promise.resolve(items.map(({ data }) => ({ group: data }))),
  show: (context, { group }) => ({ group: showGroup(context, group) }),
  segment: ({ group }) => String(group.id),
  create: async (context, input) => {
    const { group } = input.valid();
    return addMembership(context, { user: parentId(context), group, parent: 'user' });
  },
  remove: (context, { data }) =>
    removeMembership(context, { user: parentId(context), group: data.id }),
};

/**
 * Returns the user that the path names.
 *
 * @throws ApiError 403 for a calling user who is another one, whether or not the path names a user; 404 where it names
 *   none
 */
function parentUser(context: Context<GroupsOfUser>): Stored<UserData> {
  const caller = callingUser(context);
  if (caller !== undefined && caller !== parentId(context)) throw forbidden('object_denies');
  const user = context.loaded.parent;
  if (user === undefined) throw parentNotFound('User');
  return user;
}

interface UserOfGroupView {
  readonly user: UserView;
}

const usersOfGroupLoads = {
  ...profileLoads,
  parent: requiredLoad(recordAt(groupEntity, ['instance', '{id}']), () => parentNotFound('Group')),
};

const usersOfGroup: ListOf<
  MembershipData,
  UserOfGroupView,
  typeof userOfGroupFields,
  LoadedOf<typeof usersOfGroupLoads>
> = {
  name: 'Group User',
  noun: 'group member',
  operationNames: {
    list: { id: 'listGroupMembers', summary: 'List the members of a group' },
    create: { id: 'addGroupMember', summary: 'Add a member to a group' },
    get: { id: 'getGroupMember', summary: 'Get a member of a group' },
    delete: { id: 'removeGroupMember', summary: 'Remove a member from a group' },
  },
  path: '/instances/{instance}/groups/{id}/users/',
  item: 'member',
  access,
  fields: userOfGroupFields,
  links: [{ name: 'self', type: 'detail', to: '' }],
  record: recordAt(membershipEntity, ['instance', '{id}', '{member}']),
  loads: usersOfGroupLoads,
  authorizeItem: (context, { data }) => {
    const caller = callingUser(context);
    if (caller !== undefined && caller !== data.user) throw notFound();
  },
  readItems: async (context, range) => {
    const { store } = context.platform;
    const [instance, group] = [instanceOf(context), parentId(context)];
    const caller = callingUser(context);
    if (caller === undefined) return rowsOf(store, membershipEntity, [instance, group], range);
    const own = await membershipEntity.read(store, instance, group, caller);
    return own === undefined ? [] : cut([{ pk: caller, item: own }], range);
  },
  view: async (context, items) => {
    const instance = instanceOf(context);
    const found = await userEntity.readAll(
      context.platform.store,
      items.map(({ data }) => [instance, data.user]),
    );
    const users = found.flatMap((item) => item?.data ?? []);
    return (await viewUsers(context, users)).map((user) => ({ user }));
  },
  show: (context, { user }) => ({ user: wholeUser(context, user) }),
  segment: ({ user }) => String(user.data.id),
  create: addUser,
  remove: (context, { data }) =>
    removeMembership(context, { user: data.user, group: parentId(context) }),
};

async function addUser(
  context: UserContext,
  input: Input<typeof userOfGroupFields, 'create'>,
): Promise<UserOfGroupView> {
  const { user } = input.valid();
  const members = await addMembership(context, { user, group: parentId(context), parent: 'group' });
  return { user: await viewUser(context, members.user) };
}

/** Routes of memberships, from both sides. */
export const membershipRoutes: readonly Route[] = [
  ...listRoutes(groupsOfUser),
  ...listRoutes(usersOfGroup),
];
