import type { TableOperation } from '../tables.ts';
import { lengthOf } from './parts.ts';

/** Decides whether a commit goes through the log, or to the tables at once. */
export interface CommitPath {
  /**
   * Checks whether the next commit goes to the tables.
   *
   * @param jobs pieces of work that share it
   */
  isDirect(operations: readonly TableOperation[], jobs: number): boolean;
}

/** Operations or characters from which a commit is direct: it writes many pages of the tables anyway. */
const largeCommit = 96;
const largeLength = 262_144;
/** Mean number of jobs above which commits are direct, and below which they are logged again. */
const manyJobs = 12;
const fewJobs = 9;
const weight = 1 / 8; // of the newest commit in the mean

/**
 * Opens the choice for a store. Commits of one writer, or of a few, are logged: this takes two thirds of the processor
 * time. Groups of many writers share the pages that they write already: with 32 writers, a create that is logged and
 * applied takes 1.1 times the time of one that is not.
 */
export function openCommitPath(): CommitPath {
  let mean = 0;
  let isGrouped = false;
  return {
    isDirect: (operations, jobs) => {
      mean += (jobs - mean) * weight;
      isGrouped = mean > (isGrouped ? fewJobs : manyJobs);
      return isGrouped || operations.length >= largeCommit || lengthOf(operations) >= largeLength;
    },
  };
}
