import { limitAttempts } from '../../shared/accounts/attempts.ts';
import { matchesHash, newPasswordHash } from '../../shared/accounts/passwords.ts';
import { isBcryptHash } from '../../shared/accounts/rules/passwords.ts';
import { instanceOf, validInput } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { unlessConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Stored } from '../../shared/store/store.ts';
import { updateItem } from '../../shared/store/writes.ts';
import {
  userEntity,
  usernameEntity,
  userPasswordEntity,
} from '../../shared/table/entities/users.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import { userLogInFields } from '../../shared/users/fields.ts';
import { type UserContext, viewLoggedIn, wholeUser } from '../../shared/users/show-user.ts';
import { nameKey } from '../../shared/users/write-user.ts';
import { detailError } from '../../shared/values/errors/errors.ts';

/** Logs a user in by name and password (docs/reference/users-and-groups.md#log-in). */
export async function logInUser(context: UserContext, body: Body): Promise<Response> {
  const input = validInput(userLogInFields, body, 'create');
  const username = input.username.toLowerCase();
  const key = nameKey(instanceOf(context), username);
  const attempt = { scope: key.pk, name: key.sk, address: context.request.sourceAddress };
  const found = await limitAttempts(context, attempt, async () => {
    const user = await findUserByName(context, username);
    if (user === undefined) throw detailError(401, 'Invalid username.', 'login_failed');
    const isRight =
      user.hash !== undefined && (await matchesHash(context, input.password, user.hash));
    return isRight ? user : undefined;
  });
  if (found === undefined) throw detailError(401, 'Invalid password.', 'login_failed');
  await renewHash(context, found.password, input.password);
  return { status: 200, body: wholeUser(context, await viewLoggedIn(context, found.data)) };
}

/** Replaces the hash of a password that was imported from another system, unless the password changes meanwhile. */
async function renewHash(
  context: UserContext,
  stored: Stored<{ readonly hash: string }> | undefined,
  password: string,
): Promise<void> {
  if (stored === undefined || !isBcryptHash(stored.data.hash)) return;
  const hash = await newPasswordHash(context, password);
  await unlessConflict(commit(context, [updateItem(stored, { hash })]));
}

/** A user who logs in. */
export interface FoundUser {
  readonly item: Stored<UserData>;
  readonly data: UserData;
  /** Absent when the user has no password. */
  readonly hash: string | undefined;
  /** The item with the hash. */
  readonly password: Stored<{ readonly hash: string }> | undefined;
}

/** Finds the user with a name, in lower case, with its password. */
export async function findUserByName(
  context: UserContext,
  username: string,
): Promise<FoundUser | undefined> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const name = await usernameEntity.read(store, instance, encodeText(username));
  if (name === undefined) return undefined;
  const id = name.data.user;
  const { user, password } = await readTogether(store, {
    user: userEntity.at(instance, id),
    password: userPasswordEntity.at(instance, id),
  });
  return user && { item: user, data: user.data, hash: password?.data.hash, password };
}
