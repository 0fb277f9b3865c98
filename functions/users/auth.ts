import { refused } from '../../shared/domain/errors.ts';
import { isPassword } from '../../shared/domain/passwords.ts';
import type { Response } from '../../shared/http/message.ts';
import { type Body, validInput } from '../../shared/resource/input.ts';
import { instanceOf } from '../../shared/resource/place.ts';
import type { Context } from '../../shared/resource/route.ts';
import { viewUser, wholeUser } from '../../shared/resource/show-user.ts';
import { limitAttempts } from '../../shared/services/attempts.ts';
import { as, userEntity, usernameEntity, userPasswordEntity } from '../../shared/store/entities.ts';
import type { UserData } from '../../shared/store/records.ts';
import { authFields } from './fields.ts';
import { nameKey } from './write.ts';

/** Logs a user in by name and password (reference: log in). */
export async function authenticate(context: Context, body: Body): Promise<Response> {
  const input = validInput(authFields, body, 'create') as { username: string; password: string }; // the fields say so
  const key = nameKey(instanceOf(context), input.username.toLowerCase());
  const { sourceAddress } = context.request;
  // in capitals, which no e-mail address of an account has
  const who = `${key.pk}#${key.sk}`;
  const found = await limitAttempts(context, who, sourceAddress, async () => {
    const user = await findUser(context, key);
    if (user === undefined) throw refused(401, 'Invalid username.', 'login_failed');
    const isRight = user.hash !== undefined && (await isPassword(input.password, user.hash));
    return isRight ? user.data : undefined;
  });
  if (found === undefined) throw refused(401, 'Invalid password.', 'login_failed');
  return { status: 200, body: wholeUser(context, await viewUser(context, found)) };
}

/** A user who logs in. */
export interface FoundUser {
  readonly data: UserData;
  /** Absent when the user has no password. */
  readonly hash: string | undefined;
}

/** The user who bears a name, with its password. */
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
  const data = as(userEntity, user)?.data;
  return data && { data, hash: as(userPasswordEntity, password)?.data.hash };
}
