import type { Runs } from '../services/ports.ts';
import { type RunServices, runPending, runScript } from '../services/script-runs.ts';

/** Runs of scripts in this process, which go on when nobody waits for them any more. */
export interface LocalRuns extends Runs {
  /** Resolves when none is under way. */
  idle(): Promise<void>;
}

const maxWaitMs = 300_000; // reference: run. No gateway is before us

/** Opens the runs of this machine. */
export function openRuns(services: RunServices): LocalRuns {
  const underWay = new Set<Promise<unknown>>();

  function track<Result>(run: Promise<Result>): Promise<Result> {
    const tracked = run.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  }

  function tell(error: unknown): undefined {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    services.log({ level: 'error', message: 'a run has failed that nobody waits for', cause });
  }

  return {
    maxWaitMs,
    start: async (reference) => {
      track(runPending(services, reference)).catch(tell);
    },
    wait: async (request, ms) => {
      const run = track(runScript(services, request));
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, ms, undefined);
      });
      const finished = await Promise.race([run, patience]).finally(() => clearTimeout(timer));
      if (finished === undefined) run.catch(tell);
      return finished;
    },
    idle: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
