/** Batch size of a scan: estimated from its results so far and from those of the previous scan. */
export interface Pace {
  /** Objects that the next step should read. */
  readonly chunk: number;
  /** Whether the next step probably completes the result. */
  readonly isLast: boolean;
  /** Records the totals of all steps so far. */
  learn(met: Met): void;
}

/** Totals of a scan. */
export interface Met {
  /** Objects that were examined. */
  readonly used: number;
  /** Examined objects that match. */
  readonly kept: number;
}

/** Purpose of a scan. */
export interface Aim {
  /** Maximum number of objects; Infinity for all. */
  readonly limit: number;
  /** Whether the scan reads objects in the requested order, and so ends when it has enough of them. */
  readonly isSorted: boolean;
  /** Objects that the previous scan of this form examined; absent: not known. */
  readonly usedBefore?: number | undefined;
}

const least = 20; // objects of a step that may not be the last
const firstCounted = 100;
const margin = 1.25;
const mostGrowth = 8;

/**
 * Starts the estimate. Without knowledge, parallel scans start with the same batch size and grow alike, so that all
 * together read little more than the best one alone times their number.
 */
export function openPace({ limit, isSorted, usedBefore }: Aim): Pace {
  let chunk = firstChunk(limit, isSorted);
  let isLast = false;
  if (usedBefore !== undefined && usedBefore <= mostGrowth * chunk) {
    isLast = true;
    // a path that led straight to the whole result is read no further than that
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
