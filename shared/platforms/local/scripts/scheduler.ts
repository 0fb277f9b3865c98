import {
  openRequestQueue,
  type QueueLimits,
  type QueueState,
} from '../../../ports/limits/request-queue.ts';
import { instanceLimits, type ReleaseSlot } from '../../../scripts/slots.ts';

/** Uses of child processes. Each use has its own limits per instance. */
export type ProcessUse = 'script' | 'template' | 'certificate';

/** A job that needs a child process. */
export interface ProcessJob {
  readonly kind: ProcessUse;
  /** Id of the account that owns the instance. */
  readonly owner: number;
  readonly instance: number;
  /** True when a request waits for the end. Such jobs start before others of the instance. */
  readonly isAwaited: boolean;
  /** Memory that the job uses while it waits. */
  readonly bytes: number;
  /** Maximum wait for a slot in milliseconds. */
  readonly waitMs: number;
  /** Maximum time in the slot in milliseconds. */
  readonly timeoutMs: number;
}

/** Shares the slots for child processes between owners and their instances. */
export interface Scheduler {
  /**
   * Takes a slot, or waits for one. Owners take turns, and so do the instances of an owner.
   *
   * @returns a function that releases the slot; `late` when no slot became free in time, `full` at once when the queue
   *   is full
   */
  enter(job: ProcessJob): Promise<ReleaseSlot | 'late' | 'full'>;
  readonly queue: QueueState;
}

/** Number of processes. It is limited by memory only: a sleeping script uses no core. */
export interface ProcessLimits {
  /** Processes that run jobs at a time. */
  readonly slots: number;
  /** Whether a process of each runtime is ready for the next new script, in addition to the slots. */
  readonly keepsSpares: boolean;
}

const minSlots = 4;
const maxSlots = 64;
const maxSpares = 4; // one for each runtime

/** Returns the number of slots for processes of a size, by the memory of all: 4 to 64. */
export function slotsFor(childBytes: number, processBytes: number): ProcessLimits {
  const count = Math.floor(childBytes / processBytes);
  const keepsSpares = count >= minSlots + maxSpares;
  const slots = count - (keepsSpares ? maxSpares : 0);
  return { slots: Math.min(maxSlots, Math.max(minSlots, slots)), keepsSpares };
}

/** Returns the limits for a number of slots, 2 or more. */
export function limitsFor(slots: number) {
  return {
    capacity: slots,
    perOwner: Math.max(1, Math.floor(slots / 2)), // even without other waiters: a running job is not preempted
    perInstance: instanceLimits.running,
    reservedMs: 30_000, // the default time limit of a script
    queueInShares: 10_000,
    queuePerOwner: 1_000,
    queuePerInstance: instanceLimits.waiting,
    queueBytesPerOwner: 64 * 2 ** 20,
  } satisfies QueueLimits;
}

/** Opens a scheduler: a queue in which an instance has a share for each use. */
export function openScheduler(limits: QueueLimits): Scheduler {
  const requestQueue = openRequestQueue(limits);
  return {
    queue: requestQueue,
    enter: async ({ kind, owner, instance, isAwaited, bytes, waitMs, timeoutMs }) =>
      requestQueue.enter({
        owner: String(owner),
        instance: `${kind}/${instance}`,
        isUrgent: isAwaited,
        stayMs: timeoutMs,
        waitMs,
        bytes,
      }),
  };
}
