import { createFairQueue, type FairQueue, type Share, type Ticket } from './fair-queue.ts';

/** How much a gate lets through at a time, and how many may wait before it. */
export interface GateLimits {
  /** Cost of all that is inside at once; a request that costs more is let in alone. */
  readonly capacity: number;
  /** Cost of what one owner has inside at once; absent: the whole capacity. */
  readonly perOwner?: number;
  /** Cost of what one instance has inside at once; absent: as much as its owner. */
  readonly perInstance?: number;
  /** Requests that wait, of all owners together. */
  readonly queue: number;
  readonly queuePerOwner: number;
  readonly queuePerInstance: number;
}

/** What wants to pass a gate. */
export interface GateRequest extends Share {
  /** Share of the capacity that it takes, above 0; absent: 1. */
  readonly cost?: number;
  /** Milliseconds that it waits at most. */
  readonly waitMs: number;
}

/** Ends the stay behind a gate; further calls have no effect. */
export type Release = () => void;

/** How an attempt to enter ended: inside, refused because too many wait, or given up after `waitMs`. */
export type Entry = Release | 'full' | 'late';

/** Bounds what runs at once and shares it fairly. */
export interface Gate {
  /** Lets a request in, at once and without a promise where there is room; it must be released whatever happens. */
  enter(request: GateRequest): Entry | Promise<Entry>;
  /** Requests that wait. */
  readonly waiting: number;
}

/** Calls `run` after `ms` milliseconds of steady time; gives what cancels it. */
export type Alarm = (ms: number, run: () => void) => () => void;

const machineAlarm: Alarm = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

interface Waiter {
  readonly cost: number;
  /** How it ended, once it has. */
  entry?: Entry;
  /** Is told how it ends, once somebody waits for that. */
  settle?: (entry: Entry) => void;
}

/**
 * Opens a gate. Owners take turns, within an owner its instances, so that who sends much waits behind himself only.
 * Of several costs the one whose turn it is waits until it fits: what is large is not passed by what is small.
 *
 * @param alarm a test gives its own
 */
export function openGate(limits: GateLimits, alarm: Alarm = machineAlarm): Gate {
  const { capacity } = limits;
  const queue = createFairQueue<Waiter>();
  const inside = openCounts(limits);

  function enter({ owner, instance, cost = 1, waitMs }: GateRequest): Entry | Promise<Entry> {
    const share = { owner, instance };
    const units = Math.min(cost, capacity);
    if (queue.size === 0 && inside.hasRoom(share) && inside.fits(units)) {
      return admit(share, units);
    }
    const waiter: Waiter = { cost: units };
    const ticket = queue.add(share, waiter);
    letIn(); // the others that wait may all be over their own limits
    if (waiter.entry !== undefined) return waiter.entry;
    if (isOver(limits, queue, share)) {
      queue.remove(ticket);
      return 'full';
    }
    return new Promise((resolve) => {
      const cancel = alarm(waitMs, () => giveUp(ticket));
      waiter.settle = (told) => {
        cancel();
        resolve(told);
      };
    });
  }

  function admit(share: Share, units: number): Release {
    let isInside = true;
    inside.add(share, units);
    return () => {
      if (!isInside) return;
      isInside = false;
      inside.add(share, -units);
      letIn();
    };
  }

  function letIn(): void {
    for (;;) {
      const next = queue.first(inside.hasRoom);
      if (next === undefined || !inside.fits(next.value.cost)) return;
      queue.take(next);
      end(next.value, admit(next.share, next.value.cost));
    }
  }

  function giveUp(ticket: Ticket<Waiter>): void {
    queue.remove(ticket);
    end(ticket.value, 'late');
    letIn(); // it may have kept smaller ones from entering
  }

  return {
    enter,
    get waiting() {
      return queue.size;
    },
  };
}

function isOver(limits: GateLimits, queue: FairQueue<Waiter>, share: Share): boolean {
  return (
    queue.size > limits.queue ||
    queue.sizeOfOwner(share.owner) > limits.queuePerOwner ||
    queue.sizeOfInstance(share) > limits.queuePerInstance
  );
}

function end(waiter: Waiter, entry: Entry): void {
  waiter.entry = entry;
  waiter.settle?.(entry);
}

interface Counts {
  add(share: Share, units: number): void;
  /** Whether owner and instance are below their own limits: the last one in may exceed them by its cost. */
  hasRoom(share: Share): boolean;
  /** Whether so much is left of the capacity. */
  fits(units: number): boolean;
}

function openCounts({ capacity, perOwner = capacity, perInstance = perOwner }: GateLimits): Counts {
  const byOwner = new Map<string, number>();
  const byInstance = new Map<string, number>();
  let total = 0;
  const add = (counts: Map<string, number>, name: string, units: number) => {
    const count = (counts.get(name) ?? 0) + units;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
  };
  return {
    add: (share, units) => {
      total += units;
      add(byOwner, share.owner, units);
      add(byInstance, nameOf(share), units);
    },
    hasRoom: (share) =>
      (byOwner.get(share.owner) ?? 0) < perOwner &&
      (byInstance.get(nameOf(share)) ?? 0) < perInstance,
    fits: (units) => total + units <= capacity,
  };
}

function nameOf({ owner, instance }: Share): string {
  return JSON.stringify([owner, instance]);
}
