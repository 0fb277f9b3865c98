import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';
import {
  openSlots as openSharedPlaces,
  type SharedSlots,
} from '../../shared/platforms/aws/slots/slots.ts';
import { limitsFor, openScheduler } from '../../shared/platforms/local/scripts/scheduler.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { ReleaseSlot, Slots } from '../../shared/scripts/slots.ts';
import type { Store } from '../../shared/store/store.ts';

/*
 * Slots for runs in simulated time: `setTimeout`, `clearTimeout` and `Date` are faked before the slots are opened.
 */

/** Slots, and the functions that let them settle. */
export interface PlaceHost {
  readonly places: Slots;
  /** Resolves when every run has a result or waits for time to pass. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Advances time. */
export async function pass(host: Pick<PlaceHost, 'settle'>, ms: number): Promise<void> {
  const stepMs = 25; // shorter than any pause
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    vi.advanceTimersByTime(Math.min(stepMs, ms - passedMs));
    await host.settle();
  }
}

/** Opens the slots of one machine. */
export async function openLocalHost(): Promise<PlaceHost> {
  const { enter } = openScheduler(limitsFor(64));
  const places: Slots = {
    enter: (run) => enter({ ...run, owner: run.instance, kind: 'script', bytes: 0 }),
  };
  return { places, settle: () => setImmediate(), close: async () => undefined };
}

/** Slots of processes that share a table. */
export interface TableHost extends PlaceHost {
  readonly places: SharedSlots;
  /** Opens the slots of one more process. */
  openProcess(): SharedSlots;
  /** The table; a test may replace its methods. */
  readonly table: Store;
  /** Names of the requests to the table so far. */
  readonly calls: string[];
  readonly logged: LogEntry[];
  /** Instances of released slots, in order. */
  readonly released: readonly number[];
}

/** Opens a table and one process. */
export async function openTableHost(): Promise<TableHost> {
  const inner = await openTemporaryStore({ now: Date.now });
  const [calls, logged]: [string[], LogEntry[]] = [[], []];
  const released: number[] = [];
  let underWay = 0;
  const counted =
    <Args extends readonly unknown[], Result>(
      name: string,
      call: (...args: Args) => Promise<Result>,
    ) =>
    (...args: Args) => {
      calls.push(name);
      underWay += 1;
      return call(...args).finally(() => {
        underWay -= 1;
      });
    };
  const table: Store = {
    ...inner,
    query: counted('query', (query) => inner.query(query)),
    write: counted('write', (transaction) => inner.write(transaction)),
  };
  const openProcess = () =>
    openSharedPlaces({
      store: {
        ...table,
        query: (query) => table.query(query),
        write: (transaction) => table.write(transaction),
      },
      clock: openClock({ wallMs: Date.now, steadyMs: Date.now }),
      ids: openIds(),
      log: (entry) => logged.push(entry),
      mostWaiting: 16,
      released: async (instance) => {
        released.push(instance);
      },
      timer: {
        now: Date.now,
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      },
    });
  return {
    places: openProcess(),
    openProcess,
    table,
    calls,
    logged,
    released,
    settle: async () => {
      do await setImmediate();
      while (underWay > 0);
    },
    close: () => inner.close(),
  };
}

/** Runs that acquire and release slots, by their names. */
export interface Visitors {
  /** Requests a slot for a run. Resolves when the run has a result or waits. */
  come(name: string, given?: Partial<Visit>): Promise<void>;
  /** Releases the slots of runs. */
  leave(...names: readonly string[]): Promise<void>;
  /** Names of runs that got a slot, in order. */
  readonly entered: readonly string[];
  /** Results of the other runs. */
  readonly refused: Readonly<Record<string, string>>;
}

interface Visit {
  readonly places: Slots;
  readonly instance: number;
  readonly isAwaited: boolean;
  readonly waitMs: number;
  readonly timeoutMs: number;
}

/** Forgets all runs so far. */
export function openVisitors(host: PlaceHost): Visitors {
  const entered: string[] = [];
  const refused: Record<string, string> = {};
  const leaves = new Map<string, ReleaseSlot>();
  return {
    entered,
    refused,
    come: async (name, given = {}) => {
      const { places = host.places, ...more } = given;
      const run = { instance: 1, isAwaited: true, waitMs: 60_000, timeoutMs: 30_000, ...more };
      places.enter(run).then(
        (entry) => {
          if (typeof entry === 'string') refused[name] = entry;
          else {
            entered.push(name);
            leaves.set(name, entry);
          }
        },
        (error: Error) => {
          refused[name] = error.message;
        },
      );
      await host.settle();
    },
    leave: async (...names) => {
      for (const name of names) leaves.get(name)?.();
      await host.settle();
    },
  };
}
