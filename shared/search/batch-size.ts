/** How much a walk reads at a time: guessed from what it has met, and from what was met the last time. */
export interface Pace {
  /** Objects that the next step should read. */
  readonly chunk: number;
  /** Whether the next step probably brings all that is still wanted. */
  readonly isLast: boolean;
  /** Says what came of all steps so far. */
  learn(met: Met): void;
}

/** What a walk has met. */
export interface Met {
  /** Objects that were looked at. */
  readonly used: number;
  /** Those of them that are wanted. */
  readonly kept: number;
}

/** What a walk is for. */
export interface Aim {
  /** Objects at the most; Infinity for all. */
  readonly limit: number;
  /** Whether it meets objects in the order that is wanted, and so ends when it has enough of them. */
  readonly isSorted: boolean;
  /** Objects that such a walk looked at the last time; absent: not known. */
  readonly usedBefore?: number | undefined;
}

const least = 20; // objects of a step that may not be the last
const firstCounted = 100;
const margin = 1.25;
const mostGrowth = 8;

/**
 * Begins to guess. Without knowledge, walks side by side begin with as much and grow alike, so that all together read
 * little more than the best one alone times their number.
 */
export function openPace({ limit, isSorted, usedBefore }: Aim): Pace {
  let chunk = firstChunk(limit, isSorted);
  let isLast = false;
  if (usedBefore !== undefined && usedBefore <= mostGrowth * chunk) {
    isLast = true;
    // what led straight to all that was wanted is read no further than that
    if (usedBefore > chunk) chunk = Math.ceil(margin * usedBefore);
  }
  return {
    get chunk() {
      return chunk;
    },
    get isLast() {
      return isLast;
    },
    learn: ({ used, kept }) => {
      if (isSorted && kept > 0 && limit !== Number.POSITIVE_INFINITY) {
        const needed = Math.ceil((margin * used * (limit - kept)) / kept);
        isLast = needed <= mostGrowth * chunk;
        chunk = Math.max(Math.min(needed, mostGrowth * chunk), least);
      } else {
        isLast = false;
        chunk = Math.max(2 * chunk, least);
      }
    },
  };
}

function firstChunk(limit: number, isSorted: boolean): number {
  if (limit === Number.POSITIVE_INFINITY) return firstCounted;
  return isSorted ? limit : Math.max(limit, least);
}
