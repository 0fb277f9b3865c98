import type { Caches } from '../../shared/core/resource/caches.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { shareOf } from '../../shared/platform/limits/fair-queue.ts';
import {
  type Gate,
  type GateLimits,
  openGate,
  type Release,
} from '../../shared/platform/limits/gate.ts';

const waitMs = 1000;

const limits: GateLimits = {
  capacity: 12,
  perOwner: 8, // two commits of the local store, of which one is written while the other one is planned
  queuePerOwner: Infinity, // bodies are limited where they are received
  queuePerInstance: Infinity,
};

const gates = new WeakMap<Caches, Gate>();

/**
 * Waits until the batch may have a turn, at most {@link waitMs}; after that it runs without one. A batch has its turn
 * while its items are read and its objects are written. Without turns, the planned objects of all batches that arrive
 * at once wait for the store, and the garbage collector copies them: 32 batches of 50 creates at a time take 1.5 times
 * the CPU time.
 *
 * @returns ends the turn; further calls have no effect
 */
export async function takeTurn({ caches, instanceId, instanceName }: Context): Promise<Release> {
  const gate = gates.get(caches) ?? openGate(limits);
  gates.set(caches, gate);
  const share = shareOf(instanceId ?? 0, instanceName?.data.owner);
  const entry = await gate.enter({ waitMs, ...share });
  return typeof entry === 'string' ? () => undefined : entry;
}
