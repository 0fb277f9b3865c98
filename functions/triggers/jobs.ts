import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearTriggerRuns } from '../../shared/triggers/clear-runs.ts';
import { clearTriggers, followDeletions } from '../../shared/triggers/clear-triggers.ts';
import { catchUp, startTriggers } from '../../shared/triggers/start-triggers.ts';

/** Starts the runs of triggers, and deletes what remains of deleted ones; in any order of changes. */
export const jobs: FamilyJobs = {
  types: [catchUp, clearTriggers, clearTriggerRuns],
  consumers: [startTriggers, followDeletions],
  unorderedConsumers: [startTriggers, followDeletions],
};
