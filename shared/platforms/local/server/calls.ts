import type { Dispatch, Request } from '../../../core/http/message.ts';
import type { Clock } from '../../../ports/ports.ts';
import { ownerOfData } from '../../../values/keys/data-ids.ts';

/** The requests that this process is serving; no other process writes, so these are all requests in progress. */
export interface RunningRequests {
  /** Returns a dispatch whose requests are tracked here. */
  track(dispatch: Dispatch): Dispatch;
  /**
   * Checks whether every request that began before `micros` and may concern an instance has ended; waits up to
   * `patienceMs` for those.
   *
   * @param instance the instance, or a data id of it
   */
  endedBefore(micros: number, instance: number): Promise<boolean>;
}

interface Running {
  call: Promise<unknown>;
  /** In microseconds. */
  readonly began: number;
  /** What it may concern: any instance until it has found that of its path, and once it has found several. */
  instance: number | 'unknown' | 'several';
}

const notCalled = Promise.resolve();

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
  const earlier = (micros: number, instance: number) =>
    running.flatMap((each) => {
      if (each === undefined || each.began > micros) return [];
      return mayConcern(each, instance) ? [each.call] : [];
    });

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
      const each: Running = { call: notCalled, began, instance: 'unknown' };
      const call = dispatch(observed(request, each, end)).finally(end);
      each.call = call;
      if (isTracked) running[index] = each;
      return call;
    },
    endedBefore: async (micros, data) => {
      if (clock.micros() - micros > longestMicros) return true;
      const instance = ownerOfData(data);
      const calls = earlier(micros, instance);
      if (calls.length === 0) return true;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, patienceMs).unref();
      });
      await Promise.race([Promise.allSettled(calls), patience]);
      clearTimeout(timer);
      return earlier(micros, instance).length === 0;
    },
  };
}

function mayConcern({ instance: found }: Running, instance: number): boolean {
  return typeof found !== 'number' || found === instance;
}

/**
 * Returns a request that notes its instance, and calls `onWait` when it asks for its end: from then on it waits, and writes
 * nothing that it read before.
 */
function observed(request: Request, running: Running, onWait: () => void): Request {
  const { ending } = request;
  const noteInstance = (instance: number) => {
    const isFirst = running.instance === 'unknown' || running.instance === instance;
    running.instance = isFirst ? instance : 'several';
  };
  if (ending === undefined) return { ...request, noteInstance };
  return {
    ...request,
    noteInstance,
    ending: () => {
      onWait();
      return ending();
    },
  };
}
