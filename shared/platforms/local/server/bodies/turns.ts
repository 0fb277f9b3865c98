import type { Share } from '../../../../ports/limits/fair-queue.ts';
import {
  openRequestQueue,
  type QueueLimits,
  type Release,
} from '../../../../ports/limits/request-queue.ts';

const waitMs = 1000;

const limits: QueueLimits = {
  capacity: 12,
  perOwner: 8, // two commits of the store, of which one is written while the other one is planned
  queuePerOwner: Infinity, // bodies are limited where they are received
  queuePerInstance: Infinity,
};

/**
 * Creates a function that waits for a turn, at most {@link waitMs}; after that the request runs without one. What it
 * returns ends the turn.
 *
 * The requests that wait are bytes. Without turns, all batches that arrive at once are parsed and planned, and wait for
 * the store, while the garbage collector copies them all: this takes half as much CPU time as they do. A wait after the
 * first step of a request costs the same: once its promises are among the old objects, they keep everything alive that
 * the request makes later.
 */
export function createTurns(): (share: Share) => Promise<Release> {
  const requestQueue = openRequestQueue(limits);
  return async (share) => {
    const entry = await requestQueue.enter({ waitMs, ...share });
    return typeof entry === 'string' ? () => undefined : entry;
  };
}
