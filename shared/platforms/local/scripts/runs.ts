import type { Runs } from '../../../ports/ports.ts';
import { awaitRun, logLateFault } from '../../../scripts/runs/late-runs.ts';
import { type RunServices, runPending, runScript } from '../../../scripts/script-runs.ts';

/** Runs of scripts in this process, which continue after the waiting request has ended. */
export interface LocalRuns extends Runs {
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
}

const maxWaitMs = 300_000; // docs/reference/scripts.md#result; no gateway has a lower limit

/**
 * Opens the runs of this machine.
 *
 * @param ready resolves when the server accepts requests, which scripts may send. When it resolves to false, the server
 *   does not start, and pending runs stay pending until its next start
 */
export function openRuns(
  services: RunServices,
  ready: Promise<boolean> = Promise.resolve(true),
): LocalRuns {
  const activeRuns = new Set<Promise<unknown>>();

  function track<Result>(run: Promise<Result>): Promise<Result> {
    const tracked = run.finally(() => activeRuns.delete(tracked));
    activeRuns.add(tracked);
    return tracked;
  }

  return {
    maxWaitMs,
    isOver: () => true, // its job is due after its time, or when the server starts again
    start: async (reference) => {
      const run = ready.then((isReady) => (isReady ? runPending(services, reference) : undefined));
      track(run).catch((error: unknown) => logLateFault(services, error));
    },
    wait: (request, ms) => awaitRun(services, track(runScript(services, request)), ms),
    idle: async () => {
      while (activeRuns.size > 0) await Promise.allSettled(activeRuns);
    },
  };
}
