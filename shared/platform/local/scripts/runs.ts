import { awaitRun, logLateFault } from '../../../scripts/late-runs.ts';
import { type RunServices, runPending, runScript } from '../../../scripts/script-runs.ts';
import type { Runs } from '../../ports.ts';

/** Runs of scripts in this process, which go on when nobody waits for them any more. */
export interface LocalRuns extends Runs {
  /** Resolves when none is under way. */
  idle(): Promise<void>;
}

const maxWaitMs = 300_000; // docs/reference/scripts.md#result. No gateway is before us

/**
 * Opens the runs of this machine.
 *
 * @param ready resolves when the server can be called, which scripts may do; false: it does not start, and runs that are
 *   pending stay so until its next start
 */
export function openRuns(
  services: RunServices,
  ready: Promise<boolean> = Promise.resolve(true),
): LocalRuns {
  const underWay = new Set<Promise<unknown>>();

  function track<Result>(run: Promise<Result>): Promise<Result> {
    const tracked = run.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  }

  return {
    maxWaitMs,
    start: async (reference) => {
      const run = ready.then((isReady) => (isReady ? runPending(services, reference) : undefined));
      track(run).catch((error: unknown) => logLateFault(services, error));
    },
    wait: (request, ms) => awaitRun(services, track(runScript(services, request)), ms),
    idle: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
