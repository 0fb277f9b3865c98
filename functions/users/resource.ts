import { nextKey } from '../../shared/accounts/keys.ts';
import {
  type Context,
  endpointRoute,
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  listRoutes,
  notFound,
  prefixParameters,
  recordAt,
  rowsOf,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { post } from '../../shared/core/resource/endpoint.ts';
import { cut, gather } from '../../shared/core/resource/page.ts';
import { openScan } from '../../shared/ports/limits/scans.ts';
import { readUserNames } from '../../shared/search/user-search.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { UserData, UsernameData } from '../../shared/table/records/records.ts';
import {
  maxUsername,
  userFields,
  userFieldsAt,
  userLogInFields,
} from '../../shared/users/fields.ts';
import { removeUser } from '../../shared/users/remove-user.ts';
import { planNextSession } from '../../shared/users/sessions/plan-session.ts';
import {
  profileLoads,
  showUser,
  type UserContext,
  type UserView,
  userLinks,
  viewUser,
  viewUsers,
} from '../../shared/users/show-user.ts';
import { logInAccess, socialForm, userSocialFields } from '../../shared/users/social-form.ts';
import { isSameUser, userAccess } from '../../shared/users/user-access.ts';
import { createUser, updateUser } from '../../shared/users/write-user.ts';
import type { ItemRange } from '../../shared/values/paging.ts';
import { characterCount } from '../../shared/values/scalars.ts';
import { logInUser } from './auth.ts';
import { grants } from './grants.ts';
import { groupRoutes } from './groups.ts';
import { jobs } from './jobs.ts';
import { membershipRoutes } from './memberships.ts';
import { ownRoute } from './own.ts';
import { logInUserSocially } from './social.ts';

const resource: ListOf<UserData, UserView, typeof userFields, UserContext['loaded']> = {
  name: 'User',
  path: '/instances/{instance}/users/',
  item: 'id',
  access: userAccess,
  fields: userFields,
  links: userLinks,
  fieldsAt: userFieldsAt,
  parameters: prefixParameters('username'),
  record: recordAt(userEntity, ['instance', '{id}']),
  loads: profileLoads,
  counter: idsFrom('user'),
  authorizeItem: ({ user }, { data }) => {
    if (user !== undefined && !isSameUser(user.data, data)) throw notFound();
  },
  readItems: (context, range) => {
    const { user, request } = context;
    const prefix = queryValue(request.query, 'username__startswith') ?? '';
    if (user !== undefined) {
      const isWanted = user.data.username.startsWith(prefix);
      return Promise.resolve(isWanted ? cut([{ pk: user.data.id, item: user }], range) : []);
    }
    if (prefix !== '') return itemsByName(context, prefix, range);
    return rowsOf(context.platform.store, userEntity, [instanceOf(context)], range);
  },
  view: (context, items) =>
    viewUsers(
      context,
      items.map(({ data }) => data),
    ),
  show: showUser,
  segment: ({ data }) => String(data.id),
  create: createUser,
  update: updateUser,
  remove: removeUser,
  actions: [
    {
      path: 'reset_key/',
      name: 'Reset Key',
      operationName: { id: 'resetUserKey', summary: 'Reset the key of a user' },
      fields: {},
      run: resetKey,
    },
  ],
};

/**
 * Returns users whose name has a prefix, in the order of ids. Reads the names, which are few where it counts.
 *
 * @throws ApiError 408 when there are too many, as for any list
 */
async function itemsByName(context: Context, prefix: string, range: ItemRange) {
  if (characterCount(prefix) > maxUsername) return []; // no name has such a prefix, and no key may be that long
  const { platform, instanceName } = context;
  const { store } = platform;
  const instance = instanceOf(context);
  const scan = openScan({ platform, instance, instanceName });
  const names = await readUserNames(store, { instance, prefix, scan }).finally(scan.close);
  const rows = names.map((item) => ({ pk: item.data.user, item }));
  return gather<UserData>(
    range,
    async (part) => {
      const found = cut<UsernameData>(rows, part);
      const items = await userEntity.readAll(
        store,
        found.map(({ pk }) => [instance, pk]),
      );
      return found.map(({ pk }, at) => ({ pk, item: items[at] }));
    },
    () => true,
  );
}

/** Gives a user its next key, which ends its sessions. A caller with one of them continues with a new session. */
async function resetKey(context: UserContext, current: Stored<UserData>): Promise<UserView> {
  const { platform, session } = context;
  const data: UserData = {
    ...current.data,
    ...(await nextKey(platform.secrets, current.data)),
  };
  const next =
    session &&
    (await planNextSession(platform, {
      instance: instanceOf(context),
      user: data,
      session: session.data,
    }));
  await commit(context, [updateItem(current, data), ...(next?.writes ?? [])]);
  const view = await viewUser(context, data);
  return next === undefined ? view : { ...view, key: next.key };
}

const authRoute = endpointRoute({
  name: 'User Auth',
  operationNames: { POST: { id: 'logInAsUser', summary: 'Log in as a user' } },
  path: '/instances/{instance}/user/auth/',
  access: logInAccess,
  response: socialForm.response,
  loads: profileLoads,
  ...post(userLogInFields, logInUser),
});

const socialRoute = endpointRoute({
  ...socialForm,
  loads: profileLoads,
  ...post(userSocialFields, logInUserSocially),
});

/** Users of an instance's apps, and the groups that they are in. */
export const users: Family = {
  name: 'users',
  grants,
  jobs,
  places: {
    '/instances/{instance}/user/': '/i/{instance}/users',
    '/instances/{instance}/users/': '/i/{instance}/users',
    '/instances/{instance}/users/{id}/': '/i/{instance}/users/{id}',
    '/instances/{instance}/groups/': '/i/{instance}/groups',
    '/instances/{instance}/groups/{id}/': '/i/{instance}/groups/{id}',
  },
  routes: [
    ...listRoutes(resource),
    ...groupRoutes,
    ...membershipRoutes,
    ownRoute,
    authRoute,
    socialRoute,
  ],
};
