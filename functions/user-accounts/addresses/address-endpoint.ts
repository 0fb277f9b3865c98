import { allRights, type Context, instanceOf, type LoadedOf } from '../../../shared/core/family.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { commit } from '../../../shared/store/commit.ts';
import type { UserMailAbout } from '../../../shared/table/records/user-accounts.ts';
import { userFields } from '../../../shared/users/fields.ts';
import { planUserMail } from '../../../shared/users/mail/request-user-mail.ts';
import { existsWhere, userSettingsLoads } from '../../../shared/users/settings/user-settings.ts';
import { profileLoads, userLinks } from '../../../shared/users/show-user.ts';
import type { Access } from '../../../shared/values/access.ts';

/*
 * What the paths of addresses have in common (docs/reference/user-accounts.md#addresses). Accounts have no rights on any
 * of them.
 */

/** Access of API keys that may create users. */
export const creating: Access = { ignoreAcl: allRights, allowUserCreate: allRights };
/** Access of API keys. */
export const anyApiKey: Access = { apiKey: allRights };
/** Access of the links of mails, which have no key. */
export const withLink: Access = { apiKey: allRights, anonymous: allRights };
/** Access of users. */
export const signedIn: Access = { user: allRights };

/** Records that the paths load. */
export const addressLoads = { ...profileLoads, ...userSettingsLoads };
/** A request to one of the paths. */
export type AddressContext = Context<LoadedOf<typeof addressLoads>>;

/** Lets a path exist where users have addresses. */
export const whereAddresses = existsWhere(({ email }) => email !== 'off');

/** Form of a response with a user. */
export const userResponse = { name: 'User', fields: userFields, links: userLinks };

/** The parts of a mail that the request names. */
type Requested = Pick<UserMailAbout, 'purpose' | 'email'> &
  Partial<Pick<UserMailAbout, 'use' | 'user'>> & {
    readonly redirect?: string | undefined;
    /** Of the key of the user. */
    readonly generation?: number | undefined;
  };

/** Requests a mail. All responses to such requests are equal, whatever the address. */
export async function requestMail(context: AddressContext, about: Requested): Promise<Response> {
  await commit(context, planUserMail(context.platform, aboutMail(context, about)));
  return { status: 202, body: { detail: 'If the address can have this mail, it is on its way.' } };
}

/** Returns what a mail is about: the request, with instance and API key. */
export function aboutMail(
  context: AddressContext,
  { purpose, email, redirect, use, user = 0, generation }: Requested,
): UserMailAbout {
  return {
    purpose,
    instance: instanceOf(context),
    email,
    key: context.apiKey?.data.id ?? 0,
    user,
    ...(generation !== undefined && {
      asked: { generation, at: context.platform.clock.micros() },
    }),
    ...(redirect !== undefined && { redirect }),
    ...(use !== undefined && { use }),
  };
}
