import type { JobContext, JobType } from '../../jobs/jobs.ts';
import { type Share, shareOf } from '../../ports/limits/fair-queue.ts';
import { queuedMailEntity } from '../../table/entities/deployment.ts';
import { instanceEntity } from '../../table/entities/instances.ts';
import type { MailAbout } from '../../table/records/mails.ts';
import type { InstanceData } from '../../table/records/records.ts';
import { changeMail, sendRecorded } from './recorded-mail.ts';
import { writeMail } from './write-mail.ts';

/** Task of the job that sends a queued mail. */
type MailTask = MailAbout & { readonly request: number };

/** Name of the type of that job. */
export const sendMailName: Pick<JobType, 'name'> = { name: 'send-mail' };

/** Sends a queued mail of an account. */
export const sendQueuedMail: JobType = {
  ...sendMailName,
  slowMs: 0, // it mostly waits for the mail server, in a queue of its own
  step: async (context, stored) => {
    const { request, ...about } = stored as MailTask; // as stored
    const item = await queuedMailEntity.read(context.store, about);
    if (item?.data.request !== request) return 'done'; // sent, or requested again
    const instance = await instanceOfMail(context, about);
    return sendRecorded(context, {
      task: stored,
      item,
      isSuspended: instance?.isSuspended,
      share: shareOfMail(about, instance),
      write: () => writeMail(context, about, item.data.to),
    });
  },
};

/**
 * Ends all mails that wait in restored or copied data, as unconfirmed: the server that they come from sends them, too.
 */
export async function endWaitingMails(
  services: Pick<JobContext, 'store' | 'ids' | 'clock'>,
): Promise<void> {
  const all = await queuedMailEntity.listAll(services.store, []);
  for (const item of all) {
    const { state } = item.data;
    if (state === 'failed' || state === 'unconfirmed') continue;
    await changeMail(services, item, { state: 'unconfirmed', error: 'the data were restored' });
  }
}

async function instanceOfMail(
  { store }: JobContext,
  about: MailAbout,
): Promise<InstanceData | undefined> {
  if (about.purpose !== 'invite') return undefined;
  return (await instanceEntity.read(store, about.instance))?.data;
}

/** Returns who waits when many mails are sent: the owner of an instance that invites, or the account itself. */
function shareOfMail(about: MailAbout, instance: InstanceData | undefined): Share {
  return about.purpose === 'invite'
    ? shareOf(about.instance, instance?.owner)
    : { owner: `account ${about.account}`, instance: '' };
}
