import { setTimeout as sleep } from 'node:timers/promises';

/** Timers for services that outlast requests; they do not keep the process alive. Tests use their own. */
export interface Timers {
  /** Resolves after a while; rejects at once when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `run` once after a while. Each name has one pending timer: the earliest that was requested. */
  soon(name: string, ms: number, run: () => void): void;
  /** Cancels all pending timers. */
  clear(): void;
}

/** Opens timers that use the clock of the machine. */
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
