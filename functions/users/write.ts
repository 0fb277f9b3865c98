import { firstKey, userKey } from '../../shared/accounts/keys.ts';
import { hashOf } from '../../shared/accounts/passwords.ts';
import { checkObjectRights } from '../../shared/classes/rules/permissions.ts';
import { type Body, readInput } from '../../shared/core/resource/input.ts';
import type { Update } from '../../shared/core/resource/lists/list-resource.ts';
import { instanceOf, reservedId } from '../../shared/core/resource/place.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import type { ObjectInput, SaveCall } from '../../shared/objects/object-checks.ts';
import {
  type PlannedSave,
  planCreate,
  planRemove,
  planUpdate,
  withPlan,
} from '../../shared/objects/save-object.ts';
import { commitUnique } from '../../shared/store/commit.ts';
import {
  as,
  instanceCounter,
  membershipEntity,
  objectEntity,
  userEntity,
  usernameEntity,
  userPasswordEntity,
} from '../../shared/store/entities.ts';
import { encodeText } from '../../shared/store/index-keys.ts';
import type { UserData } from '../../shared/store/records/records.ts';
import type { Key, Stored, Write } from '../../shared/store/store.ts';
import { erase, insert, store as put, remove, replace } from '../../shared/store/writes.ts';
import { clearUser } from '../../shared/users/clear-user.ts';
import {
  profileClassOf,
  profileKey,
  type ReadUser,
  type UserView,
  viewUser,
} from '../../shared/users/show-user.ts';
import {
  ApiError,
  type FieldErrors,
  invalid,
  notFound,
} from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { userFields } from './fields.ts';
import { profileInput, wholeProfile } from './profile-input.ts';

/** Values of a user's body, and the messages of its errors. */
interface Draft {
  readonly username?: string;
  readonly password?: string;
  readonly profile?: unknown;
}

/** Data of a new user outside the body: name, and password if it has one. */
export interface NewUser {
  readonly username: string;
  readonly password: string | undefined;
  /** The username is an address that a service has confirmed. */
  readonly isConfirmed?: true;
  readonly profile: () => ObjectInput;
  readonly errors?: FieldErrors | undefined;
  /** Written in the same transaction; a write conflict in one of these cancels the registration. */
  readonly beside?: (user: number) => readonly Write[];
}

/**
 * Registers a user: record, name, password and profile in one transaction (docs/reference/users-and-groups.md#user).
 */
export function createUser(context: Context, body: Body): Promise<UserView> {
  const { values, errors } = readInput(userFields, body, 'create');
  const { username = '', password, profile } = values as Draft; // validated
  return registerUser(context, reservedId(context), {
    username,
    password,
    errors,
    profile: () => profileInput(profile, body, 'create') ?? wholeProfile({}, 'create'),
  });
}

/**
 * Stores a new user and its profile.
 *
 * @throws ApiError 400 with all errors of either, or when the name is taken
 */
export async function registerUser(context: Context, id: number, user: NewUser): Promise<UserView> {
  const { store, secrets } = context.platform;
  const instance = instanceOf(context);
  const profileId = await store.next(instanceCounter(instance, 'object'));
  const profile = await settle(user.errors, async () =>
    planCreate(saveCall(context), user.profile(), { id: profileId, owner: id }),
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
  const nameWrite = insert(usernameEntity, nameKey(instance, username), { user: id });
  const writes = [
    ...(user.beside?.(id) ?? []),
    nameWrite,
    insert(userEntity, userEntity.key(instance, id), data),
    ...(await passwordWrites(context, id, user.password)),
    ...profile.writes,
  ];
  await withPlan(saveCall(context), profile, (beside) =>
    commitUnique(context, [...writes, ...beside], refusals(nameWrite, profile)),
  );
  const key = await userKey(secrets, instance, data);
  return { data, typedName: user.username, profile, groups: [], key };
}

const nothingToSave = { added: [], growth: {} };

/** Changes a user, and its profile where the body has one. Tries once. */
export async function updateUser(
  context: Context,
  { current, body, mode }: Update<UserData>,
): Promise<UserView> {
  const { values, errors } = readInput(userFields, body, mode);
  const draft = values as Draft; // validated
  const view = await viewUser(context, current.data);
  const profile = await settle(errors, async () => {
    const input = profileInput(draft.profile, body, mode);
    return input && plannedProfile(context, view, input);
  });
  const instance = instanceOf(context);
  const { id, username: before } = current.data;
  const { username: typedName = before, password } = draft;
  const username = typedName.toLowerCase();
  const { isConfirmed: _, ...moved } = current.data; // a new name is not confirmed
  const data: UserData = username === before ? current.data : { ...moved, username };
  const nameWrite = insert(usernameEntity, nameKey(instance, username), { user: id });
  const writes = [
    ...(username === before ? [] : [nameWrite, erase(nameKey(instance, before))]),
    ...(username === before && password === undefined ? [] : [replace(current, data)]),
    ...(await passwordWrites(context, id, password)),
    ...(profile?.writes ?? []),
  ];
  if (writes.length > 0) {
    await withPlan(saveCall(context), profile ?? nothingToSave, (beside) =>
      commitUnique(context, [...writes, ...beside], refusals(nameWrite, profile)),
    );
  }
  return { ...view, data, typedName, profile: profile ?? view.profile };
}

/**
 * Deletes a user with name, password, memberships and profile, in one transaction. A background job deletes the objects
 * that it owns, on which no user has owner rights any more.
 */
export async function removeUser(context: Context, current: Stored<UserData>): Promise<void> {
  const { id, username, groups } = current.data;
  const instance = instanceOf(context);
  const [item] = await context.platform.store.get([profileKey(context, current.data)]);
  const found = as(objectEntity, item);
  const profile = found && (await planRemove(saveCall(context), found));
  const writes = [
    remove(current),
    erase(nameKey(instance, username)),
    erase(userPasswordEntity.key(instance, id)),
    ...groups.map((group) => erase(membershipEntity.key(instance, group, id))),
    ...(profile?.writes ?? []),
    newJob(context.platform, clearUser, { instance, user: id }),
  ];
  await commitUnique(context, writes, () => undefined);
}

/** Returns the key of a name, in lower case. */
export function nameKey(instance: number, username: string): Key {
  return usernameEntity.key(instance, encodeText(username));
}

async function passwordWrites(
  context: Context,
  user: number,
  password: string | undefined,
): Promise<readonly Write[]> {
  if (password === undefined) return [];
  const hash = await hashOf(context, password);
  const key = userPasswordEntity.key(instanceOf(context), user);
  return [put(userPasswordEntity, key, { hash })];
}

function refusals(nameWrite: Write, profile: PlannedSave | undefined) {
  return (write: Write) => {
    if (write === nameWrite) return invalid({ username: [messages.unique] });
    const refusal = profile?.refusal(write);
    return refusal && invalid({ profile: refusal.body });
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

async function plannedProfile(
  context: Context,
  { profile: current }: ReadUser,
  input: ObjectInput,
): Promise<PlannedSave> {
  if (current === undefined) throw notFound(); // deleted with its user since
  checkObjectRights(context.actor, current.data, 'update'); // permissions of the object apply
  return planUpdate(saveCall(context), current, input);
}

function saveCall(context: Context): SaveCall {
  const { platform, caches, actor } = context;
  const instance = instanceOf(context);
  return { platform, caches, actor, instance, class: profileClassOf(context) };
}
