import { newUserMail } from '../../accounts/mail/send-mail.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Write } from '../../store/store.ts';
import type { UserMailAbout } from '../../table/records/user-accounts.ts';

/**
 * Returns the writes that request a mail to a user, for the transaction that causes it. The job looks the address up: a
 * request never does, so that its response shows nothing about the address.
 */
export function planUserMail(
  platform: Pick<Platform, 'clock' | 'ids'>,
  about: UserMailAbout,
): readonly Write[] {
  return newUserMail(platform, { ...about, mail: platform.ids.random() });
}
