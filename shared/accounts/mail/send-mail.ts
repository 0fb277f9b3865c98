import { type JobType, newJob } from '../../jobs/jobs.ts';
import { maintain } from '../../jobs/maintain.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Stored, Write } from '../../store/store.ts';
import { createOrUpdate, deleteIfExists } from '../../store/writes.ts';
import { queuedMailEntity } from '../../table/entities/deployment.ts';
import type { MailAbout, QueuedMailData, QueuedUserMail } from '../../table/records/mails.ts';
import { errorName, faultOf } from '../../values/caught.ts';
import { timestamp } from '../../values/timestamp.ts';
import { takeMail } from './mail-limit.ts';
import { sendMailName } from './queued-mail.ts';
import { queuedMailSeconds } from './recorded-mail.ts';
import { writeMail } from './write-mail.ts';

/** Properties of the request that sends a mail. */
export interface MailCall {
  readonly platform: Platform;
  readonly request: { readonly id: string };
}

/**
 * Sends a mail, or has a job send it. One beyond a limit is not sent: the response is the same, and the log says so, as
 * does the record of an invitation's mail.
 *
 * @throws MailError where the request itself sends it
 */
export async function sendMail(call: MailCall, about: MailAbout, to: string): Promise<void> {
  const { platform } = call;
  const { delivery } = platform.mailer;
  if (!(await mayBeSent(call, about, to))) {
    if (delivery !== 'log' && about.purpose === 'invite') await recordDropped(platform, about, to);
  } else if (delivery === 'queue') await queueMail(platform, about, to);
  else await sendNow(platform, about, to);
}

/** Sends a mail in the request; the record of an invitation's mail shows a failure, until one is sent. */
async function sendNow(platform: Platform, about: MailAbout, to: string): Promise<void> {
  const mail = await writeMail(platform, about, to);
  if (mail === undefined) return;
  const isRecorded = platform.mailer.delivery === 'direct' && about.purpose === 'invite';
  try {
    await platform.mailer.send(mail);
  } catch (error) {
    const failed = { ...droppedMail(about, to), error: errorName(error) };
    if (isRecorded) await replaceRecord(platform, failed);
    throw error;
  }
  if (isRecorded) await maintain(platform, [deleteIfExists(queuedMailEntity.key(about))]);
}

function replaceRecord(platform: Writer, mail: NewMail): Promise<void> {
  return retryOnConflict(async () => {
    const current = await queuedMailEntity.read(platform.store, mail.about);
    await maintain(platform, newMail(platform, mail, current));
  });
}

/** Counts a mail, and logs when it exceeds a limit. */
async function mayBeSent(
  { platform, request }: MailCall,
  about: MailAbout,
  to: string,
): Promise<boolean> {
  const exceeded = await takeMail(platform, about, to);
  if (exceeded === undefined) return true;
  const message = `a mail was dropped: its ${exceeded} had its mails of this hour`;
  platform.log({ level: 'info', message, requestId: request.id, purpose: about.purpose });
  return false;
}

/** Records that a mail was dropped, unless an earlier one about the same has a record. */
function recordDropped(platform: Platform, about: MailAbout, to: string): Promise<void> {
  return retryOnConflict(async () => {
    const current = await queuedMailEntity.read(platform.store, about);
    if (current === undefined) await maintain(platform, newMail(platform, droppedMail(about, to)));
  });
}

/**
 * Returns the writes that queue the first mail about something, for the transaction that creates that: no process dies
 * between the two. None where requests send mails.
 */
export async function planMail(
  call: MailCall,
  about: MailAbout,
  to: string,
): Promise<readonly Write[]> {
  const { platform } = call;
  if (platform.mailer.delivery !== 'queue') return [];
  const isSent = await mayBeSent(call, about, to);
  return newMail(platform, isSent ? waitingMail(about, to, 1) : droppedMail(about, to));
}

/**
 * Sends a mail after a completed action: a failure is logged and does not undo the action, and the mail can be
 * requested again.
 */
export async function sendMailAfterwards(
  call: MailCall,
  about: MailAbout,
  to: string,
): Promise<void> {
  try {
    await sendMail(call, about, to);
  } catch (error) {
    const entry = { requestId: call.request.id, ...faultOf(error) };
    call.platform.log({ level: 'error', message: 'a mail could not be sent', ...entry });
  }
}

/** Name of the type of the job that sends a mail to a user. */
export const sendUserMailName: Pick<JobType, 'name'> = { name: 'send-user-mail' };

/** Returns the writes that queue a mail to a user, for the transaction that causes it. */
export function newUserMail(
  by: Pick<Platform, 'clock' | 'ids'>,
  about: QueuedUserMail,
): readonly Write[] {
  return newMail(by, waitingMail(about, about.email, 1));
}

/** Queues a mail, instead of an earlier one about the same that has not been sent. */
export function queueMail(
  platform: Writer,
  about: QueuedMailData['about'],
  to: string,
): Promise<void> {
  return retryOnConflict(async () => {
    const current = await queuedMailEntity.read(platform.store, about);
    const { request = 0, isCounted } = current?.data ?? {};
    const mail = { ...waitingMail(about, to, request + 1), ...(isCounted && { isCounted }) };
    await maintain(platform, newMail(platform, mail, current));
  });
}

type Writer = Pick<Platform, 'store' | 'clock' | 'ids'>;
type NewMail = Omit<QueuedMailData, 'created_at' | 'updated_at'>;

function waitingMail(about: QueuedMailData['about'], to: string, request: number): NewMail {
  return { about, to, request, state: 'waiting', tries: 0 };
}

function droppedMail(about: MailAbout, to: string): NewMail {
  return { about, to, request: 1, state: 'failed', tries: 0, error: 'too many mails in an hour' };
}

/** Returns the writes of a mail's record, and of the job that sends it if it waits. */
function newMail(
  by: Pick<Platform, 'clock' | 'ids'>,
  mail: NewMail,
  current?: Stored<QueuedMailData>,
): readonly Write[] {
  const micros = by.clock.micros();
  const now = timestamp(micros);
  const data: QueuedMailData = { ...mail, created_at: now, updated_at: now };
  const { about, request } = mail;
  const put = createOrUpdate(queuedMailEntity, { key: queuedMailEntity.key(about), current }, data);
  const record = { ...put, expiresAt: Math.floor(micros / 1_000_000) + queuedMailSeconds };
  if (mail.state !== 'waiting') return [record];
  if (!('mail' in about)) return [record, newJob(by, sendMailName, { ...about, request })];
  const { instance, mail: id } = about;
  return [record, newJob(by, sendUserMailName, { instance, mail: id, request })];
}
