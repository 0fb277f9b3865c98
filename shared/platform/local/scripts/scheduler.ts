import { instanceLimits, type Leave } from '../../../scripts/slots.ts';
import { type GateLimits, openGate } from '../../limits/gate.ts';

/** Uses of child processes. Each has its own limits in an instance. */
export type ProcessUse = 'script' | 'template' | 'certificate';

/** A piece of work that needs a child process. */
export interface Work {
  readonly kind: ProcessUse;
  /** Id of the account that owns the instance. */
  readonly owner: number;
  readonly instance: number;
  /** Whether a request waits for its end: then it starts before work of the instance without one. */
  readonly isAwaited: boolean;
  /** Memory that it uses while it waits. */
  readonly bytes: number;
  /** Milliseconds after which it stops waiting for a slot. */
  readonly waitMs: number;
  /** Milliseconds for which it may hold its slot. */
  readonly timeoutMs: number;
}

/** Shares the slots for child processes between owners and their instances. */
export interface Scheduler {
  /**
   * Takes a slot, or waits for one. Owners take turns, and so do the instances of an owner.
   *
   * @returns a function that releases the slot; `late` when none was free in time, `full` at once when the queue is
   *   full
   */
  enter(work: Work): Promise<Leave | 'late' | 'full'>;
}

const leastSlots = 4;
const mostSlots = 64;

/** Returns the number of slots for processes of a size, by memory: 4 to 64. */
export function slotsFor(usableBytes: number, processBytes: number): number {
  const count = Math.floor(usableBytes / processBytes);
  return Math.min(mostSlots, Math.max(leastSlots, count));
}

/** Returns the limits for a number of slots, 2 or more. */
export function limitsFor(slots: number) {
  return {
    capacity: slots,
    perOwner: Math.max(1, Math.floor(slots / 2)), // whether others wait or not: they could not take back a running slot
    perInstance: instanceLimits.running,
    reservedMs: 30_000, // the time limit of a script that sets none
    queueInShares: 10_000,
    queuePerOwner: 1_000,
    queuePerInstance: instanceLimits.waiting,
    queueBytesPerOwner: 64 * 2 ** 20,
  } satisfies GateLimits;
}

/** Opens a scheduler with all slots free: a gate where an instance has a share for each use. */
export function openScheduler(limits: GateLimits): Scheduler {
  const gate = openGate(limits);
  return {
    enter: async ({ kind, owner, instance, isAwaited, bytes, waitMs, timeoutMs }) =>
      gate.enter({
        owner: String(owner),
        instance: `${kind}/${instance}`,
        isUrgent: isAwaited,
        stayMs: timeoutMs,
        waitMs,
        bytes,
      }),
  };
}
