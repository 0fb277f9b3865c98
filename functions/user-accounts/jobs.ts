import type { FamilyJobs } from '../../shared/core/family.ts';
import { removeGuest } from '../../shared/users/guests/remove-guest.ts';

/** Deletes guests at their end. */
export const jobs: FamilyJobs = { types: [removeGuest] };
