import { timingSafeEqual } from 'node:crypto';
import { invalid, refused } from '../../shared/domain/errors.ts';
import { messages } from '../../shared/domain/messages.ts';
import { hashPassword } from '../../shared/domain/passwords.ts';
import { timestamp } from '../../shared/domain/timestamp.ts';
import type { Response } from '../../shared/http/message.ts';
import { type Body, validInput } from '../../shared/resource/input.ts';
import type { Context } from '../../shared/resource/route.ts';
import { commit } from '../../shared/services/commit.ts';
import { firstKey, setUpCode } from '../../shared/services/keys.ts';
import { retryLostRace } from '../../shared/services/lost-race.ts';
import {
  accountEntity,
  deploymentCounter,
  emailEntity,
  firstAccountEntity,
  passwordEntity,
} from '../../shared/store/entities.ts';
import type { AccountData } from '../../shared/store/records.ts';
import { insert } from '../../shared/store/writes.ts';
import { registerFields } from './fields.ts';
import { withKey } from './show.ts';

interface Registration {
  readonly email: string;
  readonly password: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly invitation_key: string;
}

/**
 * Makes an account (reference: account). A closed deployment takes the set-up code as `invitation_key`, once, for
 * its first account.
 */
export async function register(context: Context, body: Body): Promise<Response> {
  const input = validInput(registerFields, body, 'create') as unknown as Registration; // the fields say so
  const { store, settings } = context.platform;
  let account: Promise<AccountData> | undefined;
  const data = await retryLostRace(async () => {
    const [taken, first] = await store.get([
      emailEntity.key(input.email),
      firstAccountEntity.key(),
    ]);
    await checkInvited(context, input.invitation_key, first !== undefined);
    if (taken !== undefined) throw invalid({ email: [messages.unique] });
    account ??= newAccount(context, input);
    const made = await account;
    await commit(context, [
      insert(emailEntity, emailEntity.key(input.email), { account: made.id }),
      insert(accountEntity, accountEntity.key(made.id), made),
      insert(passwordEntity, passwordEntity.key(made.id), {
        hash: await hashPassword(input.password, settings.passwordCost),
      }),
      ...(first === undefined
        ? [insert(firstAccountEntity, firstAccountEntity.key(), { account: made.id })]
        : []),
    ]);
    return made;
  });
  return withKey(context, 201, data, {});
}

async function newAccount(context: Context, input: Registration): Promise<AccountData> {
  const { store, clock, secrets } = context.platform;
  const { email, first_name, last_name } = input;
  return {
    id: await store.next(deploymentCounter('account')),
    ...{ email, first_name, last_name },
    is_active: false, // until the address is confirmed; blocks nothing
    has_password: true,
    created_at: timestamp(clock.micros()),
    ...(await firstKey(secrets)),
  };
}

/**
 * Checks that the caller may register.
 *
 * @param isSetUp whether there is an account already: the set-up code is spent then
 */
async function checkInvited(context: Context, key: string, isSetUp: boolean): Promise<void> {
  const { registration } = context.platform.settings;
  if (key === '') {
    if (registration === 'closed') throw refused(400, 'Registration disabled.');
    return;
  }
  const code = await setUpCode(context.platform.secrets);
  if (isSetUp || !isSame(key, code)) throw invalid({ invitation_key: 'Invitation not found.' });
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
