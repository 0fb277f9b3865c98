import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearFiles } from '../../shared/objects/files/clear-files.ts';
import { moveFiles } from '../../shared/objects/files/move-files.ts';
import { removeFiles } from '../../shared/objects/files/remove-files.ts';

/** Deletes files that no object has, and moves those of fields that have become private or public. */
export const jobs: FamilyJobs = {
  types: [removeFiles, clearFiles, moveFiles],
};
