import { newJob } from '../../jobs/jobs.ts';
import { maintain } from '../../jobs/maintain.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import type { Platform } from '../../ports/ports.ts';
import { createOrUpdate } from '../../store/writes.ts';
import { queuedMailEntity } from '../../table/entities/deployment.ts';
import type { MailAbout, QueuedMailData } from '../../table/records/mails.ts';
import { faultOf } from '../../values/caught.ts';
import { timestamp } from '../../values/timestamp.ts';
import { takeMail } from './mail-limit.ts';
import { type MailTask, queuedMailSeconds, sendMailName } from './queued-mail.ts';
import { writeMail } from './write-mail.ts';

/** Properties of the request that sends a mail. */
export interface MailCall {
  readonly platform: Platform;
  readonly request: { readonly id: string };
}

/**
 * Sends a mail, or has a job send it. One beyond a limit is not sent: the response is the same, and the log and the
 * record of a queued mail say so.
 *
 * @throws MailError where the request itself sends it
 */
export async function sendMail(call: MailCall, about: MailAbout, to: string): Promise<void> {
  const { platform, request } = call;
  const isQueued = platform.mailer.delivery === 'queue';
  const exceeded = await takeMail(platform, about, to);
  if (exceeded !== undefined) {
    const message = `a mail was dropped: its ${exceeded} had its mails of this hour`;
    platform.log({ level: 'info', message, requestId: request.id, purpose: about.purpose });
    return;
  }
  if (isQueued) return queueMail(platform, about, to);
  const mail = await writeMail(platform, about, to);
  if (mail !== undefined) await platform.mailer.send(mail);
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

/** Queues a mail, instead of an earlier one about the same that has not been sent. */
export function queueMail(
  platform: Pick<Platform, 'store' | 'clock' | 'ids'>,
  about: MailAbout,
  to: string,
): Promise<void> {
  const key = queuedMailEntity.key(about);
  return retryOnConflict(async () => {
    const current = await queuedMailEntity.read(platform.store, about);
    const request = (current?.data.request ?? 0) + 1;
    const micros = platform.clock.micros();
    const now = timestamp(micros);
    const data: QueuedMailData = {
      about,
      to,
      request,
      state: 'waiting',
      tries: 0,
      created_at: now,
      updated_at: now,
    };
    const put = createOrUpdate(queuedMailEntity, { key, current }, data);
    const task: MailTask = { ...about, request };
    await maintain(platform, [
      { ...put, expiresAt: Math.floor(micros / 1_000_000) + queuedMailSeconds },
      newJob(platform, sendMailName, task),
    ]);
  });
}
