/** Decides whether a commit may hold up the event loop until it is on the disk. */
export interface CommitPace {
  /** Whether the next commit may, given what it consists of. */
  mayBlock(commit: CommitSize): boolean;
  /** Says how long a commit took, in milliseconds, and whether it held up the event loop. */
  took(ms: number, hasBlocked: boolean): void;
  /** Says that somebody has read. */
  read(): void;
}

/** What a commit consists of. */
export interface CommitSize {
  /** Pieces of work that share it. */
  readonly jobs: number;
  readonly operations: number;
}

/** Commits of one piece of work in a row, after which the next one is taken for another of them. */
const loneCommits = 8;
/** Reads between two commits; one writer alone needs fewer, so others would wait. */
const mostReads = 8;
/** Operations whose work on pages takes 0.1 ms. */
const mostOperations = 32;
/** Mean time of a commit in a thread of its own on disks that are worth trying: half of it is the way there and back. */
const fastMs = 3;
/** A blocking commit that took longer is followed by a rest of so many times its length: 1 % is lost at most. */
const slowMs = 5;
const restFactor = 100;
const weight = 1 / 8; // of the newest commit in the mean

/**
 * Opens the pace of a store. A commit in a thread of its own costs a single writer two changes of thread, which is
 * more than a fast disk takes. So one writer alone on a fast disk commits in the event loop, for 0.5 ms each; with
 * several writers or with readers beside it the loop has better things to do.
 *
 * @param now milliseconds, from any origin
 */
export function openCommitPace(now: () => number): CommitPace {
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
