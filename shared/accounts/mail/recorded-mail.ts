import type { JobContext, StepResult } from '../../jobs/jobs.ts';
import { maintain } from '../../jobs/maintain.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import type { Share } from '../../ports/limits/fair-queue.ts';
import { type Mail, MailError, type MailResult } from '../../ports/ports.ts';
import type { Stored } from '../../store/store.ts';
import { deleteItem, updateItem } from '../../store/writes.ts';
import { queuedMailEntity } from '../../table/entities/deployment.ts';
import type { MailAbout, QueuedMailData, QueuedUserMail } from '../../table/records/mails.ts';
import { longestDelay, mostOf } from '../../values/back-off.ts';
import { suspendedJobMs } from '../../values/bounds.ts';
import type { JsonObject } from '../../values/json/json.ts';
import { timestamp } from '../../values/timestamp.ts';

/** Time until the record of a queued mail expires. */
export const queuedMailSeconds = 30 * 24 * 3600;

const patienceMs = 24 * 3_600_000; // afterwards the mail has failed
const delay = { firstMs: 5000, maxMs: 1_800_000 };

/** The record of a queued mail. */
export type MailItem = Stored<QueuedMailData>;

/** An attempt to send a mail that has a record. */
export interface MailAttempt {
  /** Task of the job. */
  readonly task: JsonObject;
  readonly item: MailItem;
  readonly isSuspended: boolean | undefined;
  /** Who waits when many mails are sent. */
  readonly share: Share;
  /** Writes the mail; undefined: there is nothing to send any more. */
  readonly write: () => Promise<Mail | undefined>;
}

/**
 * Sends a mail that has a record (docs/reference/accounts.md#queued-mails). The record is marked before the content is
 * handed over: one with a mark and without a result, because its process died or the response was lost, may have been
 * sent, and is never sent again by itself.
 */
export async function sendRecorded(
  context: JobContext,
  { task, item, isSuspended, share, write }: MailAttempt,
): Promise<StepResult> {
  const { state } = item.data;
  if (state === 'sending') return end(context, item, 'unconfirmed', 'the server stopped');
  if (state !== 'waiting') return 'done'; // a repeated step
  if (isSuspended) return { task, afterMs: suspendedJobMs };
  const mail = await write();
  if (mail === undefined) return forgetMail(context, item);
  const attempt = { item };
  try {
    const handOver = async () => {
      attempt.item = await changeMail(context, attempt.item, { state: 'sending' });
    };
    await context.mailer.send(mail, { handOver, share });
  } catch (error) {
    return afterFailure(context, { task, item: attempt.item, error });
  }
  return sent(context, attempt.item);
}

/** Deletes the record of a mail that is not sent. */
export async function forgetMail(
  context: Pick<JobContext, 'store' | 'ids' | 'clock'>,
  item: MailItem,
): Promise<StepResult> {
  await maintain(context, [deleteItem(item)]);
  return 'done';
}

/** Changes the record of a mail. */
export async function changeMail(
  context: Pick<JobContext, 'store' | 'ids' | 'clock'>,
  item: MailItem,
  changes: Partial<Pick<QueuedMailData, 'state' | 'tries' | 'error' | 'isCounted'>>,
): Promise<MailItem> {
  const micros = context.clock.micros();
  const data: QueuedMailData = { ...item.data, ...changes, updated_at: timestamp(micros) };
  const expiresAt = Math.floor(micros / 1_000_000) + queuedMailSeconds;
  const version = await maintain(context, [{ ...updateItem(item, data), expiresAt }]);
  return { ...item, version, data };
}

interface Failure {
  readonly task: JsonObject;
  readonly item: MailItem;
  readonly error: unknown;
}

async function afterFailure(
  context: JobContext,
  { task, item, error }: Failure,
): Promise<StepResult> {
  if (!(error instanceof MailError)) throw error; // a write conflict, or an error of ours: tried again
  const { outcome, message } = error;
  if (outcome === 'unconfirmed') return end(context, item, 'unconfirmed', message);
  const ageMs = context.clock.micros() / 1000 - Date.parse(item.data.created_at);
  if (outcome === 'rejected' || ageMs > patienceMs) return end(context, item, 'failed', message);
  const tries = item.data.tries + 1;
  await changeMail(context, item, { state: 'waiting', tries, error: message });
  report(context, item, 'retried', message);
  return { task, afterMs: mostOf(longestDelay(item.data.tries, delay)) };
}

/** Ends a mail that will not be sent by itself any more: its record stays, for people. */
async function end(
  context: JobContext,
  item: MailItem,
  state: 'unconfirmed' | 'failed',
  error: string,
): Promise<StepResult> {
  await changeMail(context, item, { state, error });
  report(context, item, state, error);
  return 'done';
}

/** Deletes the record of a mail that was sent, whatever another process has made of its state. */
async function sent(context: JobContext, { data }: MailItem): Promise<StepResult> {
  await retryOnConflict(async () => {
    const current = await queuedMailEntity.read(context.store, data.about);
    if (current?.data.request === data.request) await maintain(context, [deleteItem(current)]);
  });
  context.mailer.count?.('sent');
  return 'done';
}

function report(
  { log, mailer }: JobContext,
  { data: { about, tries } }: MailItem,
  result: MailResult,
  error: string,
): void {
  mailer.count?.(result);
  const level = result === 'retried' ? 'info' : 'error';
  log({ level, message: texts[result], ...withoutAddress(about), tries, error });
}

function withoutAddress(about: QueuedMailData['about']): MailAbout | Partial<QueuedUserMail> {
  if (!('mail' in about)) return about;
  const { purpose, instance, mail } = about;
  return { purpose, instance, mail };
}

const texts: Readonly<Record<MailResult, string>> = {
  sent: 'a mail was sent',
  retried: 'a mail could not be sent yet',
  unconfirmed: 'a mail may have been sent: its mail server has not confirmed it',
  failed: 'a mail could not be sent',
};
