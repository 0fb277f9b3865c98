import { buildIndexes } from '../../shared/classes/build-indexes.ts';
import { classCounts, classFileCounts } from '../../shared/classes/class-counts.ts';
import { addCompositeIndex } from '../../shared/classes/composite-index-job.ts';
import { recountClass } from '../../shared/classes/recount-class.ts';
import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearClass } from '../../shared/instances/clear-partitions.ts';

/** Indexes and counts of classes. */
export const jobs: FamilyJobs = {
  types: [buildIndexes, addCompositeIndex, recountClass, clearClass],
  consumers: [classCounts, classFileCounts],
  unorderedConsumers: [classCounts, classFileCounts],
};
