import type { Dispatch, Request } from '../../../core/http/message.ts';
import type { Clock } from '../../../ports/ports.ts';

/** The requests that this process is serving; no other process writes, so these are all requests in progress. */
export interface RunningRequests {
  /** Returns a dispatch whose requests are tracked here. */
  track(dispatch: Dispatch): Dispatch;
  /** Checks whether every request that began before `micros` has ended; waits up to `patienceMs` for those. */
  endedBefore(micros: number): Promise<boolean>;
}

interface Running {
  readonly call: Promise<unknown>;
  /** In microseconds. */
  readonly began: number;
}

const patienceMs = 200; // an acknowledged request may still be on its way out of a busy process
const longestMicros = 60_000_000; // a longer request is waiting for something, and writes nothing that it read before

/**
 * Creates an empty set of requests. They are entries of a list, because a `Map` replaces its table again and again: each
 * table that it has left refers to the requests of that moment and to the next table. Once one is among the old objects,
 * they all stay, with their responses, until the next full collection.
 */
export function openRunningRequests(clock: Clock): RunningRequests {
  const running: (Running | undefined)[] = [];
  const free: number[] = [];
  const earlier = (micros: number) =>
    running.flatMap((each) => (each !== undefined && each.began <= micros ? [each.call] : []));

  return {
    track: (dispatch) => (request) => {
      const began = clock.micros();
      const index = free.pop() ?? running.push(undefined) - 1;
      let isTracked = true;
      const end = () => {
        if (!isTracked) return;
        isTracked = false;
        running[index] = undefined;
        free.push(index);
      };
      const call = dispatch(waiting(request, end)).finally(end);
      if (isTracked) running[index] = { call, began };
      return call;
    },
    endedBefore: async (micros) => {
      if (clock.micros() - micros > longestMicros) return true;
      const calls = earlier(micros);
      if (calls.length === 0) return true;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, patienceMs).unref();
      });
      await Promise.race([Promise.allSettled(calls), patience]);
      clearTimeout(timer);
      return earlier(micros).length === 0;
    },
  };
}

/** Calls `onWait` when a request asks for its end: from then on it waits, and writes nothing that it read before. */
function waiting(request: Request, onWait: () => void): Request {
  const { ending } = request;
  if (ending === undefined) return request;
  return {
    ...request,
    ending: () => {
      onWait();
      return ending();
    },
  };
}
