import { type ChangeConsumer, deliver, type Services } from '../../../jobs/change-feed.ts';
import { causeOf } from '../../../values/caught.ts';
import type { Changes } from '../../ports.ts';
import type { Feed } from '../store/feed.ts';
import type { Timers } from './timers.ts';

/** Changes taken at a time. */
const pageSize = 500;
/** How long changes gather before they are taken, so that many share the commits that follow from them. */
const gatherMs = 10;
/** How long to wait when not even a dead letter could be kept. */
const troubleMs = 1000;

/** Brings the changes of the feed to their consumers. */
export interface ChangePump extends Pick<Changes, 'settled'> {
  /** Says that there are new changes. */
  nudge(): void;
  /** Resolves when every consumer has taken all that is committed, however long that takes. */
  drained(): Promise<void>;
  /** Takes no more; what is not taken is there at the next start. */
  stop(): Promise<void>;
}

/** What a pump works with. */
export interface PumpOptions {
  readonly feed: Feed;
  readonly consumers: readonly ChangeConsumer[];
  readonly services: Services;
  readonly timers: Timers;
}

/**
 * Starts a pump; it begins with what an earlier process has left. There is one loop: a change is forgotten when all
 * consumers have taken it or it is a dead letter, so a process that dies between brings it again.
 */
export function startPump(options: PumpOptions): ChangePump {
  const { feed, timers } = options;
  const ending = new AbortController();
  const state: State = { ...options, waiters: [], done: '', inTrouble: false, ending };
  let running: Promise<void> | undefined;

  function start(): void {
    if (ending.signal.aborted) return;
    running ??= run(state).finally(() => {
      running = undefined;
    });
  }

  function wait(isHasty: boolean): Promise<void> {
    if (isDone(state) || (isHasty && state.inTrouble) || ending.signal.aborted) {
      return Promise.resolve();
    }
    start();
    return new Promise((resolve) => {
      state.waiters.push({ until: feed.newest(), isHasty, resolve });
    });
  }

  start();
  return {
    nudge: () => timers.soon('changes', gatherMs, start),
    settled: () => wait(true),
    drained: () => wait(false),
    stop: async () => {
      ending.abort();
      await running;
      release(state, () => true);
    },
  };
}

interface State extends PumpOptions {
  waiters: Waiter[];
  /** Position up to which all is taken. */
  done: string;
  inTrouble: boolean;
  readonly ending: AbortController;
}

interface Waiter {
  readonly until: string;
  /** Stops waiting when a consumer is in trouble. */
  readonly isHasty: boolean;
  readonly resolve: () => void;
}

function isDone({ done, feed }: State): boolean {
  return done >= feed.newest();
}

async function run(state: State): Promise<void> {
  const { services, ending } = state;
  while (!isDone(state) && !ending.signal.aborted) {
    try {
      await takePage(state);
    } catch (error) {
      if (ending.signal.aborted) return;
      const cause = causeOf(error);
      services.log({ level: 'error', message: 'changes could not be consumed', cause });
      await pause(state, troubleMs).catch(() => undefined); // ended meanwhile
    }
  }
}

async function takePage(state: State): Promise<void> {
  const { feed, consumers, services } = state;
  const newest = feed.newest();
  const changes = feed.read(pageSize);
  const sleep = (ms: number) => pause(state, ms);
  for (const consumer of consumers) await deliver({ consumer, services, sleep }, changes);
  const last = changes.at(-1);
  if (last !== undefined) feed.drop(last.position);
  state.done = last?.position ?? newest;
  state.inTrouble = false;
  release(state, ({ until }) => until <= state.done);
}

/** Waits because a consumer has failed: readers do not wait with us. */
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
