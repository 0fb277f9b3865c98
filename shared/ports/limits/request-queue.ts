import { createFairQueue, type Queued, type Share } from './fair-queue.ts';

/** Limits of a queue, and of what runs at once. */
export interface QueueLimits {
  /** Requests inside at once. */
  readonly capacity: number;
  /** Requests of one owner inside at once; absent: the whole capacity. */
  readonly perOwner?: number;
  /** Requests of one instance inside at once; absent: as many as its owner. */
  readonly perInstance?: number;
  /** The last free slot is for owners with no request inside, for at most so many milliseconds; absent: for all. */
  readonly reservedMs?: number;
  /** Queued requests of all owners together; absent: see `queueInShares`. */
  readonly queue?: number;
  /** Queued requests, divided evenly between the owners that wait; absent: no such limit. */
  readonly queueInShares?: number;
  readonly queuePerOwner: number;
  readonly queuePerInstance: number;
  /** Memory of one owner's queued requests, in bytes; absent: unlimited. */
  readonly queueBytesPerOwner?: number;
}

/** A request for a slot. */
export interface QueuedRequest extends Queued {
  /** Longest wait in milliseconds. */
  readonly waitMs: number;
  /** Longest stay inside in milliseconds; absent: unknown. */
  readonly stayMs?: number;
  /** Memory that it uses while it waits; absent: negligible. */
  readonly bytes?: number;
}

/** Releases the slot; further calls have no effect. */
export type Release = () => void;

/** Result of an attempt to enter: inside, rejected because the queue is full, or expired after `waitMs`. */
export type QueueResult = Release | 'full' | 'late';

/** What is in a queue now, and what it has rejected since it was opened. */
export interface QueueState {
  /** Number of queued requests. */
  readonly waiting: number;
  /** Number of requests that were admitted and are not released. */
  readonly inside: number;
  /** Number of rejected requests by reason: the queue was full, or they waited for too long. */
  readonly rejected: { readonly full: number; readonly late: number };
}

/** Limits concurrent requests and shares the slots fairly. */
export interface RequestQueue extends QueueState {
  /** Admits a request, at once and without a promise if there is room; it must be released in any case. */
  enter(request: QueuedRequest): QueueResult | Promise<QueueResult>;
}

/** Calls `run` after `ms` milliseconds of steady time; returns a function that cancels it. */
export type Alarm = (ms: number, run: () => void) => () => void;

const machineAlarm: Alarm = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** A queued request. */
interface Waiter extends QueuedRequest {
  settle(entry: QueueResult): void;
}

/**
 * Opens a queue. Owners take turns, within an owner its instances, so that a flood of one owner delays only itself.
 *
 * @param alarm for tests: another timer
 */
export function openRequestQueue(limits: QueueLimits, alarm: Alarm = machineAlarm): RequestQueue {
  const inside = openInside(limits);
  const waiting = openWaiting(limits);
  const rejected = { full: 0, late: 0 };

  function enter(request: QueuedRequest): QueueResult | Promise<QueueResult> {
    if (inside.hasRoom(request) && inside.mayEnter(request)) return admit(request);
    if (waiting.isFull(request)) {
      rejected.full += 1;
      return 'full';
    }
    return new Promise((resolve) => {
      const settle = (entry: QueueResult) => {
        cancel();
        resolve(entry);
      };
      const waiter = { ...request, settle };
      const cancel = alarm(request.waitMs, () => giveUp(waiter));
      waiting.add(waiter);
    });
  }

  function admit(request: QueuedRequest): Release {
    let isInside = true;
    inside.add(request);
    waiting.countTurn(request);
    return () => {
      if (!isInside) return;
      isInside = false;
      inside.remove(request);
      letIn();
    };
  }

  function letIn(): void {
    for (;;) {
      const next = waiting.first(inside.hasRoom, inside.mayEnter);
      if (next === undefined) return;
      waiting.remove(next);
      next.settle(admit(next));
    }
  }

  function giveUp(waiter: Waiter): void {
    waiting.remove(waiter);
    rejected.late += 1;
    waiter.settle('late');
  }

  return {
    enter,
    get waiting() {
      return waiting.size;
    },
    get inside() {
      return inside.size();
    },
    rejected,
  };
}

/** Counts the requests inside. */
function openInside(limits: QueueLimits) {
  const { capacity, perOwner = capacity, perInstance = perOwner, reservedMs } = limits;
  const requests = openSums();
  return {
    add: (request: QueuedRequest) => requests.add(request, 1),
    remove: (request: QueuedRequest) => requests.add(request, -1),
    size: requests.total,
    /** Checks whether owner and instance are below their own limits. */
    hasRoom: (share: Share) =>
      requests.ofOwner(share) < perOwner && requests.ofInstance(share) < perInstance,
    /** Checks whether a slot is free for the request: the last one may be reserved. */
    mayEnter: (request: QueuedRequest) => {
      const free = capacity - requests.total();
      if (reservedMs === undefined || free > 1) return free > 0;
      const isFirstOfOwner = requests.ofOwner(request) === 0;
      return free > 0 && isFirstOfOwner && (request.stayMs ?? Infinity) <= reservedMs;
    },
  };
}

/** Queues requests, and counts them and their memory. */
function openWaiting(limits: QueueLimits) {
  const { queue: all = Infinity, queueInShares = Infinity, queueBytesPerOwner = Infinity } = limits;
  const queue = createFairQueue<Waiter>();
  const requests = openSums();
  const bytes = openSums();
  const count = (waiter: Waiter, sign: 1 | -1) => {
    requests.add(waiter, sign);
    bytes.add(waiter, sign * (waiter.bytes ?? 0));
  };
  return {
    get size() {
      return queue.size;
    },
    first: queue.first,
    countTurn: queue.countTurn,
    add: (waiter: Waiter) => {
      queue.add(waiter);
      count(waiter, 1);
    },
    remove: (waiter: Waiter) => {
      queue.remove(waiter);
      count(waiter, -1);
    },
    /** Checks whether the queue is full for the request. */
    isFull: (request: QueuedRequest) =>
      queue.size >= all ||
      requests.ofOwner(request) >= limits.queuePerOwner ||
      requests.ofOwner(request) >= Math.floor(queueInShares / Math.max(1, queue.owners)) ||
      requests.ofInstance(request) >= limits.queuePerInstance ||
      bytes.ofOwner(request) + (request.bytes ?? 0) > queueBytesPerOwner,
  };
}

/** Sums of amounts: in total, by owner, and by instance of an owner. */
interface Sums {
  add(share: Share, amount: number): void;
  total(): number;
  ofOwner(share: Share): number;
  ofInstance(share: Share): number;
}

function openSums(): Sums {
  const owners = new Map<string, { sum: number; readonly instances: Map<string, number> }>();
  let total = 0;
  return {
    add: ({ owner, instance }, amount) => {
      const counts = owners.get(owner) ?? { sum: 0, instances: new Map<string, number>() };
      const sum = (counts.instances.get(instance) ?? 0) + amount;
      total += amount;
      counts.sum += amount;
      if (sum > 0) counts.instances.set(instance, sum);
      else counts.instances.delete(instance);
      if (counts.instances.size > 0) owners.set(owner, counts);
      else owners.delete(owner);
    },
    total: () => total,
    ofOwner: ({ owner }) => owners.get(owner)?.sum ?? 0,
    ofInstance: ({ owner, instance }) => owners.get(owner)?.instances.get(instance) ?? 0,
  };
}
