import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearFiles } from '../../shared/objects/files/clear-files.ts';
import { removeFiles } from '../../shared/objects/files/remove-files.ts';

/** Deletes files that no object has. */
export const jobs: FamilyJobs = {
  types: [removeFiles, clearFiles],
};
