import { AsyncLocalStorage } from 'node:async_hooks';

/** A table that throttles gets at most this many requests for one request of a client. */
const maxRequests = 5;

/** A request of a client waits no longer than this, in all, between tries of throttled requests. */
const maxWaitMs = 1000;

/** The patience with a table that throttles. */
export interface ThrottlePatience {
  /** Whether nothing is sent any more. */
  isSpent(): boolean;
  /** Records that the table executed a request. */
  executed(): void;
  /**
   * Records that a try was throttled.
   *
   * @returns whether another try is made after the delay
   */
  throttled(attempt: {
    /** Number of the try, from 1. */
    readonly tries: number;
    readonly nowMs: number;
    readonly delayMs: number;
  }): boolean;
}

/** Background work: each of its requests is limited only by the time of all tries, and a failed job is retried. */
const background: ThrottlePatience = {
  isSpent: () => false,
  executed: () => undefined,
  throttled: () => true,
};

const ofRequest = new AsyncLocalStorage<ThrottlePatience>();

/** Runs `serve` as one request of a client: all that it does, each item of a batch too, shares one patience. */
export function withSharedPatience<Result>(serve: () => Promise<Result>): Promise<Result> {
  return ofRequest.run(openPatience(), serve);
}

/** Returns the patience of the request that is being served; outside of requests, that of background work. */
export function currentPatience(): ThrottlePatience {
  return ofRequest.getStore() ?? background;
}

/**
 * Opens the patience of one request. What a table has executed in between shows that it throttles only a part, such as
 * one busy partition: then the counts begin again, and each call has its own number of tries.
 */
function openPatience(): ThrottlePatience {
  let requests = 0; // that were throttled, or are sent again
  let waitedMs = 0; // waits of calls that wait at the same time count once
  let waitsUntilMs = 0;
  const isSpent = () => requests >= maxRequests || waitedMs > maxWaitMs;
  return {
    isSpent,
    executed: () => {
      requests = 0;
      waitedMs = 0;
    },
    throttled: ({ tries, nowMs, delayMs }) => {
      if (tries === 1) requests += 1; // later tries were counted when they were allowed
      const endMs = nowMs + delayMs;
      waitedMs += Math.max(0, endMs - Math.max(nowMs, waitsUntilMs));
      waitsUntilMs = Math.max(waitsUntilMs, endMs);
      if (isSpent() || tries >= maxRequests) return false;
      requests += 1;
      return true;
    },
  };
}
