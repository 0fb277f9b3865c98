import { buildIndexes } from './build-indexes.ts';
import type { ChangeConsumer } from './changes.ts';
import { classCounts } from './class-counts.ts';
import { clearClass, clearInstance } from './clear-partitions.ts';
import type { WorkKind } from './work.ts';

/** THE BACKGROUND: what follows from changes, on every platform. */
export const consumers: readonly ChangeConsumer[] = [classCounts];

/** The kinds of work that are done later, on every platform. A deleted user's objects will be one more. */
export const workKinds: readonly WorkKind[] = [clearClass, clearInstance, buildIndexes];

/** Kinds of items that some consumer wants to hear of. */
export const watchedKinds: readonly string[] = [
  ...new Set(consumers.flatMap(({ kinds }) => kinds)),
];
