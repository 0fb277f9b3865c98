import type { Context } from 'aws-lambda';
import type { Runs } from '../../../ports/ports.ts';
import type { FinishedTrace, RunReference } from '../../../ports/run-request.ts';
import { awaitRun } from '../../../scripts/runs/late-runs.ts';
import { blockRun, type RunServices, runPending, runScript } from '../../../scripts/script-runs.ts';
import type { LateWork } from '../lifetime/late-work.ts';
import type { HeldSlot } from '../slots/items.ts';
import type { WaitingRuns } from '../slots/waiting-runs.ts';
import type { AwsScripts } from './scripts.ts';

/** The payload of the function for background runs: a pending run, and the slot that was taken for it. */
export interface RunsEvent {
  readonly start: RunReference;
  readonly slot: HeldSlot;
}

/** Options of runs. */
export interface RunsOptions {
  readonly services: RunServices;
  readonly waitingRuns: WaitingRuns;
  /** Runs that a request no longer waits for. */
  readonly late: LateWork;
}

const marginMs = 1000; // for the trace, and the request to the script's function
const startMs = 10_000; // for a script's function that has to start

/**
 * Opens the runs of a function. A request executes its run itself, also beyond its response; a run without a request
 * has a function of its own, once it has a slot.
 */
export function openRuns(options: RunsOptions): Pick<Runs, 'start' | 'wait'> {
  const { services, waitingRuns, late } = options;
  return {
    start: async (run) => {
      if ((await waitingRuns.enter(run)) === 'full') await blockRun(services, run);
    },
    wait: (request, ms) => {
      const run = runScript(
        within(services, () => ms - marginMs),
        request,
      );
      late.keep(run);
      return awaitRun(services, run, ms);
    },
  };
}

/** Limits the wait of a run for its start. */
function within(services: RunServices, most: (timeoutMs: number) => number): RunServices {
  const run: RunServices['scripts']['run'] = (given) => {
    const waitMs = Math.max(0, Math.min(given.waitMs, most(given.timeoutMs)));
    return services.scripts.run({ ...given, waitMs });
  };
  return { ...services, scripts: { ...services.scripts, run } };
}

/** The handler of the function for background runs. */
export type RunsHandler = (
  event: RunsEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<FinishedTrace | undefined>;

/** Creates the handler of the function for background runs. A run that it does not execute has its slot released. */
export function createRuns(
  services: RunServices & { readonly loadScripts: () => Promise<Pick<AwsScripts, 'inSlot'>> },
): RunsHandler {
  return async ({ start, slot }, context) => {
    const flushed = services.meter.flushOld(); // in parallel with the run
    const scripts = (await services.loadScripts()).inSlot(start.instance, slot);
    const leftMs = context.getRemainingTimeInMillis() - startMs - marginMs;
    const timed = within({ ...services, scripts }, (timeoutMs) => leftMs - timeoutMs);
    try {
      return await runPending(timed, start);
    } finally {
      scripts.release();
      await scripts.settled();
      await flushed; // a write during which Lambda suspends the process may be counted twice
    }
  };
}
