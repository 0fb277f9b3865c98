import { nextKey } from '../../shared/accounts/keys.ts';
import { verifiedProfile } from '../../shared/accounts/social.ts';
import { instanceOf, validInput } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import {
  checkUnchanged,
  createOrUpdate,
  deleteIfExists,
  updateItem,
} from '../../shared/store/writes.ts';
import { instanceCounter } from '../../shared/table/counters.ts';
import {
  userEntity,
  userPasswordEntity,
  userSocialEntity,
} from '../../shared/table/entities/users.ts';
import type { UserData, UserSocialData } from '../../shared/table/records/records.ts';
import { addressDeletes } from '../../shared/users/addresses/user-address.ts';
import { guestEnd } from '../../shared/users/guests/guest-places.ts';
import { wholeProfile } from '../../shared/users/profile-input.ts';
import {
  type UserContext,
  type UserView,
  viewLoggedIn,
  wholeUser,
} from '../../shared/users/show-user.ts';
import { userSocialFields } from '../../shared/users/social-form.ts';
import { userAccess } from '../../shared/users/user-access.ts';
import { registerUser } from '../../shared/users/write-user.ts';
import { isAllowed } from '../../shared/values/access.ts';
import { detailError } from '../../shared/values/errors/errors.ts';
import { findUserByName } from './auth.ts';

/**
 * Logs in with a token of another service. Uses the user that is linked to it, else the user whose name is the verified
 * address, which is linked then, else a new one without password (docs/reference/users-and-groups.md#log-in).
 */
export async function logInUserSocially(context: UserContext, body: Body): Promise<Response> {
  const backend = context.params.backend ?? '';
  const { access_token } = validInput(userSocialFields, body, 'create');
  const profile = await verifiedProfile(context, backend, access_token);
  const user = await retryOnConflict(() => userOf(context, backend, profile));
  return { status: 200, body: wholeUser(context, user) };
}

async function userOf(
  context: UserContext,
  backend: string,
  { id, email }: SocialProfile,
): Promise<UserView> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const key = userSocialEntity.key(instance, backend, id);
  const link = await userSocialEntity.read(store, instance, backend, id);
  const linked = link && (await userEntity.read(store, instance, link.data.user));
  if (linked !== undefined && isSameEpoch(link?.data, linked.data)) {
    return viewLoggedIn(context, linked.data);
  }
  if (email === undefined)
    throw detailError(400, 'Invalid social scope, missing email.', 'social_login_failed');
  // a link may have outlived its user
  const linkTo = (data: UserSocialData) =>
    createOrUpdate(userSocialEntity, { key, current: link }, data);
  const found = await findUserByName(context, email);
  if (found !== undefined) {
    return viewLoggedIn(context, await linkFound(context, found.item, linkTo));
  }
  if (!isAllowed(userAccess, context.actor, 'C')) {
    throw detailError(403, 'You do not have permission to create new user.', 'key_flag_needed');
  }
  return registerUser(context, await store.next(instanceCounter(instance, 'user')), {
    username: email,
    password: undefined,
    isConfirmed: true,
    profile: () => wholeProfile({}, 'create'),
    moreWrites: async ({ id: user }) => [linkTo({ user })],
  });
}

function isSameEpoch(a: UserSocialData | undefined, b: UserData): boolean {
  return (a?.linkEpoch ?? 0) === (b.linkEpoch ?? 0);
}

/**
 * Links the user whose name is the address. Where nobody has proved the address yet, another person may have created the
 * user and wait for the owner of the address to use it: the proof wins, and earlier password, key and links are void, an
 * address of another name, and the end of a guest.
 */
async function linkFound(
  context: UserContext,
  found: Stored<UserData>,
  linkTo: (data: UserSocialData) => Write,
): Promise<UserData> {
  const { id: user, isConfirmed, linkEpoch = 0, username, email, isEmailConfirmed } = found.data;
  const hasAddress = email === username;
  if (isConfirmed === true || (hasAddress && isEmailConfirmed === true)) {
    await commit(context, [linkTo({ user, linkEpoch }), checkUnchanged(found)]);
    return found.data;
  }
  const instance = instanceOf(context);
  const { email: _, isEmailConfirmed: __, guestUntil: ___, guestPlace: ____, ...kept } = found.data;
  const data: UserData = {
    ...kept,
    ...(hasAddress && { email, isEmailConfirmed: true }),
    ...(await nextKey(context.platform.secrets, found.data)),
    isConfirmed: true,
    linkEpoch: linkEpoch + 1,
  };
  await commit(context, [
    linkTo({ user, linkEpoch: linkEpoch + 1 }),
    updateItem(found, data),
    deleteIfExists(userPasswordEntity.key(instance, user)),
    ...(hasAddress ? [] : addressDeletes(instance, found.data)),
    ...guestEnd(instance, found.data),
  ]);
  return data;
}
