import { limitAttempts } from '../../../shared/accounts/attempts.ts';
import { matchesHash } from '../../../shared/accounts/passwords.ts';
import { instanceOf, notFound } from '../../../shared/core/family.ts';
import type { Stored } from '../../../shared/store/store.ts';
import { userPasswordEntity } from '../../../shared/table/entities/users.ts';
import type { UserData } from '../../../shared/table/records/records.ts';
import { nameKey } from '../../../shared/users/write-user.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import type { AddressContext } from './address-endpoint.ts';

/** A session counts as a proof for ten minutes after its user has proved who it is. */
const recentSeconds = 600;

/** Returns the calling user. */
export function callingUser({ user }: AddressContext): Stored<UserData> {
  if (user === undefined) throw notFound();
  return user;
}

/**
 * Requires the password of the calling user, or a session whose user has proved itself in the last ten minutes.
 *
 * @param password empty: the session must be recent
 * @throws ApiError 400 for a wrong password, and without either
 */
export async function requirePassword(context: AddressContext, password: string): Promise<void> {
  if (password === '') {
    if (!isRecent(context)) throw unproved();
    return;
  }
  const { data } = callingUser(context);
  const { pk, sk } = nameKey(instanceOf(context), data.username);
  const attempt = { scope: pk, name: sk, address: context.request.sourceAddress };
  const isRight = await limitAttempts(context, attempt, () =>
    isPasswordOf(context, data, password),
  );
  if (isRight !== true) throw invalid({ password: ['Invalid password.'] });
}

async function isPasswordOf(
  context: AddressContext,
  { id }: UserData,
  password: string,
): Promise<true | undefined> {
  const item = await userPasswordEntity.read(context.platform.store, instanceOf(context), id);
  if (item === undefined) return undefined;
  return (await matchesHash(context, password, item.data.hash)) ? true : undefined;
}

function isRecent({ session, platform }: AddressContext): boolean {
  if (session === undefined) return false;
  return platform.clock.micros() / 1_000_000 - session.data.provedAt <= recentSeconds;
}

function unproved() {
  const text = 'Send the password, or log in by a code, a link or a service: a session proves it for ten minutes.';
  return invalid({ password: [text] });
}
