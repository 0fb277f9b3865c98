import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearInstance } from '../../shared/instances/clear-partitions.ts';

/** Deletes the data of deleted instances. */
export const jobs: FamilyJobs = {
  types: [clearInstance],
};
