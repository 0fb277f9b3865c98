import { limitAttempts } from '../../shared/accounts/attempts.ts';
import { matchesHash } from '../../shared/accounts/passwords.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { type Body, validInput } from '../../shared/core/resource/input.ts';
import { instanceOf } from '../../shared/core/resource/place.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { as, userEntity, usernameEntity, userPasswordEntity } from '../../shared/store/entities.ts';
import type { UserData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import { viewLoggedIn, wholeUser } from '../../shared/users/show-user.ts';
import { refused } from '../../shared/values/errors/errors.ts';
import { authFields } from './fields.ts';
import { nameKey } from './write.ts';

/** Logs a user in by name and password (docs/reference/users-and-groups.md#log-in). */
export async function authenticate(context: Context, body: Body): Promise<Response> {
  const input = validInput(authFields, body, 'create') as { username: string; password: string }; // validated
  const key = nameKey(instanceOf(context), input.username.toLowerCase());
  const attempt = { scope: key.pk, name: key.sk, address: context.request.sourceAddress };
  const found = await limitAttempts(context, attempt, async () => {
    const user = await findUser(context, key);
    if (user === undefined) throw refused(401, 'Invalid username.', 'login_failed');
    const isRight =
      user.hash !== undefined && (await matchesHash(context, input.password, user.hash));
    return isRight ? user.data : undefined;
  });
  if (found === undefined) throw refused(401, 'Invalid password.', 'login_failed');
  return { status: 200, body: wholeUser(context, await viewLoggedIn(context, found)) };
}

/** A user who logs in. */
export interface FoundUser {
  readonly item: Stored<UserData>;
  readonly data: UserData;
  /** Absent when the user has no password. */
  readonly hash: string | undefined;
}

/** Finds the user with a name, with its password. */
export async function findUser(
  context: Context,
  key: ReturnType<typeof nameKey>,
): Promise<FoundUser | undefined> {
  const { store } = context.platform;
  const id = as(usernameEntity, (await store.get([key]))[0])?.data.user;
  if (id === undefined) return undefined;
  const instance = instanceOf(context);
  const [user, password] = await store.get([
    userEntity.key(instance, id),
    userPasswordEntity.key(instance, id),
  ]);
  const item = as(userEntity, user);
  return item && { item, data: item.data, hash: as(userPasswordEntity, password)?.data.hash };
}
