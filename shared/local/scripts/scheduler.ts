import { instanceLimits, type Leave } from '../../services/script-places.ts';

/** What child processes work on. Each kind has limits of its own in an instance. */
export type WorkKind = 'script' | 'template' | 'certificate';

/** A piece of work that needs a child process. */
export interface Work {
  readonly kind: WorkKind;
  /** Id of the account that owns the instance. */
  readonly owner: number;
  readonly instance: number;
  /** A caller waits for its end: it starts before work of the instance for which none does. */
  readonly isAwaited: boolean;
  /** Memory that it takes while it waits. */
  readonly bytes: number;
  /** Milliseconds after which it no longer waits for a slot. */
  readonly waitMs: number;
  /** Milliseconds for which it may hold its slot. */
  readonly timeoutMs: number;
}

/** Shares the slots for child processes between owners and their instances. */
export interface Scheduler {
  /**
   * Takes a slot, or waits for one. Owners take turns, and so do the instances of an owner.
   *
   * @returns how to release the slot; `late` when none was free in time, `full` at once when too much waits already
   */
  enter(work: Work): Promise<Leave | 'late' | 'full'>;
}

/** Bounds of a scheduler. */
export interface SchedulerLimits {
  /** Work that runs at a time, 2 or more. */
  readonly slots: number;
  /** Work of one owner that runs at a time. */
  readonly ownerSlots: number;
  /** Work of one kind that runs at a time in an instance. */
  readonly instanceSlots: number;
  /** Work of one kind that waits in an instance. */
  readonly instanceWaiting: number;
  /** Work of one owner that waits; less where many owners wait, see `allWaiting`. */
  readonly ownerWaiting: number;
  /** Memory of one owner's work that waits, in bytes. */
  readonly ownerWaitingBytes: number;
  /** Work that waits in all: beyond, an owner may have its share of this and no more. */
  readonly allWaiting: number;
  /** The last free slot goes only to an owner that holds none, for work that may take so many milliseconds. */
  readonly reservedMs: number;
}

const leastSlots = 4;
const mostSlots = 64;

/** Slots for as many processes of a size as there is memory for: 4 to 64. */
export function slotsFor(usableBytes: number, processBytes: number): number {
  const count = Math.floor(usableBytes / processBytes);
  return Math.min(mostSlots, Math.max(leastSlots, count));
}

/** The bounds that go with so many slots. */
export function limitsFor(slots: number): SchedulerLimits {
  return {
    slots,
    ownerSlots: Math.max(1, Math.floor(slots / 2)), // whether others wait or not: they could not take back what runs
    instanceSlots: instanceLimits.running,
    instanceWaiting: instanceLimits.waiting,
    ownerWaiting: 1_000,
    ownerWaitingBytes: 64 * 2 ** 20,
    allWaiting: 10_000,
    reservedMs: 30_000, // the time limit of a script that sets none
  };
}

interface Waiter {
  readonly work: Work;
  answer(outcome: 'start' | 'late'): void;
}

/** The work of one kind in one instance. */
interface Queue {
  readonly key: string;
  running: number;
  readonly awaited: Set<Waiter>;
  readonly others: Set<Waiter>;
}

interface Owner {
  readonly id: number;
  running: number;
  waiting: number;
  waitingBytes: number;
  /** The one whose turn is next comes first. */
  readonly queues: Map<string, Queue>;
}

interface State {
  readonly limits: SchedulerLimits;
  /** The one whose turn is next comes first. */
  readonly owners: Map<number, Owner>;
  free: number;
}

/** Opens a scheduler with all slots free. */
export function openScheduler(limits: SchedulerLimits): Scheduler {
  const state: State = { limits, owners: new Map(), free: limits.slots };
  return {
    enter: async (work) => {
      const owner = ownerOf(state.owners, work.owner);
      const queue = queueOf(owner, work);
      if (mayStart(state, owner, queue, work)) return start(state, owner, queue); // what waits could not start now
      if (mayWait(state, owner, queue, work)) return wait(state, owner, queue, work);
      forgetIdle(state, owner, queue);
      return 'full';
    },
  };
}

