import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearSchedules } from '../../shared/schedules/clear-schedules.ts';
import { runSchedule } from '../../shared/schedules/run-schedule.ts';

/** Runs schedules at their times, and deletes those of deleted scripts. */
export const jobs: FamilyJobs = {
  types: [runSchedule],
  consumers: [clearSchedules],
  unorderedConsumers: [clearSchedules],
};
