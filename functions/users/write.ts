import { firstKey, userKey } from '../../shared/accounts/keys.ts';
import { newPasswordHash, passwordErrors } from '../../shared/accounts/passwords.ts';
import { checkObjectRights } from '../../shared/classes/rules/permissions.ts';
import { instanceOf, notFound, reservedId, type Update } from '../../shared/core/family.ts';
import type { Input } from '../../shared/core/resource/input.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { planCreate } from '../../shared/objects/create-object.ts';
import type { ParsedSystemFields } from '../../shared/objects/object-checks.ts';
import { type SaveCall, saveCallIn } from '../../shared/objects/save-call.ts';
import {
  planNothing,
  planRemove,
  planUpdate,
  type SavePlan,
  withPlan,
} from '../../shared/objects/save-object.ts';
import { commitUnique } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Key, Stored, Write } from '../../shared/store/store.ts';
import {
  createItem,
  deleteIfExists,
  deleteItem,
  putItem,
  updateItem,
} from '../../shared/store/writes.ts';
import { instanceCounter } from '../../shared/table/counters.ts';
import {
  membershipEntity,
  userEntity,
  usernameEntity,
  userPasswordEntity,
} from '../../shared/table/entities/users.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import { clearUser } from '../../shared/users/clear-user.ts';
import { endSessions } from '../../shared/users/sessions/user-sessions.ts';
import {
  profileAddresses,
  profileAt,
  profileClassOf,
  type ReadUser,
  type UserContext,
  type UserView,
  viewUser,
} from '../../shared/users/show-user.ts';
import { ApiError, type FieldErrors, invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { userFields } from './fields.ts';
import { profileInput, wholeProfile } from './profile-input.ts';

/** Data of a new user outside the body: name, and password if it has one. */
export interface NewUser {
  readonly username: string;
  readonly password: string | undefined;
  /** The username is an address that a service has confirmed. */
  readonly isConfirmed?: true;
  readonly profile: () => ParsedSystemFields;
  readonly errors?: FieldErrors | undefined;
  /** Written in the same transaction; a write conflict in one of these cancels the registration. */
  readonly moreWrites?: (user: number) => readonly Write[];
}

/**
 * Registers a user: record, name, password and profile in one transaction (docs/reference/users-and-groups.md#user).
 */
export function createUser(
  context: UserContext,
  input: Input<typeof userFields, 'create'>,
): Promise<UserView> {
  const { values, errors } = input.read();
  const { username = '', password, profile } = values;
  return registerUser(context, reservedId(context), {
    username,
    password,
    errors: passwordErrors(context, { password }, errors),
    profile: () => profileInput(profile, input.body, 'create') ?? wholeProfile({}, 'create'),
  });
}

/**
 * Stores a new user and its profile.
 *
 * @throws ApiError 400 with all errors of either, or when the name is taken
 */
export async function registerUser(
  context: UserContext,
  id: number,
  user: NewUser,
): Promise<UserView> {
  const { store, secrets } = context.platform;
  const instance = instanceOf(context);
  const profileId = await store.next(instanceCounter(instance, 'object'));
  const profile = await settle(user.errors, async () =>
    planCreate(saveCall(context), {
      id: profileId,
      parse: user.profile,
      owner: id,
    }),
  );
  const username = user.username.toLowerCase();
  const keyed = await firstKey(context.platform);
  const data: UserData = {
    id,
    username,
    groups: [],
    profile: profileId,
    ...keyed,
    ...(user.isConfirmed && { isConfirmed: user.isConfirmed }),
  };
  const nameWrite = createItem(usernameEntity, nameKey(instance, username), { user: id });
  const writes = [
    ...(user.moreWrites?.(id) ?? []),
    nameWrite,
    createItem(userEntity, userEntity.key(instance, id), data),
    ...(await passwordWrites(context, id, user.password)),
    ...profile.writes,
    ...(await profile.events()),
  ];
  await withPlan(saveCall(context), profile, (fileWrites) =>
    commitUnique(context, [...writes, ...fileWrites], conflictError(nameWrite, profile)),
  );
  const key = await userKey(secrets, instance, data);
  const addresses = await profileAddresses(context, [profile]);
  return { data, typedName: user.username, profile, addresses, groups: [], key };
}

const nothingToSave = { added: [], growth: {} };

/** Changes a user, and its profile where the body has one; triggers notice the profile in any case. Tries once. */
export function updateUser(
  context: UserContext,
  update: Update<UserData, typeof userFields>,
): Promise<UserView> {
  return changeUser(context, update, async (view, changed) => {
    const { profile } = view;
    const plan = changed ?? (profile && planNothing(saveCall(context), profile));
    return plan?.events() ?? [];
  });
}

/** Changes the calling user in the same way; no trigger notices it (docs/reference/triggers.md#users). */
export function updateOwnUser(
  context: UserContext,
  update: Update<UserData, typeof userFields>,
): Promise<UserView> {
  return changeUser(context, update, async () => []);
}

/** Returns the writes by which triggers notice a change, given the planned save of the profile, if any. */
type Events = (view: ReadUser, plan: SavePlan | undefined) => Promise<readonly Write[]>;

async function changeUser(
  context: UserContext,
  { current, input }: Update<UserData, typeof userFields>,
  events: Events,
): Promise<UserView> {
  const { values, errors } = input.read();
  const view = await viewUser(context, current.data);
  const { username: typedName = current.data.username, password } = values;
  const profile = await settle(passwordErrors(context, { password }, errors), async () => {
    const sent = profileInput(values.profile, input.body, input.mode);
    return sent && planProfile(context, view, sent);
  });
  const instance = instanceOf(context);
  const { id, username: before } = current.data;
  const username = typedName.toLowerCase();
  const { isConfirmed: _, ...moved } = current.data; // a new name is not confirmed
  const data: UserData = username === before ? current.data : { ...moved, username };
  const nameWrite = createItem(usernameEntity, nameKey(instance, username), { user: id });
  const writes = [
    ...(username === before ? [] : [nameWrite, deleteIfExists(nameKey(instance, before))]),
    ...(username === before && password === undefined ? [] : [updateItem(current, data)]),
    ...(await passwordWrites(context, id, password)),
    ...(profile?.writes ?? []),
    ...(await events(view, profile)),
  ];
  if (writes.length > 0) {
    await withPlan(saveCall(context), profile ?? nothingToSave, (fileWrites) =>
      commitUnique(context, [...writes, ...fileWrites], conflictError(nameWrite, profile)),
    );
  }
  if (password !== undefined) {
    // whoever else is logged in does not know the new password
    const own = context.user?.data.id === id ? context.session?.data.number : undefined;
    await endSessions(context, data, ({ number }) => number !== own);
  }
  if (profile === undefined) return { ...view, data, typedName };
  const addresses = await profileAddresses(context, [profile]);
  return { ...view, data, typedName, profile, addresses };
}

/**
 * Deletes a user with name, password, memberships and profile, in one transaction. A background job deletes the objects
 * that it owns, on which no user has owner rights any more.
 */
export async function removeUser(context: UserContext, current: Stored<UserData>): Promise<void> {
  const { id, username, groups } = current.data;
  const instance = instanceOf(context);
  const found = await readTogether(context.platform.store, {
    profile: profileAt(context, current.data),
  });
  const profile = found.profile && (await planRemove(saveCall(context), found.profile));
  const writes = [
    deleteItem(current),
    deleteIfExists(nameKey(instance, username)),
    deleteIfExists(userPasswordEntity.key(instance, id)),
    ...groups.map((group) => deleteIfExists(membershipEntity.key(instance, group, id))),
    ...(profile?.writes ?? []),
    ...((await profile?.events()) ?? []),
    newJob(context.platform, clearUser, { instance, user: id }),
  ];
  await commitUnique(context, writes, () => undefined);
}

/** Returns the key of a name, in lower case. */
export function nameKey(instance: number, username: string): Key {
  return usernameEntity.key(instance, encodeText(username));
}

async function passwordWrites(
  context: UserContext,
  user: number,
  password: string | undefined,
): Promise<readonly Write[]> {
  if (password === undefined) return [];
  const hash = await newPasswordHash(context, password);
  const key = userPasswordEntity.key(instanceOf(context), user);
  return [putItem(userPasswordEntity, key, { hash })];
}

function conflictError(nameWrite: Write, profile: SavePlan | undefined) {
  return (write: Write) => {
    if (write === nameWrite) return invalid({ username: [messages.unique] });
    const error = profile?.conflictError(write);
    return error && invalid({ profile: error.body });
  };
}

/** Prepares a profile's save; its errors are reported together with those of the user. */
async function settle<Plan>(
  errors: FieldErrors | undefined,
  plan: () => Promise<Plan>,
): Promise<Plan> {
  let profile: Plan;
  try {
    profile = await plan();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw invalid({ ...errors, profile: error.body });
  }
  if (errors !== undefined) throw invalid(errors);
  return profile;
}

async function planProfile(
  context: UserContext,
  { profile: current }: ReadUser,
  input: ParsedSystemFields,
): Promise<SavePlan> {
  if (current === undefined) throw notFound(); // deleted with its user since
  checkObjectRights(context.actor, current.data, 'update'); // permissions of the object apply
  return planUpdate(saveCall(context), current, input);
}

function saveCall(context: UserContext): SaveCall {
  return saveCallIn(context, instanceOf(context), profileClassOf(context));
}
