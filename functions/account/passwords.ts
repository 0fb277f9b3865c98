import { type Attempt, limitAttempts } from '../../shared/accounts/attempts.ts';
import { matchesHash, newPasswordHash, passwordErrors } from '../../shared/accounts/passwords.ts';
import { type Context, callingAccount, validInput } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { readInput, validValues } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import { putItem, updateItem } from '../../shared/store/writes.ts';
import { passwordEntity } from '../../shared/table/entities/accounts.ts';
import { detailError, invalid } from '../../shared/values/errors/errors.ts';
import { currentAccount } from './current.ts';
import { accountLogInFields, passwordFields, passwordSetFields } from './fields.ts';
import { findAccountByEmail } from './find.ts';
import { withKey } from './show.ts';

const wrongPassword = 'Invalid password.';

/** Logs an account in by e-mail and password (docs/reference/accounts.md#log-in). */
export async function logInAccount(context: Context, body: Body): Promise<Response> {
  const input = validInput(accountLogInFields, body, 'create');
  const found = await limitAttempts(context, attemptOf(context, input.email), async () => {
    const account = await findAccountByEmail(context.platform.store, input.email);
    if (account === undefined) throw detailError(401, 'Invalid email.', 'login_failed');
    return account.hash !== undefined && (await matchesHash(context, input.password, account.hash))
      ? account
      : undefined;
  });
  if (found === undefined) throw detailError(401, wrongPassword, 'login_failed');
  return withKey(context, 200, found.data, found.metadata);
}

/** Changes the caller's password; the key stays as it is (docs/reference/accounts.md#passwords). */
export async function changePassword(context: Context, body: Body): Promise<Response> {
  const { data } = callingAccount(context);
  const reading = readInput(passwordFields, body, 'create');
  const { current_password, new_password } = reading.values;
  const errors = passwordErrors(context, { new_password }, reading.errors);
  const isRight = current_password !== undefined && (await isOwn(context, current_password));
  if (!isRight) throw invalid({ current_password: [wrongPassword], ...errors });
  const values = validValues(reading, errors);
  const hash = await newPasswordHash(context, values.new_password);
  await commit(context, [putItem(passwordEntity, passwordEntity.key(data.id), { hash })]);
  return { status: 204 };
}

async function isOwn(context: Context, password: string): Promise<boolean> {
  const { data } = callingAccount(context);
  const { store } = context.platform;
  const check = async () => {
    const item = await passwordEntity.read(store, data.id);
    const hash = item?.data.hash;
    return hash !== undefined && (await matchesHash(context, password, hash)) ? true : undefined;
  };
  return (await limitAttempts(context, attemptOf(context, data.email), check)) ?? false;
}

/** Returns the attempt to log in that a request for an e-mail counts as. */
export function attemptOf({ request }: Context, email: string): Attempt {
  return { scope: 'ACCOUNTS', name: email, address: request.sourceAddress };
}

/** Sets the password of an account that has none. */
export async function setPassword(context: Context, body: Body): Promise<Response> {
  const reading = readInput(passwordSetFields, body, 'create');
  const input = validValues(reading, passwordErrors(context, reading.values));
  await retryOnConflict(async (isFirst) => {
    const account = await currentAccount(context, isFirst);
    const { data } = account;
    if (data.has_password)
      throw invalid({ password: ['Admin already has password.'] }, 'state_conflict');
    const hash = await newPasswordHash(context, input.password);
    await commit(context, [
      updateItem(account, { ...data, has_password: true }),
      putItem(passwordEntity, passwordEntity.key(data.id), { hash }),
    ]);
  });
  return { status: 204 };
}
