import type { FamilyJobs } from '../../shared/core/resource/route.ts';
import { clearFiles } from '../../shared/objects/clear-files.ts';
import { removeFiles } from '../../shared/objects/remove-files.ts';

/** Deletes files that no object has. */
export const jobs: FamilyJobs = {
  types: [removeFiles, clearFiles],
};
