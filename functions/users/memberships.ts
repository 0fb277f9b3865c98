import { type Body, validInput } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { cut, rowsOf } from '../../shared/core/resource/page.ts';
import { instanceOf } from '../../shared/core/resource/place.ts';
import type { Context, Route } from '../../shared/core/resource/route.ts';
import { as, groupEntity, membershipEntity, userEntity } from '../../shared/store/entities.ts';
import type { GroupData, MembershipData, UserData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import {
  profileReads,
  showGroup,
  type UserView,
  viewUser,
  viewUsers,
  wholeUser,
} from '../../shared/users/show-user.ts';
import { allRights } from '../../shared/values/access.ts';
import { notFound, parentNotFound } from '../../shared/values/errors/errors.ts';
import { groupOfUserFields, userOfGroupFields } from './fields.ts';
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

const groupsOfUser: ListResource<GroupData, GroupView> = {
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
  key: ({ instance, params }) =>
    instance === undefined || params.member === undefined
      ? undefined
      : groupEntity.key(instance, params.member),
  reads: ({ instance, params }) => ({
    parent:
      instance === undefined || params.id === undefined
        ? undefined
        : userEntity.key(instance, params.id),
  }),
  authorize: (context) => {
    parentUser(context);
  },
  authorizeItem: (context, { data }) => {
    if (!parentUser(context).data.groups.includes(data.id)) throw notFound();
  },
  rows: async (context, range) => {
    const instance = instanceOf(context);
    const { groups } = parentUser(context).data;
    if (groups.length === 0) return [];
    const items = await context.platform.store.get(
      groups.map((id) => groupEntity.key(instance, id)),
    );
    const rows = items.flatMap((found) => {
      const item = as(groupEntity, found);
      return item === undefined ? [] : [{ pk: item.data.id, item }];
    });
    return cut(rows, range);
  },
  view: (_, items) => Promise.resolve(items.map(({ data }) => ({ group: data }))),
  show: (context, { group }) => ({ group: showGroup(context, group) }),
  segment: ({ group }) => String(group.id),
  create: async (context, body) => {
    const { group } = validInput(groupOfUserFields, body, 'create') as { group: number }; // validated
    return addMembership(context, { user: parentId(context), group, parent: 'user' });
  },
  remove: (context, { data }) =>
    removeMembership(context, { user: parentId(context), group: data.id }),
};

/** Returns the user that the path names; other users do not exist for a calling user. */
function parentUser(context: Context): Stored<UserData> {
  const user = as(userEntity, context.records.parent);
  const caller = callingUser(context);
  if (user === undefined || (caller !== undefined && caller !== user.data.id)) {
    throw parentNotFound('User');
  }
  return user;
}

interface UserOfGroupView {
  readonly user: UserView;
}

const usersOfGroup: ListResource<MembershipData, UserOfGroupView> = {
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
  key: ({ instance, params }) =>
    instance === undefined || params.id === undefined || params.member === undefined
      ? undefined
      : membershipEntity.key(instance, params.id, params.member),
  reads: (known) => ({
    ...profileReads(known),
    parent:
      known.instance === undefined || known.params.id === undefined
        ? undefined
        : groupEntity.key(known.instance, known.params.id),
  }),
  authorize: ({ records }) => {
    if (records.parent === undefined) throw parentNotFound('Group');
  },
  authorizeItem: (context, { data }) => {
    const caller = callingUser(context);
    if (caller !== undefined && caller !== data.user) throw notFound();
  },
  rows: async (context, range) => {
    const { store } = context.platform;
    const at = (user: number) => membershipEntity.key(instanceOf(context), parentId(context), user);
    const caller = callingUser(context);
    if (caller === undefined) return rowsOf<MembershipData>(store, at(0).pk, '', range);
    const own = as(membershipEntity, (await store.get([at(caller)]))[0]);
    return own === undefined ? [] : cut([{ pk: caller, item: own }], range);
  },
  view: async (context, items) => {
    const instance = instanceOf(context);
    if (items.length === 0) return [];
    const found = await context.platform.store.get(
      items.map(({ data }) => userEntity.key(instance, data.user)),
    );
    const users = found.flatMap((item) => as(userEntity, item)?.data ?? []);
    return (await viewUsers(context, users)).map((user) => ({ user }));
  },
  show: (context, { user }) => ({ user: wholeUser(context, user) }),
  segment: ({ user }) => String(user.data.id),
  create: (context, body) => addUser(context, body),
  remove: (context, { data }) =>
    removeMembership(context, { user: data.user, group: parentId(context) }),
};

async function addUser(context: Context, body: Body): Promise<UserOfGroupView> {
  const { user } = validInput(userOfGroupFields, body, 'create') as { user: number }; // validated
  const members = await addMembership(context, { user, group: parentId(context), parent: 'group' });
  return { user: await viewUser(context, members.user) };
}

/** Routes of memberships, from both sides. */
export const membershipRoutes: readonly Route[] = [
  ...listRoutes(groupsOfUser),
  ...listRoutes(usersOfGroup),
];
