import { refused } from '../../shared/domain/errors.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import { timestamp } from '../../shared/domain/timestamp.ts';
import type { Response } from '../../shared/http/message.ts';
import type { Fields } from '../../shared/resource/field.ts';
import { text } from '../../shared/resource/field.ts';
import { type Body, validInput } from '../../shared/resource/input.ts';
import type { Context } from '../../shared/resource/route.ts';
import { commit } from '../../shared/services/commit.ts';
import { tieWrites } from '../../shared/services/invitations.ts';
import { firstKey } from '../../shared/services/keys.ts';
import { retryLostRace } from '../../shared/services/lost-race.ts';
import type { SocialProfile } from '../../shared/services/ports.ts';
import { verifiedProfile } from '../../shared/services/social.ts';
import {
  accountEntity,
  as,
  deploymentCounter,
  emailEntity,
  firstAccountEntity,
  socialEntity,
} from '../../shared/store/entities.ts';
import type { AccountData } from '../../shared/store/records.ts';
import { insert } from '../../shared/store/writes.ts';
import { type FoundAccount, findAccount, findAccountByEmail } from './find.ts';
import { withKey } from './show.ts';

/** What a log-in by another service sends. */
export const socialFields: Fields = { access_token: text(undefined, { shownRequired: true }) };

/**
 * Logs in by a token of another service: the account that it was linked to, else the one of the verified address,
 * which is linked then, else a new one without password (reference: account).
 */
export async function authenticateSocially(context: Context, body: Body): Promise<Response> {
  const backend = context.params.backend ?? '';
  const { access_token } = validInput(socialFields, body, 'create') as { access_token: string }; // the field says so
  const profile = await verifiedProfile(context.platform, backend, access_token);
  const { account, created } = await retryLostRace(() => accountOf(context, backend, profile));
  const response = await withKey(context, 200, account.data, account.metadata);
  return { ...response, body: { ...(response.body as JsonObject), created } }; // it has a body
}

type Found = {
  readonly account: Pick<FoundAccount, 'data' | 'metadata'>;
  readonly created: boolean;
};

async function accountOf(
  context: Context,
  backend: string,
  profile: SocialProfile,
): Promise<Found> {
  const { store } = context.platform;
  const key = socialEntity.key(backend, profile.id);
  const linked = as(socialEntity, (await store.get([key]))[0])?.data.account;
  const known = linked === undefined ? undefined : await findAccount(store, linked);
  if (known !== undefined) return { account: known, created: false };
  const { email } = profile;
  if (email === undefined)
    throw refused(400, 'Invalid social scope, missing email.', 'social_login_failed');
  const found = await findAccountByEmail(store, email);
  if (found !== undefined) {
    await commit(context, [insert(socialEntity, key, { account: found.data.id })]);
    return { account: found, created: false };
  }
  const data = await create(context, key, { ...profile, email });
  return { account: { data, metadata: {} }, created: true };
}

async function create(
  context: Context,
  key: ReturnType<typeof socialEntity.key>,
  profile: SocialProfile & { readonly email: string },
): Promise<AccountData> {
  const { store, clock, secrets, settings } = context.platform;
  if (settings.registration === 'closed')
    throw refused(400, 'Registration disabled.', 'registration_closed');
  const { email, first_name, last_name } = profile;
  const [first] = await store.get([firstAccountEntity.key()]);
  const data: AccountData = {
    id: await store.next(deploymentCounter('account')),
    ...{ email, first_name, last_name },
    is_active: true, // the service has verified the address
    has_password: false,
    created_at: timestamp(clock.micros()),
    ...(await firstKey(secrets)),
  };
  const account = data.id;
  await commit(context, [
    insert(emailEntity, emailEntity.key(email), { account }),
    insert(accountEntity, accountEntity.key(account), data),
    insert(socialEntity, key, { account }),
    ...(first === undefined
      ? [insert(firstAccountEntity, firstAccountEntity.key(), { account })]
      : []),
    ...(await tieWrites(context.platform, data, undefined)),
  ]);
  return data;
}
