import { tieWrites } from '../../shared/accounts/invitations.ts';
import { firstKey, nextKey } from '../../shared/accounts/keys.ts';
import { checkRegistration } from '../../shared/accounts/registration.ts';
import { verifiedProfile } from '../../shared/accounts/social.ts';
import { type Context, defineFields, text, validInput } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Write } from '../../shared/store/store.ts';
import {
  createItem,
  createOrUpdate,
  deleteIfExists,
  updateItem,
} from '../../shared/store/writes.ts';
import { deploymentCounter } from '../../shared/table/counters.ts';
import {
  accountEntity,
  emailEntity,
  passwordEntity,
  socialEntity,
} from '../../shared/table/entities/accounts.ts';
import { firstAccountEntity } from '../../shared/table/entities/deployment.ts';
import type { AccountData, SocialData } from '../../shared/table/records/records.ts';
import { detailError } from '../../shared/values/errors/errors.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { type FoundAccount, findAccount, findAccountByEmail } from './find.ts';
import { bodyWithKey } from './show.ts';

/** Fields of a log-in by another service. */
export const accountSocialFields = defineFields({
  access_token: text(undefined, { shownRequired: true }),
});

/**
 * Logs in with a token of another service. Uses the account that is linked to it, else the account of the verified
 * address, which is linked then, else a new one without password (docs/reference/accounts.md#social-log-in).
 */
export async function logInAccountSocially(context: Context, body: Body): Promise<Response> {
  const backend = context.params.backend ?? '';
  const { access_token } = validInput(accountSocialFields, body, 'create');
  const profile = await verifiedProfile(context, backend, access_token);
  const { account, created } = await retryOnConflict(() => accountOf(context, backend, profile));
  const shown = await bodyWithKey(context, account.data, account.metadata);
  return { status: 200, body: { ...shown, created } };
}

type LoggedIn = {
  readonly account: Pick<FoundAccount, 'data' | 'metadata'>;
  readonly created: boolean;
};

async function accountOf(
  context: Context,
  backend: string,
  profile: SocialProfile,
): Promise<LoggedIn> {
  const { store } = context.platform;
  const key = socialEntity.key(backend, profile.id);
  const link = await socialEntity.read(store, backend, profile.id);
  const known = link && (await findAccount(store, link.data.account));
  if (known !== undefined && isSameEpoch(link?.data, known.data)) {
    return { account: known, created: false };
  }
  const linkTo = (data: SocialData) => createOrUpdate(socialEntity, { key, current: link }, data);
  const { email } = profile;
  if (email === undefined)
    throw detailError(400, 'Invalid social scope, missing email.', 'social_login_failed');
  const found = await findAccountByEmail(store, email);
  if (found !== undefined) {
    return { account: await linkFound(context, found, linkTo), created: false };
  }
  const data = await create(context, linkTo, { ...profile, email });
  return { account: { data, metadata: {} }, created: true };
}

function isSameEpoch(a: SocialData | undefined, b: AccountData): boolean {
  return (a?.linkEpoch ?? 0) === (b.linkEpoch ?? 0);
}

/**
 * Links the account of an address. If the address was never confirmed, another person may have created the account and
 * wait for the owner of the address: the service's proof wins, and earlier password, key and links are void.
 */
async function linkFound(
  context: Context,
  found: FoundAccount,
  linkTo: (data: SocialData) => Write,
): Promise<Pick<FoundAccount, 'data' | 'metadata'>> {
  const { id, is_active, linkEpoch = 0 } = found.data;
  if (is_active) {
    await commit(context, [linkTo({ account: id, linkEpoch })]);
    return found;
  }
  const data: AccountData = {
    ...found.data,
    ...(await nextKey(context.platform.secrets, found.data)),
    is_active: true,
    has_password: false,
    linkEpoch: linkEpoch + 1,
  };
  await commit(context, [
    linkTo({ account: id, linkEpoch: linkEpoch + 1 }),
    updateItem(found.item, data),
    deleteIfExists(passwordEntity.key(id)),
  ]);
  return { data, metadata: found.metadata };
}

async function create(
  context: Context,
  linkTo: (data: SocialData) => Write,
  profile: SocialProfile & { readonly email: string },
): Promise<AccountData> {
  const { store, clock } = context.platform;
  checkRegistration(context);
  const { email, first_name, last_name } = profile;
  const first = await firstAccountEntity.read(store);
  const data: AccountData = {
    id: await store.next(deploymentCounter('account')),
    email,
    first_name,
    last_name,
    is_active: true, // the service has verified the address
    has_password: false,
    created_at: timestamp(clock.micros()),
    ...(await firstKey(context.platform)),
  };
  const account = data.id;
  await commit(context, [
    createItem(emailEntity, emailEntity.key(email), { account }),
    createItem(accountEntity, accountEntity.key(account), data),
    linkTo({ account }),
    ...(first === undefined
      ? [createItem(firstAccountEntity, firstAccountEntity.key(), { account })]
      : []),
    ...(await tieWrites(context.platform, data, undefined)),
  ]);
  return data;
}
