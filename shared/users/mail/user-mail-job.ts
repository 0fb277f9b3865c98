import {
  changeMail,
  forgetMail,
  type MailItem,
  sendRecorded,
} from '../../accounts/mail/recorded-mail.ts';
import { sendUserMailName } from '../../accounts/mail/send-mail.ts';
import type { JobContext, JobType } from '../../jobs/jobs.ts';
import { shareOf } from '../../ports/limits/fair-queue.ts';
import { readTogether } from '../../store/entity.ts';
import { queuedMailEntity } from '../../table/entities/deployment.ts';
import { instanceEntity } from '../../table/entities/instances.ts';
import { userSettingsEntity } from '../../table/entities/user-accounts.ts';
import type { QueuedUserMail } from '../../table/records/mails.ts';
import { settingsIn } from '../settings/user-settings.ts';
import { decideLetter } from './decide-letter.ts';
import { takeUserMail } from './user-mail-limit.ts';
import { type IssueCode, type UserMailCase, writeUserMail } from './write-user-mail.ts';

/** Task of the job that sends a mail to a user. */
type UserMailTask = Pick<QueuedUserMail, 'instance' | 'mail'> & { readonly request: number };

/**
 * Creates the type of the job that sends a mail to a user: it looks the address up, decides which letter is written, and
 * counts the mail (docs/reference/user-accounts.md#mails).
 */
export function sendUserMail(issueCode: IssueCode): JobType {
  return {
    ...sendUserMailName,
    slowMs: 0, // it mostly waits for the mail server, in a queue of its own
    step: async (context, stored) => {
      const { request, ...id } = stored as UserMailTask; // as stored
      const { item, instance, settings } = await readTogether(context.store, {
        item: queuedMailEntity.at(id),
        instance: instanceEntity.at(id.instance),
        settings: userSettingsEntity.at(id.instance),
      });
      if (item?.data.request !== request || !('mail' in item.data.about)) return 'done'; // sent, or requested again
      if (instance === undefined) return forgetMail(context, item);
      const { about } = item.data;
      const { isSuspended } = instance.data;
      const letter = { about, settings: settingsIn(settings), instance: instance.data, issueCode };
      const counted = isSuspended ? item : await countOnce(context, item, letter);
      if (counted === undefined) return forgetMail(context, item);
      return sendRecorded(context, {
        task: stored,
        item: counted,
        isSuspended,
        share: shareOf(about.instance, instance.data.owner),
        write: () => writeUserMail(context, letter),
      });
    },
  };
}

/** Counts a mail that will be sent, once; undefined: it is not sent. */
async function countOnce(
  context: JobContext,
  item: MailItem,
  { about, settings }: UserMailCase,
): Promise<MailItem | undefined> {
  const { state, isCounted } = item.data;
  if (state !== 'waiting' || isCounted === true) return item;
  if (context.settings.userMail !== 'on') return undefined;
  if ((await decideLetter(context, about, settings)) === undefined) return undefined;
  const exceeded = await takeUserMail(context, about);
  if (exceeded === undefined) return changeMail(context, item, { isCounted: true });
  const { instance, purpose } = about;
  const message = `a mail to a user was dropped: its ${exceeded} had its mails`;
  context.log({ level: 'info', message, instance, purpose });
  return undefined;
}
