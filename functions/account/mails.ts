import { nextKey } from '../../shared/accounts/keys.ts';
import { sendLimited, sendLimitedAfterwards } from '../../shared/accounts/mail-limit.ts';
import { newPasswordHash, passwordErrors } from '../../shared/accounts/passwords.ts';
import {
  accountOfUid,
  isMailToken,
  mailToken,
  mailUid,
  type TokenPurpose,
  type TokenSubject,
} from '../../shared/accounts/rules/mail-tokens.ts';
import { type Context, defineFields, text, validInput } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { emailField } from '../../shared/core/resource/field.ts';
import { readInput, type Values, validValues } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import type { Mail } from '../../shared/ports/ports.ts';
import { commit } from '../../shared/store/commit.ts';
import { putItem, updateItem } from '../../shared/store/writes.ts';
import { passwordEntity } from '../../shared/table/entities/accounts.ts';
import type { AccountData } from '../../shared/table/records/records.ts';
import { detailError, invalid } from '../../shared/values/errors/errors.ts';
import { type FoundAccount, findAccount, findAccountByEmail } from './find.ts';
import { withKey } from './show.ts';

/** Fields of a request for a mail. */
export const emailFields = defineFields({ email: emailField() });
/** Fields that confirm an address. */
export const activateFields = defineFields({
  uid: text(undefined, { required: true }),
  token: text(undefined, { required: true }),
});
/** Fields that set a new password with the token of a mail. */
export const resetFields = defineFields({
  ...activateFields,
  new_password: text(128, { required: true }),
});

/** Sends the mail that confirms an address, after a registration or a change of address. */
export async function sendActivation(context: Context, account: number): Promise<void> {
  const found = await findAccount(context.platform.store, account);
  if (found === undefined) throw new Error('an account is gone'); // accounts are never deleted
  const mail = await mailOf(context, 'activate', found);
  await sendLimitedAfterwards(context, 'activate', mail);
}

/** Sends the activation mail again. */
export async function resendActivation(context: Context, body: Body): Promise<Response> {
  const found = await accountOfBody(context, body);
  if (found.data.is_active)
    throw detailError(400, 'Account has already been activated.', 'state_conflict');
  await sendLimited(context, 'activate', await mailOf(context, 'activate', found));
  return { status: 204 };
}

/** Confirms the address of an account with the token that was sent to it. */
export async function activate(context: Context, body: Body): Promise<Response> {
  const input = validInput(activateFields, body, 'create');
  return retryOnConflict(async () => {
    const found = await accountOfProof(context, input);
    if (found.data.is_active) throw wrongToken('Invalid token or account already activated.');
    await checkToken(context, 'activate', found, input.token);
    const data: AccountData = { ...found.data, is_active: true };
    await commit(context, [updateItem(found.item, data)]);
    return withKey(context, 200, data, found.metadata);
  });
}

/** Sends the mail for resetting a forgotten password. */
export async function sendReset(context: Context, body: Body): Promise<Response> {
  const found = await accountOfBody(context, body);
  await sendLimited(context, 'reset', await mailOf(context, 'reset', found));
  return { status: 204 };
}

/**
 * Sets a new password with the token of a mail. The token expires with the password that it replaces, and the account
 * key is reset as well: old passwords and keys no longer work.
 */
export async function confirmReset(context: Context, body: Body): Promise<Response> {
  const reading = readInput(resetFields, body, 'create');
  const { new_password } = reading.values;
  const input = validValues(reading, passwordErrors(context, { new_password }));
  return retryOnConflict(async () => {
    const found = await accountOfProof(context, input);
    await checkToken(context, 'reset', found, input.token);
    const hash = await newPasswordHash(context, input.new_password);
    const next = await nextKey(context.platform.secrets, found.data);
    const data: AccountData = { ...found.data, ...next, has_password: true };
    await commit(context, [
      updateItem(found.item, data),
      {
        ...putItem(passwordEntity, passwordEntity.key(data.id), { hash }),
        condition: found.unchangedPassword,
      },
    ]);
    return withKey(context, 200, data, found.metadata);
  });
}

async function accountOfBody(context: Context, body: Body): Promise<FoundAccount> {
  const input = validInput(emailFields, body, 'create');
  const found = await findAccountByEmail(context.platform.store, input.email);
  if (found === undefined) throw invalid({ email: ['Email not found.'] });
  return found;
}

const wrong = 'Invalid token.';

async function accountOfProof(
  { platform }: Context,
  { uid }: Values<typeof activateFields, 'create'>,
): Promise<FoundAccount> {
  const id = accountOfUid(uid);
  const found = id === undefined ? undefined : await findAccount(platform.store, id);
  if (found === undefined) throw invalid({ uid: [wrong] });
  return found;
}

async function checkToken(
  { platform }: Context,
  purpose: TokenPurpose,
  found: FoundAccount,
  token: string,
): Promise<void> {
  const { secret } = await platform.secrets.current();
  const now = platform.clock.micros() / 1_000_000;
  if (!isMailToken(token, secret, subjectOf(purpose, found), now)) throw wrongToken(wrong);
}

function wrongToken(message: string) {
  return invalid({ non_field_errors: [message] });
}

/**
 * Returns what a token is bound to: it expires when the address or the password changes
 * (docs/reference/accounts.md#confirmation).
 */
function subjectOf(purpose: TokenPurpose, { data, hash }: FoundAccount): TokenSubject {
  return { purpose, account: data.id, state: `${data.email} ${hash ?? ''}` };
}

const letters = {
  activate: { subject: 'Confirm your e-mail address', path: '/v1.1/account/activate/' },
  reset: { subject: 'Set a new password', path: '/v1.1/account/password/reset/confirm/' },
} as const;

async function mailOf(
  { platform }: Context,
  purpose: TokenPurpose,
  found: FoundAccount,
): Promise<Mail> {
  const { secret } = await platform.secrets.current();
  const now = platform.clock.micros() / 1_000_000;
  const { subject, path } = letters[purpose];
  return {
    to: found.data.email,
    subject,
    text: `Send these to ${path} within three days:

uid: ${mailUid(found.data.id)}
token: ${mailToken(secret, subjectOf(purpose, found), now)}

If you did not ask for this, you need not do anything.
`,
  };
}
