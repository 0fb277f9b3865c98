import { buildIndexes } from '../shared/classes/build-indexes.ts';
import {
  classCounts,
  classFileCounts,
  recountedClassCounts,
  recountedClassFileCounts,
} from '../shared/classes/class-counts.ts';
import { addCompositeIndex } from '../shared/classes/composite-index-job.ts';
import { recountClass } from '../shared/classes/recount-class.ts';
import { clearClass, clearInstance } from '../shared/instances/clear-partitions.ts';
import type { ChangeConsumer, Watch } from '../shared/jobs/change-feed.ts';
import type { JobType } from '../shared/jobs/jobs.ts';
import { clearFiles } from '../shared/objects/clear-files.ts';
import { removeFiles } from '../shared/objects/object-files.ts';
import { closeApplication, syncEndpoints } from '../shared/push/push-endpoints.ts';
import { sendPush } from '../shared/push/push-send.ts';
import { clearScript, clearTraces } from '../shared/scripts/clear-script.ts';
import { deleteOldTraces } from '../shared/scripts/delete-old-traces.ts';
import { watchRun } from '../shared/scripts/run-traces.ts';
import { clearGroup } from '../shared/users/clear-group.ts';
import { clearUser } from '../shared/users/clear-user.ts';

/** Consumers of a change feed that delivers changes in the order in which they were made. */
export const consumers: readonly ChangeConsumer[] = [classCounts, classFileCounts];

/** Consumers of a feed that keeps only the order of each item's changes. */
export const unorderedConsumers: readonly ChangeConsumer[] = [
  recountedClassCounts,
  recountedClassFileCounts,
];

/** The map of background jobs: every job type, on both platforms. */
export const jobTypes: readonly JobType[] = [
  clearClass,
  clearInstance,
  buildIndexes,
  addCompositeIndex,
  recountClass,
  clearUser,
  clearGroup,
  removeFiles,
  clearFiles,
  sendPush,
  syncEndpoints,
  closeApplication,
  clearScript,
  clearTraces,
  watchRun,
  deleteOldTraces,
];

/** The changes that the consumers read. */
export const watches: readonly Watch[] = consumers.flatMap((consumer) => consumer.watches);
