import type { JobContext, JobType, StepResult } from '../../jobs/jobs.ts';
import { maintain } from '../../jobs/maintain.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import { type Share, shareOf } from '../../ports/limits/fair-queue.ts';
import { MailError, type MailResult } from '../../ports/ports.ts';
import type { Stored } from '../../store/store.ts';
import { deleteItem, updateItem } from '../../store/writes.ts';
import { queuedMailEntity } from '../../table/entities/deployment.ts';
import { instanceEntity } from '../../table/entities/instances.ts';
import type { MailAbout, QueuedMailData, QueuedMailState } from '../../table/records/mails.ts';
import type { InstanceData } from '../../table/records/records.ts';
import { longestDelay, mostOf } from '../../values/back-off.ts';
import { suspendedJobMs } from '../../values/bounds.ts';
import type { JsonObject } from '../../values/json/json.ts';
import { timestamp } from '../../values/timestamp.ts';
import { writeMail } from './write-mail.ts';

/** Task of the job that sends a queued mail. */
export type MailTask = MailAbout & { readonly request: number };

/** Name of the type of that job. */
export const sendMailName: Pick<JobType, 'name'> = { name: 'send-mail' };

/** Time until the record of a queued mail expires. */
export const queuedMailSeconds = 30 * 24 * 3600;

const patienceMs = 24 * 3_600_000; // afterwards the mail has failed
const delay = { firstMs: 5000, maxMs: 1_800_000 };

type MailItem = Stored<QueuedMailData>;

/**
 * Sends a queued mail (docs/reference/accounts.md#queued-mails). Its record is marked before the content is handed over:
 * one with a mark and without a result, because its process died or the response was lost, may have been sent, and is
 * never sent again by itself.
 */
export const sendQueuedMail: JobType = {
  ...sendMailName,
  slowMs: 0, // it mostly waits for the mail server, in a queue of its own
  step: async (context, stored) => {
    const { request, ...about } = stored as MailTask; // as stored
    const item = await queuedMailEntity.read(context.store, about);
    if (item?.data.request !== request) return 'done'; // sent, or requested again
    const { state } = item.data;
    if (state === 'sending') return end(context, item, 'unconfirmed', 'the server stopped');
    if (state !== 'waiting') return 'done'; // a repeated step
    const instance = await instanceOfMail(context, about);
    if (instance?.isSuspended === true) return { task: stored, afterMs: suspendedJobMs };
    const mail = await writeMail(context, about, item.data.to);
    if (mail === undefined) return forget(context, item);
    const attempt = { item };
    try {
      const handOver = async () => {
        attempt.item = await change(context, attempt.item, { state: 'sending' });
      };
      await context.mailer.send(mail, { handOver, share: shareOfMail(about, instance) });
    } catch (error) {
      return afterFailure(context, { stored, item: attempt.item, error });
    }
    return sent(context, attempt.item);
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
    await change(services, item, { state: 'unconfirmed', error: 'the data were restored' });
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

interface Failure {
  readonly stored: JsonObject;
  readonly item: MailItem;
  readonly error: unknown;
}

async function afterFailure(
  context: JobContext,
  { stored, item, error }: Failure,
): Promise<StepResult> {
  if (!(error instanceof MailError)) throw error; // a write conflict, or an error of ours: tried again
  const { outcome, message } = error;
  if (outcome === 'unconfirmed') return end(context, item, 'unconfirmed', message);
  const ageMs = context.clock.micros() / 1000 - Date.parse(item.data.created_at);
  if (outcome === 'rejected' || ageMs > patienceMs) return end(context, item, 'failed', message);
  const tries = item.data.tries + 1;
  await change(context, item, { state: 'waiting', tries, error: message });
  report(context, item, 'retried', message);
  return { task: stored, afterMs: mostOf(longestDelay(item.data.tries, delay)) };
}

/** Ends a mail that will not be sent by itself any more: its record stays, for people. */
async function end(
  context: JobContext,
  item: MailItem,
  state: 'unconfirmed' | 'failed',
  error: string,
): Promise<StepResult> {
  await change(context, item, { state, error });
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

async function forget(context: JobContext, item: MailItem): Promise<StepResult> {
  await maintain(context, [deleteItem(item)]);
  return 'done';
}

type Changes = Partial<Pick<QueuedMailData, 'tries' | 'error'>> & {
  readonly state: QueuedMailState;
};

async function change(
  context: Pick<JobContext, 'store' | 'ids' | 'clock'>,
  item: MailItem,
  changes: Changes,
): Promise<MailItem> {
  const micros = context.clock.micros();
  const data: QueuedMailData = { ...item.data, ...changes, updated_at: timestamp(micros) };
  const expiresAt = Math.floor(micros / 1_000_000) + queuedMailSeconds;
  const version = await maintain(context, [{ ...updateItem(item, data), expiresAt }]);
  return { ...item, version, data };
}

function report(
  { log, mailer }: JobContext,
  { data: { about, tries } }: MailItem,
  result: MailResult,
  error: string,
): void {
  mailer.count?.(result);
  const level = result === 'retried' ? 'info' : 'error';
  log({ level, message: texts[result], ...about, tries, error });
}

const texts: Readonly<Record<MailResult, string>> = {
  sent: 'a mail was sent',
  retried: 'a mail could not be sent yet',
  unconfirmed: 'a mail may have been sent: its mail server has not confirmed it',
  failed: 'a mail could not be sent',
};
