import { clearClass, clearInstance } from '../instances/clear-partitions.ts';
import { buildIndexes } from '../services/build-indexes.ts';
import {
  classCounts,
  classFileCounts,
  recountedClassCounts,
  recountedClassFileCounts,
} from '../services/class-counts.ts';
import { clearFiles } from '../services/clear-files.ts';
import { clearScript, clearTraces } from '../services/clear-script.ts';
import { removeFiles } from '../services/object-files.ts';
import { pairFields } from '../services/pair-fields.ts';
import { closeApplication, syncEndpoints } from '../services/push-endpoints.ts';
import { sendPush } from '../services/push-send.ts';
import { recountClass } from '../services/recount-class.ts';
import { watchRun } from '../services/run-traces.ts';
import { trimTraces } from '../services/trim-traces.ts';
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
