import { timingSafeEqual } from 'node:crypto';
import { resetAttempts } from '../../shared/accounts/attempts.ts';
import {
  acceptWrites,
  invitationNotFound,
  type OpenInvitation,
  openInvitation,
  tieWrites,
} from '../../shared/accounts/invitations.ts';
import { firstKey, setUpCode } from '../../shared/accounts/keys.ts';
import { newPasswordHash, passwordErrors } from '../../shared/accounts/passwords.ts';
import { checkRegistration } from '../../shared/accounts/registration.ts';
import type { Context } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { readInput, type Values, validValues } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import { createItem } from '../../shared/store/writes.ts';
import { deploymentCounter } from '../../shared/table/counters.ts';
import {
  accountEntity,
  emailEntity,
  passwordEntity,
} from '../../shared/table/entities/accounts.ts';
import { firstAccountEntity } from '../../shared/table/entities/deployment.ts';
import type { AccountData } from '../../shared/table/records/records.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { registerFields } from './fields.ts';
import { sendActivation } from './mails.ts';
import { attemptOf } from './passwords.ts';
import { withKey } from './show.ts';

type Registration = Values<typeof registerFields, 'create'>;

/**
 * Creates an account (docs/reference/accounts.md#registration). A closed deployment accepts the set-up code as
 * `invitation_key`, once, for its first account.
 */
export async function register(context: Context, body: Body): Promise<Response> {
  const reading = readInput(registerFields, body, 'create');
  const { password } = reading.values;
  const input = validValues(reading, passwordErrors(context, { password }));
  const { store } = context.platform;
  let account: Promise<NewAccount> | undefined;
  const data = await retryOnConflict(async () => {
    const { taken, first } = await readTogether(store, {
      taken: emailEntity.at(input.email),
      first: firstAccountEntity.at(),
    });
    const invitation = await findInvitation(context, input.invitation_key, first !== undefined);
    if (taken !== undefined) throw invalid({ email: [messages.unique] });
    account ??= newAccount(context, input);
    const { made, hash } = await account;
    const { id } = made;
    await commit(context, [
      createItem(emailEntity, emailEntity.key(input.email), { account: id }),
      createItem(accountEntity, accountEntity.key(id), made),
      createItem(passwordEntity, passwordEntity.key(id), { hash }),
      ...resetAttempts(attemptOf(context, input.email)),
      ...(first === undefined
        ? [createItem(firstAccountEntity, firstAccountEntity.key(), { account: id })]
        : []),
      ...(invitation === undefined ? [] : await acceptWrites(context.platform, invitation, made)),
      ...(await tieWrites(context.platform, made, invitation?.item.data.id)),
    ]);
    return made;
  });
  await sendActivation(context, data);
  return withKey(context, 201, data, {});
}

interface NewAccount {
  readonly made: AccountData;
  readonly hash: string;
}

/** Prepares the parts that are costly or available only once; retries reuse them. */
async function newAccount(context: Context, input: Registration): Promise<NewAccount> {
  const { store, clock } = context.platform;
  const { email, first_name, last_name, password } = input;
  const hash = await newPasswordHash(context, password);
  const made: AccountData = {
    id: await store.next(deploymentCounter('account')),
    email,
    first_name,
    last_name,
    is_active: false, // until the address is confirmed; blocks nothing
    has_password: true,
    created_at: timestamp(clock.micros()),
    ...(await firstKey(context.platform)),
  };
  return { made, hash };
}

/**
 * Checks that the caller may register, and finds the invitation of the key that was sent.
 *
 * @param isSetUp whether an account exists: the set-up code is spent then
 * @throws ApiError 400 when registration is closed and the key is absent or not valid; 403 when it is open to this
 *   machine and the request may come from elsewhere
 */
async function findInvitation(
  context: Context,
  key: string,
  isSetUp: boolean,
): Promise<OpenInvitation | undefined> {
  const { platform } = context;
  if (key === '') {
    checkRegistration(context);
    return undefined;
  }
  // like all keys it may be sent in capitals
  const isCode = isSame(key.toLowerCase(), await setUpCode(context.platform.secrets));
  if (!isCode) return openInvitation(platform, key);
  if (isSetUp) throw invitationNotFound();
  return undefined;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
