import { setImmediate } from 'node:timers/promises';

/** A clock of a test: waits end when nothing else is left to do, and take no time. */
export interface VirtualTime {
  /** Epoch milliseconds. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Counts real work, such as that of a store: no time passes before its end. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  /** Resolves as `main` does; time passes until then. */
  run<Result>(main: Promise<Result>): Promise<Result>;
}

const quietTurns = 4; // of the event loop, in which promises of other work continue

/** Opens a virtual clock. */
export function openVirtualTime(startMs: number): VirtualTime {
  let nowMs = startMs;
  let working = 0;
  let waits: { readonly at: number; readonly resolve: () => void }[] = [];
  return {
    now: () => nowMs,
    sleep: (ms) =>
      new Promise((resolve) => {
        waits.push({ at: nowMs + Math.max(0, ms), resolve });
      }),
    during: async (work) => {
      working += 1;
      try {
        return await work;
      } finally {
        working -= 1;
      }
    },
    run: async (main) => {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      main.then(end, end);
      for (let quiet = 0; !isOver; ) {
        await setImmediate();
        quiet = working === 0 ? quiet + 1 : 0;
        if (quiet < quietTurns || waits.length === 0) continue;
        quiet = 0;
        nowMs = Math.max(nowMs, Math.min(...waits.map(({ at }) => at)));
        const due = waits.filter(({ at }) => at <= nowMs);
        waits = waits.filter(({ at }) => at > nowMs);
        for (const { resolve } of due) resolve();
      }
      return main;
    },
  };
}
