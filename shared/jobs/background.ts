import { buildIndexes } from '../classes/build-indexes.ts';
import {
  classCounts,
  classFileCounts,
  recountedClassCounts,
  recountedClassFileCounts,
} from '../classes/class-counts.ts';
import { pairFields } from '../classes/composite-index-job.ts';
import { recountClass } from '../classes/recount-class.ts';
import { clearClass, clearInstance } from '../instances/clear-partitions.ts';
import { clearFiles } from '../objects/clear-files.ts';
import { removeFiles } from '../objects/object-files.ts';
import { closeApplication, syncEndpoints } from '../push/push-endpoints.ts';
import { sendPush } from '../push/push-send.ts';
import { clearScript, clearTraces } from '../scripts/clear-script.ts';
import { watchRun } from '../scripts/run-traces.ts';
import { trimTraces } from '../scripts/trim-traces.ts';
import { clearGroup } from '../users/clear-group.ts';
import { clearUser } from '../users/clear-user.ts';
import type { ChangeConsumer, Watch } from './change-feed.ts';
import type { WorkKind } from './jobs.ts';

/** THE BACKGROUND: what follows from changes, where they come in the order in which they were made. */
export const consumers: readonly ChangeConsumer[] = [classCounts, classFileCounts];

/** The same where they come in the order of each item only. */
export const unorderedConsumers: readonly ChangeConsumer[] = [
  recountedClassCounts,
  recountedClassFileCounts,
];

/** The kinds of work that are done later, on every platform. A deleted user's objects will be one more. */
export const workKinds: readonly WorkKind[] = [
  clearClass,
  clearInstance,
  buildIndexes,
  pairFields,
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
  trimTraces,
];

/** The changes that some consumer wants to hear of. */
export const watches: readonly Watch[] = consumers.flatMap((consumer) => consumer.watches);
