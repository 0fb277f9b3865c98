import { maxQueryLimit } from '../store/limits.ts';

/*
 * Measured 2026-11 with the first request for a page of 20 out of 100,000 objects, against batches that only double:
 *
 * | List                                                    | Objects read     | Steps on AWS | Read units        |
 * |---------------------------------------------------------|------------------|--------------|-------------------|
 * | in order, one in two matches                            | 69 (doubled 128) | 2 (2)        | 11 (20)           |
 * | in order, one in ten matches                            | 284 (634)        | 3 (4)        | 44 (97)           |
 * | the same, for a user who may read 3 % of the objects    | 2,508 (7,002)    | 6 (13)       | 524 (3,066)       |
 * | one in fifty matches, by a filter that uses no index    | 1,330 (1,328)    | 4 (6)        | 400 (400)         |
 *
 * Batches of one size take 10 to 48 steps. An estimate from few matches can be wrong: 505 objects instead of 253 where
 * one in a hundred of 10,000 matches. There is no difference where one batch is enough or a whole path is read.
 */

/** Batch size of a scan: estimated from its results so far and from those of the previous scan. */
export interface BatchSize {
  /** Returns how many objects the next step should read. */
  objects(): number;
  /** Checks whether the next step probably completes the result. */
  isLast(): boolean;
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
  /** Whether reading stops at the end of the result, so that a large batch costs nothing. */
  readonly stopsInTime?: boolean;
  /** Objects that the previous scan of this form examined; absent: not known. */
  readonly usedBefore?: number | undefined;
}

const least = 20; // objects of a step that may not be the last
const firstCounted = 100;
const margin = 1.25;
const freeMargin = 2;
const mostGrowth = 8;
/*
 * Times the first batch. Measured 2026-11: a repeated page of 20 in order, where one in ten matches, reads 244 objects
 * in 1 step; with 8 it would be 280 in 3. No more than one step of one stream is trusted, so that the step can finish.
 * It loses where the values compared with, which are no part of a search's form, have fewer matches than those of the
 * previous search: then another path may be better, and the step costs a round trip and up to 1000 objects per stream.
 */
const mostTrusted = 16;

/**
 * Starts the estimate. Without knowledge, parallel scans start with the same batch size and grow alike, so that all
 * together read little more than the best one alone times their number.
 */
export function openBatchSize({ limit, isSorted, stopsInTime, usedBefore }: Aim): BatchSize {
  let objects = firstBatch(limit, isSorted);
  let isLast = false;
  if (usedBefore !== undefined && usedBefore <= Math.min(mostTrusted * objects, maxQueryLimit)) {
    isLast = true;
    // a path that led straight to the whole result is read no further than that
    const spare = stopsInTime ? freeMargin : margin;
    if (usedBefore > objects) objects = Math.ceil(spare * usedBefore);
  }
  return {
    objects: () => objects,
    isLast: () => isLast,
    learn: ({ used, kept }) => {
      if (isSorted && kept > 0 && limit !== Number.POSITIVE_INFINITY) {
        const needed = Math.ceil((margin * used * (limit - kept)) / kept);
        isLast = needed <= mostGrowth * objects;
        objects = Math.max(Math.min(needed, mostGrowth * objects), least);
      } else {
        isLast = false;
        objects = Math.max(2 * objects, least);
      }
    },
  };
}

function firstBatch(limit: number, isSorted: boolean): number {
  if (limit === Number.POSITIVE_INFINITY) return firstCounted;
  return isSorted ? limit : Math.max(limit, least);
}
