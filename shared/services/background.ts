import { buildIndexes } from './build-indexes.ts';
import type { ChangeConsumer, Watch } from './changes.ts';
import {
  classCounts,
  classFileCounts,
  recountedClassCounts,
  recountedClassFileCounts,
} from './class-counts.ts';
import { clearFiles } from './clear-files.ts';
import { clearGroup } from './clear-group.ts';
import { clearClass, clearInstance } from './clear-partitions.ts';
import { clearScript, clearTraces } from './clear-script.ts';
import { clearUser } from './clear-user.ts';
import { removeFiles } from './object-files.ts';
import { pairFields } from './pair-fields.ts';
import { closeApplication, syncEndpoints } from './push-endpoints.ts';
import { sendPush } from './push-send.ts';
import { recountClass } from './recount-class.ts';
import { watchRun } from './run-traces.ts';
import { trimTraces } from './trim-traces.ts';
import type { WorkKind } from './work.ts';

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
