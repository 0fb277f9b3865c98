import type { Share } from '../../../limits/fair-queue.ts';
import { type GateLimits, openGate, type Release } from '../../../limits/gate.ts';

const waitMs = 1000;

const limits: GateLimits = {
  capacity: 12,
  perOwner: 8, // two commits of the store, of which one is written while the other one is planned
  queuePerOwner: Infinity, // bodies are limited where they are received
  queuePerInstance: Infinity,
};

/** Lets only some requests of routes with many writes run at a time. */
export interface Turns {
  /** Waits for a turn, at most {@link waitMs}; after that the request runs without one. */
  take(share: Share): Promise<Release>;
}

/**
 * Opens turns. The requests that wait for one are bytes: without turns, all batches that arrive at once are parsed and
 * planned, and wait for the store. The garbage collector then copies them all, which takes half as much CPU time as they
 * do. A wait after the first step of a request costs the same: once its promises are among the old objects, they keep
 * everything alive that the request makes later.
 */
export function openTurns(): Turns {
  const gate = openGate(limits);
  return {
    take: async (share) => {
      const entry = await gate.enter({ waitMs, ...share });
      return typeof entry === 'string' ? () => undefined : entry;
    },
  };
}
