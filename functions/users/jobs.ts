import type { FamilyJobs } from '../../shared/core/family.ts';
import { issueCode } from '../../shared/users/addresses/issue-code.ts';
import { clearGroup } from '../../shared/users/clear-group.ts';
import { clearUser } from '../../shared/users/clear-user.ts';
import { sendUserMail } from '../../shared/users/mail/user-mail-job.ts';

/** Deletes what belongs to deleted users and groups, and sends mails to users. */
export const jobs: FamilyJobs = {
  types: [clearUser, clearGroup, sendUserMail(issueCode)],
};
