import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearScript, clearTraces } from '../../shared/scripts/clear-script.ts';
import { deleteOldTraces } from '../../shared/scripts/delete-old-traces.ts';
import { watchRun } from '../../shared/scripts/runs/watch-run.ts';

/** Ends runs that are overdue, and deletes traces. */
export const jobs: FamilyJobs = {
  types: [watchRun, clearScript, clearTraces, deleteOldTraces],
};
