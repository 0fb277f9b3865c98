import { firstKey, userKey } from '../accounts/keys.ts';
import { newPasswordHash, passwordErrors } from '../accounts/passwords.ts';
import { checkObjectRights } from '../classes/rules/permissions.ts';
import { instanceOf, reservedId } from '../core/resource/context-values.ts';
import type { Input } from '../core/resource/input.ts';
import type { Update } from '../core/resource/lists/list-resource.ts';
import { planCreate } from '../objects/create-object.ts';
import type { ParsedSystemFields } from '../objects/object-checks.ts';
import { type SaveCall, saveCallIn } from '../objects/save-call.ts';
import { planNothing, planUpdate, type SavePlan, withPlan } from '../objects/save-object.ts';
import { commitUnique } from '../store/commit.ts';
import type { Key, Write } from '../store/store.ts';
import { createItem, deleteIfExists, putItem, updateItem } from '../store/writes.ts';
import { instanceCounter } from '../table/counters.ts';
import { userEntity, usernameEntity, userPasswordEntity } from '../table/entities/users.ts';
import { encodeText } from '../table/index-keys.ts';
import type { UserData } from '../table/records/records.ts';
import { ApiError, type FieldErrors, invalid, notFound } from '../values/errors/errors.ts';
import { messages } from '../values/errors/messages.ts';
import { addressChange } from './addresses/set-address.ts';
import type { userFields } from './fields.ts';
import { profileInput, wholeProfile } from './profile-input.ts';
import { endSessions } from './sessions/user-sessions.ts';
import { userSettingsOf } from './settings/user-settings.ts';
import {
  profileAddresses,
  profileClassOf,
  type ReadUser,
  type UserContext,
  type UserView,
  viewUser,
} from './show-user.ts';

/** Data of a new user outside the body: name, and password if it has one. */
export interface NewUser {
  readonly username: string;
  readonly password: string | undefined;
  /** The username is an address that a service has confirmed. */
  readonly isConfirmed?: true;
  readonly profile: () => ParsedSystemFields;
  readonly errors?: FieldErrors | undefined;
  /** Further members of its record. */
  readonly account?: Pick<
    UserData,
    'email' | 'isEmailConfirmed' | 'guestUntil' | 'guestPlace' | 'services'
  >;
  /** Written in the same transaction; a write conflict in one of these cancels the registration. */
  readonly moreWrites?: (user: UserData) => Promise<readonly Write[]>;
  /** Error for a conflict in one of those, where it has a meaning. */
  readonly conflictError?: ConflictError;
}

type ConflictError = (write: Write) => ApiError | undefined;

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
    ...user.account,
  };
  const nameWrite = createItem(usernameEntity, nameKey(instance, username), { user: id });
  const writes = [
    ...((await user.moreWrites?.(data)) ?? []),
    nameWrite,
    createItem(userEntity, userEntity.key(instance, id), data),
    ...(await passwordWrites(context, id, user.password)),
    ...profile.writes,
    ...(await profile.events()),
  ];
  await withPlan(saveCall(context), profile, (fileWrites) =>
    commitUnique(
      context,
      [...writes, ...fileWrites],
      conflictError(nameWrite, profile, user.conflictError),
    ),
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
  const events: Events = async ({ profile }, changed) => {
    const plan = changed ?? (profile && planNothing(saveCall(context), profile));
    return plan?.events() ?? [];
  };
  return changeUser(context, update, events, addressChange(context, update.current, update.input));
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

/** A change that the body does not contain, as a proof of the user's address. */
export interface OtherChange {
  /** The user's record with it. */
  readonly data: UserData;
  /** Written in the same transaction. */
  readonly writes: readonly Write[];
  /** The password is deleted, unless the body has another. */
  readonly endsPassword: boolean;
  readonly conflictError: ConflictError;
}

/** Changes a user as its body says, together with another change. Tries once; no trigger notices it. */
export function changeUserWith(
  context: UserContext,
  update: Update<UserData, typeof userFields>,
  other: OtherChange,
): Promise<UserView> {
  return changeUser(context, update, async () => [], other);
}

async function changeUser(
  context: UserContext,
  { current, input }: Update<UserData, typeof userFields>,
  events: Events,
  other?: OtherChange,
): Promise<UserView> {
  const { values, errors } = input.read();
  const view = await viewUser(context, current.data);
  const before = current.data;
  const { username: typedName = (other?.data ?? before).username, password } = values;
  const profile = await settle(passwordErrors(context, { password }, errors), async () => {
    const sent = profileInput(values.profile, input.body, input.mode);
    return sent && planProfile(context, view, sent);
  });
  const instance = instanceOf(context);
  const { id } = before;
  const username = typedName.toLowerCase();
  const isRenamed = username !== before.username;
  const changed = withPassword(context, other?.data ?? before, password);
  const { isConfirmed: _, ...moved } = changed; // a new name is not confirmed
  const data: UserData = isRenamed ? { ...moved, username } : changed;
  const nameWrite = createItem(usernameEntity, nameKey(instance, username), { user: id });
  const isChanged = [isRenamed, password !== undefined, other !== undefined].includes(true);
  const writes = [
    ...(isRenamed ? [nameWrite, deleteIfExists(nameKey(instance, before.username))] : []),
    ...(isChanged ? [updateItem(current, data)] : []),
    ...(await passwordWrites(context, id, password)),
    ...writesOf(other, userPasswordEntity.key(instance, id), password),
    ...(profile?.writes ?? []),
    ...(await events(view, profile)),
  ];
  if (writes.length > 0) {
    await withPlan(saveCall(context), profile ?? nothingToSave, (fileWrites) =>
      commitUnique(
        context,
        [...writes, ...fileWrites],
        conflictError(nameWrite, profile, other?.conflictError),
      ),
    );
  }
  if (password !== undefined && data.generation === before.generation)
    await endOtherSessions(context, data);
  if (profile === undefined) return { ...view, data, typedName };
  const addresses = await profileAddresses(context, [profile]);
  return { ...view, data, typedName, profile, addresses };
}

/** Ends the sessions of a user with a new password but the caller's: whoever else is logged in does not know it. */
async function endOtherSessions(context: UserContext, data: UserData): Promise<void> {
  const own = context.user?.data.id === data.id ? context.session?.data.number : undefined;
  await endSessions(context, data, ({ number }) => number !== own);
}

function writesOf(
  other: OtherChange | undefined,
  passwordKey: Key,
  password: string | undefined,
): readonly Write[] {
  if (other === undefined) return [];
  const isEnded = other.endsPassword && password === undefined;
  return isEnded ? [...other.writes, deleteIfExists(passwordKey)] : other.writes;
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

/** Notes a new password: tokens of earlier mails are void, those for a first address too. */
function withPassword(
  context: UserContext,
  data: UserData,
  password: string | undefined,
): UserData {
  const mayHaveTokens = data.email !== undefined || userSettingsOf(context).email !== 'off';
  if (password === undefined || !mayHaveTokens) return data;
  return { ...data, passwordAt: context.platform.clock.micros() };
}

function conflictError(
  nameWrite: Write,
  profile: SavePlan | undefined,
  other: ConflictError = () => undefined,
): ConflictError {
  return (write) => {
    if (write === nameWrite) return invalid({ username: [messages.unique] });
    const known = other(write);
    if (known !== undefined) return known;
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
