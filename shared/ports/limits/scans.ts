import type { Stored, Turns } from '../../store/store.ts';
import type { InstanceNameData } from '../../table/records/records.ts';
import { throttled } from '../../values/errors/errors.ts';
import { createFairQueue, type Queued, type Share, shareOf } from './fair-queue.ts';
import {
  type Alarm,
  openRequestQueue,
  type QueueLimits,
  type QueueState,
  type Release,
} from './request-queue.ts';
import { sliceMs } from './time-slices.ts';

/** Search time that is left to one request, including all items of a batch. */
export interface ScanBudget {
  leftMs: number;
}

/** A scan through many items, which shares the process with others. */
export interface Scan extends Turns {
  /** Checks whether its time is used up and it must end. */
  isSpent(): boolean;
  /** Ends it; it takes no more turns. */
  close(): void;
}

/** Limits the cost of scans, and shares their time fairly between owners and their instances. */
export interface Scans {
  /**
   * Begins a scan.
   *
   * @param budget of the request that it is a part of; absent: its own
   */
  open(share: Share, budget?: ScanBudget): Scan;
}

/** Begins a scan for a request inside an instance; it must be closed. */
export function openScan({
  platform,
  instance,
  instanceName,
}: {
  readonly platform: { readonly scans: Scans };
  readonly instance: number;
  readonly instanceName: Stored<InstanceNameData> | undefined;
}): Scan {
  return platform.scans.open(shareOf(instance, instanceName?.data.owner));
}

/** Steady milliseconds, scheduling after other events, and alarms; tests use their own. */
export interface ScanClock {
  readonly now: () => number;
  readonly afterOthers: (run: () => void) => void;
  readonly alarm?: Alarm;
}

const maxMs = 1500; // of its own work; a response then takes less than two seconds on a quiet server
const maxRequestMs = 5000; // all scans of one request, so of a batch
const maxWallMs = 15_000; // including all waits
const waitMs = 5000;

const limits: QueueLimits = {
  capacity: 64,
  perOwner: 32, // of all instances
  perInstance: 2,
  queue: 1000,
  queuePerOwner: 500,
  queuePerInstance: 100,
};

const machineClock: ScanClock = {
  now: () => performance.now(),
  afterOthers: (run) => void setImmediate(run),
};

/** Creates the budget of one request. */
export function openScanBudget(): ScanBudget {
  return { leftMs: maxRequestMs };
}

/**
 * Creates the scans of a process that serves many requests at once. A scan that ends within its first slice passes
 * without a wait. A longer one goes through a queue, two of an instance at a time, and works in slices: one slice
 * between two turns of the event loop, for any number of scans, owners and their instances in turn.
 */
export function openScans(clock: ScanClock = machineClock): Scans & { readonly queue: QueueState } {
  const requestQueue = openRequestQueue(limits, clock.alarm);
  const nextTurn = openQueue(clock);
  return {
    queue: requestQueue,
    open: (share, budget = { leftMs: maxMs }) => {
      const opened = clock.now();
      let since = opened;
      let ownLeftMs = maxMs;
      let isClosed = false;
      let release: Release | undefined;
      let pausing: Promise<void> | undefined;

      function charge(): void {
        const now = clock.now();
        ownLeftMs -= now - since;
        budget.leftMs -= now - since;
        since = now;
      }

      async function giveWay(): Promise<void> {
        charge();
        if (release === undefined) {
          const entry = await requestQueue.enter({ ...share, waitMs });
          if (typeof entry === 'string') throw throttled(1);
          release = entry;
          if (isClosed) release();
        }
        await nextTurn(share);
        since = clock.now();
      }

      return {
        isDue: () => clock.now() - since > sliceMs,
        pause: () => {
          // concurrent parts of one scan share one slice
          pausing ??= giveWay().finally(() => {
            pausing = undefined;
          });
          return pausing;
        },
        isSpent: () => {
          const now = clock.now();
          const sliceSoFarMs = pausing === undefined ? now - since : 0;
          return sliceSoFarMs >= Math.min(ownLeftMs, budget.leftMs) || now - opened > maxWallMs;
        },
        close: () => {
          if (isClosed) return;
          isClosed = true;
          if (pausing === undefined) charge();
          release?.();
        },
      };
    },
  };
}

/** Creates the scans of a process that serves one request at a time: only their time is limited. */
export function openFreeScans(now: ScanClock['now'] = machineClock.now): Scans {
  return {
    open: () => {
      const deadline = now() + maxMs;
      return {
        isDue: () => false,
        pause: () => Promise.resolve(),
        isSpent: () => now() > deadline,
        close: () => undefined,
      };
    },
  };
}

/** Returns a function that waits for a share's turn: one in each turn of the event loop, after its other events. */
function openQueue({ afterOthers }: ScanClock): (share: Share) => Promise<void> {
  const queue = createFairQueue<Queued & { readonly go: () => void }>();
  let isScheduled = false;

  function run(): void {
    isScheduled = false;
    const next = queue.first();
    if (next === undefined) return;
    queue.remove(next);
    queue.countTurn(next);
    next.go();
    schedule();
  }

  function schedule(): void {
    if (isScheduled || queue.size === 0) return;
    isScheduled = true;
    afterOthers(run);
  }

  return (share) =>
    new Promise((resolve) => {
      queue.add({ ...share, go: resolve });
      schedule();
    });
}
