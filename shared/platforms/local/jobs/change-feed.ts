import type { ChangeConsumer, Services } from '../../../jobs/change-feed.ts';
import { deliverChanges } from '../../../jobs/delivery.ts';
import type { ChangeProcessing } from '../../../ports/ports.ts';
import { longestDelay } from '../../../values/back-off.ts';
import { stackOf } from '../../../values/caught.ts';
import type { Feed } from '../store/feed.ts';
import type { Timers } from './timers.ts';

/** Changes that are read at a time. */
const pageSize = 500;
/** Time for which changes gather, so that many share the commits of their consumers. */
const gatherMs = 10;
/** The same for consumers that readers wait for, which need not be earlier: a reader that waits starts them. */
const awaitedGatherMs = 100;
/** Pauses while a transient error lasts, or not even a dead letter can be written. */
const troublePause = { firstMs: 1000, maxMs: 4000 }; // other changes wait as well

/** Changes that wait: for the consumers that readers wait for, and for the others. */
export interface FeedLag {
  readonly awaited: number;
  readonly others: number;
}

/** Delivers the changes of the feed to their consumers. */
export interface ConsumerLoop extends Pick<ChangeProcessing, 'settled'> {
  /** Reports that there are new changes. */
  nudge(): void;
  /** Returns the numbers of committed changes that consumers have not consumed. */
  lag(): FeedLag;
  /** Resolves when every consumer has consumed all committed changes, however long that takes. */
  drained(): Promise<void>;
  /** Consumes no more changes; the rest continues at the next start. */
  stop(): Promise<void>;
}

export interface ConsumerLoopOptions {
  readonly feed: Feed;
  readonly consumers: readonly ChangeConsumer[];
  readonly services: Services;
  readonly timers: Timers;
}

/**
 * Starts the delivery of changes to their consumers, with those that an earlier process left. There are two loops:
 * readers wait for some consumers, which must not wait for the others. A change is dropped when all consumers have
 * consumed it or it is a dead letter, so it is delivered again if the process dies before.
 */
export function startConsumers(options: ConsumerLoopOptions): ConsumerLoop {
  const { feed, timers } = options;
  const stateOf = (isAwaited: boolean): State => {
    const isOwn = (consumer: ChangeConsumer) => (consumer.isAwaited ?? false) === isAwaited;
    const consumers = options.consumers.filter(isOwn);
    const ending = new AbortController();
    return { ...options, consumers, drop, waiters: [], done: '', inTrouble: false, ending };
  };
  const [awaited, others] = [stateOf(true), stateOf(false)];
  let dropped = '';

  /** Drops what both loops have consumed. */
  function drop(): void {
    const [consumed = ''] = [awaited.done, others.done].sort();
    if (consumed > dropped) feed.drop(consumed);
    dropped = consumed;
  }

  const loops = [openLoop(awaited), openLoop(others)] as const;
  return {
    nudge: () => {
      timers.soon('awaited changes', awaitedGatherMs, loops[0].start);
      timers.soon('changes', gatherMs, loops[1].start);
    },
    lag: () => ({ awaited: lagOf(awaited), others: lagOf(others) }),
    settled: () => loops[0].wait(true),
    drained: async () => {
      await Promise.all(loops.map(({ wait }) => wait(false)));
    },
    stop: async () => {
      await Promise.all(loops.map(({ stop }) => stop()));
    },
  };
}

/** Starts a loop over the feed for some consumers. */
function openLoop(state: State) {
  const { feed, ending } = state;
  let running: Promise<void> | undefined;

  function start(): void {
    if (ending.signal.aborted) return;
    running ??= run(state).finally(() => {
      running = undefined;
    });
  }

  /** @param isHasty whether to stop waiting when a consumer fails */
  function wait(isHasty: boolean): Promise<void> {
    if (isDone(state) || (isHasty && state.inTrouble) || ending.signal.aborted) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      state.waiters.push({ until: feed.newest(), isHasty, resolve });
      start(); // may end before it returns
    });
  }

  start();
  return {
    start,
    wait,
    stop: async () => {
      ending.abort();
      await running;
      release(state, () => true);
    },
  };
}

interface State extends ConsumerLoopOptions {
  /** Drops changes after `done` has grown. */
  readonly drop: () => void;
  waiters: Waiter[];
  /** Position up to which all changes are consumed. */
  done: string;
  inTrouble: boolean;
  readonly ending: AbortController;
}

interface Waiter {
  readonly until: string;
  /** Whether to stop waiting when a consumer fails. */
  readonly isHasty: boolean;
  readonly resolve: () => void;
}

function isDone({ done, feed }: State): boolean {
  return done >= feed.newest();
}

function lagOf({ done, feed }: State): number {
  const from = done > feed.dropped() ? done : feed.dropped(); // at the start `done` is empty
  return Number(feed.newest()) - Number(from); // positions are numbers in order
}

async function run(state: State): Promise<void> {
  const { services, ending } = state;
  for (let failures = 0; !isDone(state) && !ending.signal.aborted; ) {
    try {
      await takePage(state);
      failures = 0;
    } catch (error) {
      if (ending.signal.aborted) return;
      const cause = stackOf(error);
      services.log({ level: 'error', message: 'changes could not be consumed', cause });
      const pauseMs = longestDelay(failures, troublePause);
      failures += 1;
      await pause(state, pauseMs).catch(() => undefined); // ended during the pause
    }
  }
}

/** @throws Error after the changes that were consumed, with that of the first one that could not be */
async function takePage(state: State): Promise<void> {
  const { feed, consumers, services } = state;
  const newest = feed.newest();
  const changes = feed.read(pageSize, state.done);
  const sleep = (ms: number) => pause(state, ms);
  const interruption = await deliverChanges({ consumers, services, sleep }, changes);
  const end = interruption === undefined ? changes.length : changes.indexOf(interruption.from);
  state.done = changes[end - 1]?.position ?? (interruption === undefined ? newest : state.done);
  state.drop();
  release(state, ({ until }) => until <= state.done);
  if (interruption !== undefined) throw interruption.error;
  state.inTrouble = false;
}

/** Pauses after a consumer has failed; releases the readers that do not wait for it. */
function pause(state: State, ms: number): Promise<void> {
  state.inTrouble = true;
  release(state, ({ isHasty }) => isHasty);
  return state.timers.sleep(ms, state.ending.signal);
}

function release(state: State, isFree: (waiter: Waiter) => boolean): void {
  const free = state.waiters.filter(isFree);
  state.waiters = state.waiters.filter((waiter) => !free.includes(waiter));
  for (const { resolve } of free) resolve();
}
