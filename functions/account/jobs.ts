import { sendQueuedMail } from '../../shared/accounts/mail/queued-mail.ts';
import type { FamilyJobs } from '../../shared/core/family.ts';

/** Sends queued mails. */
export const jobs: FamilyJobs = { types: [sendQueuedMail] };
