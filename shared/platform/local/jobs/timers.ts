import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, as services that outlast calls do it; none of them keeps the process alive. A test gives its own. */
export interface Timers {
  /** Resolves after a while; rejects at once when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `run` once after a while. Of one name there is one call ahead: the earliest that was asked for. */
  soon(name: string, ms: number, run: () => void): void;
  /** Drops all calls ahead. */
  clear(): void;
}

/** Opens timers of the machine. */
export function openTimers(): Timers {
  const ahead = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  return {
    sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
    soon: (name, ms, run) => {
      const at = performance.now() + ms;
      const known = ahead.get(name);
      if (known !== undefined && known.at <= at) return;
      clearTimeout(known?.timer);
      const timer = setTimeout(() => {
        ahead.delete(name);
        run();
      }, ms);
      ahead.set(name, { at, timer: timer.unref() });
    },
    clear: () => {
      for (const { timer } of ahead.values()) clearTimeout(timer);
      ahead.clear();
    },
  };
}
