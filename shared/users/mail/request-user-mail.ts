import { newUserMail } from '../../accounts/mail/send-mail.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Write } from '../../store/store.ts';
import type { UserMailAbout, UserMailPurpose } from '../../table/records/user-accounts.ts';
import { mailDenied } from '../../values/errors/errors.ts';

/**
 * Returns the writes that request a mail to a user, for the transaction that causes it. The job looks the address up: a
 * request never does, so that its response shows nothing about the address.
 *
 * @throws ApiError 403 where the operator has not allowed mails to users, and the request is for nothing else
 */
export function planUserMail(
  platform: Pick<Platform, 'clock' | 'ids' | 'settings'>,
  about: UserMailAbout,
): readonly Write[] {
  if (platform.settings.userMail !== 'on' && requested.has(about.purpose)) throw mailDenied();
  return newUserMail(platform, { ...about, mail: platform.ids.random() });
}

const requested: ReadonlySet<UserMailPurpose> = new Set(['register', 'reset', 'code']);
