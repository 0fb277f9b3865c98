import { statSync } from 'node:fs';
import { join } from 'node:path';
import { countDurations, type DurationCounts } from '../counts/durations.ts';
import type { CommitMode } from './commit-mode.ts';
import { freeBytes } from './storage-trouble.ts';
import { dataFile, type StoredTables } from './tables.ts';

/** Sizes of a store, and its commits since it was opened. */
export interface StoreStatistics {
  /** Size of the file, which does not shrink. */
  readonly fileBytes: number;
  /** Pages of the file that hold data; the others are its reserve, and are written first. */
  readonly usedBytes: number;
  readonly freeDiskBytes: number;
  readonly commits: DurationCounts;
}

/** Pages of a table, as LMDB counts them. */
interface TableStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Opens the statistics of the store in a folder. */
export function openStatistics(
  folder: string,
  { items, indexes, counters, changes }: StoredTables,
): {
  /** Returns a mode that counts the durations of commits. */
  timing(mode: CommitMode): CommitMode;
  read(): StoreStatistics;
} {
  const commits = countDurations(commitBounds);
  return {
    timing: ({ mayBlock, took, read }) => ({
      mayBlock,
      read,
      took: (ms, hasBlocked) => {
        commits.add(ms / 1000);
        took(ms, hasBlocked);
      },
    }),
    read: () => ({
      fileBytes: statSync(join(folder, dataFile)).size,
      usedBytes: [items, indexes, counters, changes].reduce(
        (sum, table) => sum + bytesOf(table.getStats() as TableStats), // a table has these counts
        0,
      ),
      freeDiskBytes: freeBytes(folder),
      commits: commits.read(),
    }),
  };
}

function bytesOf(stats: TableStats): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = stats;
  return (treeBranchPageCount + treeLeafPageCount + overflowPages) * pageSize;
}
