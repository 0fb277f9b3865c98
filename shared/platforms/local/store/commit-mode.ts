/** Decides whether a commit may block the event loop until it is on the disk. */
export interface CommitMode {
  /** Returns whether the next commit may block, given its size. */
  mayBlock(commit: CommitSize): boolean;
  /** Reports the duration of a commit in milliseconds, and whether it blocked the event loop. */
  took(ms: number, hasBlocked: boolean): void;
  /** Reports a read. */
  read(): void;
}

/** Size of a commit. */
export interface CommitSize {
  /** Pieces of work that share it. */
  readonly jobs: number;
  readonly operations: number;
}

/** Commits of a single piece of work in a row, after which the next is expected to be one too. */
const loneCommits = 8;
/** Most reads between two commits; one writer alone needs fewer, and with more, readers would wait. */
const mostReads = 8;
/** Most operations of a commit that may block: those of a request that writes a few items. */
const mostOperations = 32;
/** Mean time of a commit in a separate thread on disks that are fast enough: half of it is for the thread changes. */
const fastMs = 3;
/** Duration of a blocking commit above which a pause of `restFactor` times its length follows: at most 1 % is lost. */
const slowMs = 5;
const restFactor = 100;
const weight = 1 / 8; // of the newest commit in the mean

/**
 * Starts the decisions for a store. A commit in a separate thread costs a single writer two thread changes, which is
 * more than a fast disk takes. So one writer alone on a fast disk commits in the event loop, for 0.2 ms each; with
 * several writers, or with readers as well, the loop stays free.
 *
 * @param now milliseconds, from any origin
 */
export function openCommitMode(now: () => number): CommitMode {
  let lone = 0;
  let reads = 0;
  let meanMs: number | undefined;
  let restsUntil = 0;

  return {
    mayBlock: ({ jobs, operations }) => {
      const wasRead = reads > mostReads;
      reads = 0;
      lone = jobs === 1 && !wasRead ? lone + 1 : 0;
      const isFast = meanMs !== undefined && meanMs < fastMs;
      return lone > loneCommits && operations <= mostOperations && isFast && now() >= restsUntil;
    },
    took: (ms, hasBlocked) => {
      if (!hasBlocked) meanMs = meanMs === undefined ? ms : meanMs + (ms - meanMs) * weight;
      else if (ms > slowMs) restsUntil = now() + ms * restFactor;
    },
    read: () => {
      reads += 1;
    },
  };
}
