import { sessionKey, userKey } from '../accounts/keys.ts';
import { profileClass } from '../classes/rules/permissions.ts';
import { instanceOf } from '../core/resource/context-values.ts';
import { instanceBase, type Link, linksOf } from '../core/resource/links.ts';
import { type LoadedOf, recordAt } from '../core/resource/loads/loads.ts';
import type { Context } from '../core/routing/route.ts';
import { addressesOf } from '../objects/files/private-files.ts';
import { type FileAddresses, wholeObject } from '../objects/show-object.ts';
import { type ItemReference, readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { classEntity, objectEntity } from '../table/entities/classes.ts';
import { groupEntity } from '../table/entities/users.ts';
import type { ClassData, GroupData, ObjectData, UserData } from '../table/records/records.ts';
import { isAllowed } from '../values/access.ts';
import type { Json } from '../values/json/json.ts';
import { timestamp } from '../values/timestamp.ts';
import { userSettingsLoads, userSettingsOf } from './settings/user-settings.ts';
import { userAccess } from './user-access.ts';

/** User joined with profile and groups. */
export interface UserView {
  readonly data: UserData;
  /** The name as sent in this request; it is stored, and shown by every later request, in lower case. */
  readonly typedName?: string | undefined;
  /** Absent only while its user is being deleted. */
  readonly profile: Pick<Stored<ObjectData>, 'data'> | undefined;
  /** Of private files of profiles that the caller may read. */
  readonly addresses: FileAddresses | undefined;
  readonly groups: readonly GroupData[];
  /** Absent for actors that may not update users. */
  readonly key: string | undefined;
  /** The response logs the user in, so it is for the user itself. */
  readonly isLoggedIn?: boolean;
}

/** User joined with a profile that was read and can be changed. */
export interface ReadUser extends UserView {
  readonly profile: Stored<ObjectData> | undefined;
}

/** The class of profiles and the settings of users, which every operation on users loads. */
export const profileLoads = {
  ...userSettingsLoads,
  profileClass: recordAt(classEntity, ['instance'], (instance) =>
    classEntity.key(instance, profileClass),
  ),
};

/** A request with the class of profiles. */
export type UserContext = Context<LoadedOf<typeof profileLoads>>;

/** Returns the class of profiles, which every instance has. */
export function profileClassOf({ loaded }: UserContext): Stored<ClassData> {
  const found = loaded.profileClass;
  if (found === undefined) throw new Error('an instance has no class of profiles');
  return found;
}

/** Returns where a user's profile is. */
export function profileAt(context: UserContext, { profile }: UserData): ItemReference<ObjectData> {
  return objectEntity.at(instanceOf(context), profileClassOf(context).data.number, profile);
}

/** Joins users with the records shown in responses, in one step; same order. */
export async function viewUsers(
  context: UserContext,
  users: readonly UserData[],
): Promise<readonly ReadUser[]> {
  if (users.length === 0) return [];
  const { store } = context.platform;
  const instance = instanceOf(context);
  const showsKey = isAllowed(userAccess, context.actor, 'U');
  const groupIds = [...new Set(users.flatMap(({ groups }) => groups))];
  const found = await readTogether(store, {
    profiles: users.map((user) => profileAt(context, user)),
    groups: groupIds.map((id) => groupEntity.at(instance, id)),
  });
  const addresses = await profileAddresses(context, found.profiles);
  const groups = new Map(groupIds.map((id, at) => [id, found.groups[at]?.data]));
  return Promise.all(
    users.map(async (data, at) => ({
      data,
      profile: found.profiles[at],
      addresses,
      groups: data.groups.flatMap((id) => groups.get(id) ?? []), // a deleted group may still be listed
      key: showsKey ? await keyFor(context, data) : undefined,
    })),
  );
}

/** Returns the addresses of private files of profiles. */
export function profileAddresses(
  context: UserContext,
  profiles: readonly (UserView['profile'] | undefined)[],
): Promise<FileAddresses | undefined> {
  const found = profiles.filter((profile) => profile !== undefined);
  return addressesOf(context, profileClassOf(context), found);
}

/** Joins one user with the records shown in responses. */
export async function viewUser(context: UserContext, user: UserData): Promise<ReadUser> {
  const [view] = await viewUsers(context, [user]);
  if (view === undefined) throw new Error('a user has no view');
  return view;
}

/** Joins a user who has just logged in: the response contains its key, regardless of the actor. */
export async function viewLoggedIn(context: UserContext, user: UserData): Promise<UserView> {
  const view = await viewUser(context, user);
  return { ...view, key: await keyFor(context, user), isLoggedIn: true };
}

/** Computes the key that a response shows for a user: a session sees its own and none that works longer. */
function keyFor(context: Context, data: UserData): Promise<string> {
  const { session, user, platform } = context;
  const instance = instanceOf(context);
  return session !== undefined && user?.data.id === data.id
    ? sessionKey(platform.secrets, { instance, user: data.id }, session.data)
    : userKey(platform.secrets, instance, data);
}

/** Formats a user for responses, without its links. */
export function showUser(context: UserContext, view: UserView): Record<string, Json> {
  const { data, typedName = data.username, profile, addresses, groups, key } = view;
  const shown = profile && { data: profile.data, addresses };
  return {
    id: data.id,
    username: typedName,
    profile: shown === undefined ? null : wholeObject(context, profileClassOf(context), shown),
    groups: groups.map((group) => showGroup(context, group)),
    ...showAccount(context, view),
    ...(key !== undefined && { user_key: key }),
  };
}

function guestEnd({ guestUntil }: UserData): string | null {
  return guestUntil === undefined ? null : timestamp(guestUntil * 1_000_000);
}

/** Returns the members that the settings of users add, which only administrators and the user itself see. */
function showAccount(
  context: UserContext,
  { data, isLoggedIn = context.user?.data.id === data.id }: UserView,
): Record<string, Json> {
  if (context.actor.kind !== 'admin' && !isLoggedIn) return {};
  const { email, guests, providers } = userSettingsOf(context);
  return {
    ...(email !== 'off' && {
      email: data.email ?? null,
      is_email_confirmed: data.isEmailConfirmed === true,
    }),
    ...(guests && { guest_until: guestEnd(data) }),
    ...(providers.length > 0 && { services: servicesOf(data) }),
  };
}

/** Returns the names of the services that a user is linked to. */
function servicesOf({ services = {}, linkEpoch = 0 }: UserData): readonly string[] {
  return Object.keys(services).filter((name) => services[name] === linkEpoch);
}

/** Formats a user with its links, for other responses. */
export function wholeUser(context: UserContext, view: UserView): Record<string, Json> {
  const self = `${instanceBase(context)}/users/${view.data.id}/`;
  return { ...showUser(context, view), links: linksOf(context, userLinks, self, view) };
}

/** Formats a group with its links, for other responses. */
export function showGroup(context: Context, data: GroupData): Record<string, Json> {
  const self = `${instanceBase(context)}/groups/${data.id}/`;
  const { id, name, label, description } = data;
  return { id, name, label, description, links: linksOf(context, groupLinks, self, data) };
}

/** Links of a user; one has a hyphen, as clients expect. */
export const userLinks: readonly Link<UserView>[] = [
  { name: 'self', type: 'detail', to: '' },
  { name: 'groups', type: 'list', to: 'groups/' },
  { name: 'reset-key', type: 'key', to: 'reset_key/' },
  {
    name: 'profile',
    type: 'detail',
    to: ({ data }, instance) => `${instance}/classes/${profileClass}/objects/${data.profile}/`,
  },
];

/** Links of a group. */
export const groupLinks: readonly Link<unknown>[] = [
  { name: 'self', type: 'detail', to: '' },
  { name: 'users', type: 'list', to: 'users/' },
];