function mayStart({ limits, free }: State, owner: Owner, queue: Queue, { timeoutMs }: Work) {
  if (free === 0) return false;
  if (owner.running >= limits.ownerSlots || queue.running >= limits.instanceSlots) return false;
  return free > 1 || (owner.running === 0 && timeoutMs <= limits.reservedMs);
}

function mayWait({ limits, owners }: State, owner: Owner, queue: Queue, { bytes }: Work): boolean {
  if (waitingIn(queue) >= limits.instanceWaiting) return false;
  if (owner.waitingBytes + bytes > limits.ownerWaitingBytes) return false;
  const waitingOwners = [...owners.values()].filter(({ waiting }) => waiting > 0).length;
  const share = Math.floor(limits.allWaiting / Math.max(1, waitingOwners));
  return owner.waiting < Math.min(limits.ownerWaiting, share);
}

function start(state: State, owner: Owner, queue: Queue): Leave {
  state.free -= 1;
  owner.running += 1;
  queue.running += 1;
  moveToEnd(state.owners, owner.id, owner);
  moveToEnd(owner.queues, queue.key, queue);
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    state.free += 1;
    owner.running -= 1;
    queue.running -= 1;
    advance(state);
    forgetIdle(state, owner, queue);
  };
}

function wait(state: State, owner: Owner, queue: Queue, work: Work): Promise<Leave | 'late'> {
  const waiters = work.isAwaited ? queue.awaited : queue.others;
  return new Promise((resolve) => {
    const waiter: Waiter = {
      work,
      answer: (outcome) => {
        clearTimeout(timer);
        waiters.delete(waiter);
        owner.waiting -= 1;
        owner.waitingBytes -= work.bytes;
        if (outcome === 'start') return resolve(start(state, owner, queue));
        forgetIdle(state, owner, queue);
        resolve('late');
      },
    };
    const timer = setTimeout(waiter.answer, work.waitMs, 'late');
    waiters.add(waiter);
    owner.waiting += 1;
    owner.waitingBytes += work.bytes;
  });
}

/** Starts all that may start, by turns. */
function advance(state: State): void {
  for (let next = findNext(state); next !== undefined; next = findNext(state)) next.answer('start');
}

function findNext(state: State): Waiter | undefined {
  if (state.free === 0) return undefined;
  for (const owner of state.owners.values()) {
    if (owner.waiting === 0 || owner.running >= state.limits.ownerSlots) continue;
    for (const queue of owner.queues.values()) {
      const found = findIn(state, owner, queue);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function findIn(state: State, owner: Owner, queue: Queue): Waiter | undefined {
  if (queue.running >= state.limits.instanceSlots) return undefined;
  for (const waiters of [queue.awaited, queue.others]) {
    for (const waiter of waiters) if (mayStart(state, owner, queue, waiter.work)) return waiter;
  }
  return undefined;
}

function forgetIdle({ owners }: State, owner: Owner, queue: Queue): void {
  if (queue.running === 0 && waitingIn(queue) === 0) owner.queues.delete(queue.key);
  if (owner.queues.size === 0) owners.delete(owner.id);
}

function ownerOf(owners: Map<number, Owner>, id: number): Owner {
  const owner = owners.get(id) ?? {
    id,
    running: 0,
    waiting: 0,
    waitingBytes: 0,
    queues: new Map(),
  };
  owners.set(id, owner);
  return owner;
}

function queueOf({ queues }: Owner, { kind, instance }: Work): Queue {
  const key = `${kind}/${instance}`;
  const queue = queues.get(key) ?? { key, running: 0, awaited: new Set(), others: new Set() };
  queues.set(key, queue);
  return queue;
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function waitingIn({ awaited, others }: Queue): number {
  return awaited.size + others.size;
}
