import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Mail, Platform } from '../ports/ports.ts';
import { createOrUpdate } from '../store/writes.ts';
import { mailsSentEntity } from '../table/entities/deployment.ts';
import type { MailPurpose, MailsSentData } from '../table/records/address-limits.ts';
import { sendAfterwards } from './mailers.ts';

const maxMails = 3;
const windowSeconds = 3600;

/** Properties of the request that sends a mail. */
export interface MailCall {
  readonly platform: Platform;
  readonly request: { readonly id: string };
}

/**
 * Sends a mail, at most three in an hour of one purpose to one address: further ones are dropped and logged. The
 * response is the same in either case.
 */
export async function sendLimited(
  { platform, request }: MailCall,
  purpose: MailPurpose,
  mail: Mail,
): Promise<void> {
  if (await takeMail(platform, purpose, mail.to)) return platform.mailer.send(mail);
  const message = 'a mail was dropped: its address had its mails of this hour';
  platform.log({ level: 'info', message, requestId: request.id, purpose });
}

/** Sends a limited mail after a completed action: a failure is logged. */
export async function sendLimitedAfterwards(
  call: MailCall,
  purpose: MailPurpose,
  mail: Mail,
): Promise<void> {
  const mailer = { send: (sent: Mail) => sendLimited(call, purpose, sent) };
  await sendAfterwards({ ...call.platform, mailer }, call.request.id, mail);
}

/** Counts a mail before it is sent, under a condition, so that parallel requests cannot exceed the limit. */
function takeMail(platform: Platform, purpose: MailPurpose, to: string): Promise<boolean> {
  const address = to.toLowerCase();
  const key = mailsSentEntity.key(address, purpose);
  return retryOnConflict(async () => {
    const current = await mailsSentEntity.read(platform.store, address, purpose);
    const now = Math.floor(platform.clock.micros() / 1_000_000);
    // a time far ahead is from before the clock was set back
    const recent = (current?.data.sentAt ?? []).filter((at) => Math.abs(now - at) < windowSeconds);
    if (recent.length >= maxMails) return false;
    const data: MailsSentData = { sentAt: [...recent, now] };
    const put = createOrUpdate(mailsSentEntity, { key, current }, data);
    await maintain(platform, [{ ...put, expiresAt: now + windowSeconds }]);
    return true;
  });
}
