import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearGroup } from '../../shared/users/clear-group.ts';
import { clearUser } from '../../shared/users/clear-user.ts';

/** Deletes what belongs to deleted users and groups. */
export const jobs: FamilyJobs = {
  types: [clearUser, clearGroup],
};
