import { nextKey } from '../../shared/accounts/keys.ts';
import { sendMail, sendMailAfterwards } from '../../shared/accounts/mail/send-mail.ts';
import { newPasswordHash, passwordErrors } from '../../shared/accounts/passwords.ts';
import {
  accountOfUid,
  isMailToken,
  type TokenPurpose,
  tokenSubject,
} from '../../shared/accounts/rules/mail-tokens.ts';
import { type Context, defineFields, text, validInput } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { emailField } from '../../shared/core/resource/field.ts';
import { readInput, type Values, validValues } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
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
export function sendActivation(
  context: Context,
  { id, email }: Pick<AccountData, 'id' | 'email'>,
): Promise<void> {
  return sendMailAfterwards(context, { purpose: 'activate', account: id }, email);
}

/** Sends the activation mail again. */
export async function resendActivation(context: Context, body: Body): Promise<Response> {
  const found = await accountOfBody(context, body);
  if (found.data.is_active)
    throw detailError(400, 'Account has already been activated.', 'state_conflict');
  await sendMail(context, { purpose: 'activate', account: found.data.id }, found.data.email);
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
  await sendMail(context, { purpose: 'reset', account: found.data.id }, found.data.email);
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
  if (!isMailToken(token, secret, tokenSubject(purpose, found.data, found.hash), now))
    throw wrongToken(wrong);
}

function wrongToken(message: string) {
  return invalid({ non_field_errors: [message] });
}
