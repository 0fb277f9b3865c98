import { setTimeout as pause } from 'node:timers/promises';
import type { InvokeCommandOutput, LambdaClient } from '@aws-sdk/client-lambda';
import type { Context } from 'aws-lambda';
import { runSettings } from '../../../scripts/rules/script-config.ts';
import type { FinishedTrace, RunReference, RunRequest } from '../../../scripts/run-request.ts';
import { awaitRun } from '../../../scripts/runs/late-runs.ts';
import { type RunServices, runPending, runScript } from '../../../scripts/script-runs.ts';
import { nameOf } from '../../../values/caught.ts';
import type { Runs } from '../../ports.ts';
import { openLambda } from './lambda-client.ts';
import { runsFunctionName } from './script-names.ts';

/** The payload of the function for background runs. */
export type RunsEvent = { readonly start: RunReference } | { readonly run: RunRequest };

/** Options of background runs. */
export interface RunsOptions {
  /** Prefix of the names of functions. */
  readonly prefix: string;
  /** Runs scripts that end soon enough in this process. */
  readonly services: RunServices;
  /** Created with the first run when absent. */
  readonly client?: LambdaClient;
}

const requestTimeout = 340_000; // the function has 330 s
const marginMs = 1000; // for the trace, and the request to the script's function
const startMs = 10_000; // for a script's function that has to start
const busyMs = 500;

/**
 * Opens background runs, in a separate function that has the time for it. Short runs use this process, which is faster.
 */
export function openRuns(options: RunsOptions): Pick<Runs, 'start' | 'wait'> {
  const { prefix, services, client } = options;
  const withLambda = openLambda({ client, requestTimeout });
  const FunctionName = runsFunctionName(prefix);
  const invoke: Invoke = (InvocationType, event, abortSignal) =>
    withLambda((lambda, { InvokeCommand }) =>
      lambda.send(
        new InvokeCommand({ FunctionName, InvocationType, Payload: JSON.stringify(event) }),
        abortSignal === undefined ? {} : { abortSignal },
      ),
    );
  return {
    start: async (start) => {
      await invoke('Event', { start });
    },
    wait: async (request, ms) => {
      const { timeoutMs } = runSettings(request.config, request.script.config);
      if (timeoutMs + marginMs <= ms) {
        return awaitRun(services, runScript(within(services, ms), request), ms);
      }
      const result = await runElsewhere(invoke, request, ms);
      if (result === 'abandoned') return undefined;
      return result ?? runScript({ ...services, scripts: tooBusy }, request);
    },
  };
}

type Invoke = (
  type: 'Event' | 'RequestResponse',
  event: RunsEvent,
  abortSignal?: AbortSignal,
) => Promise<InvokeCommandOutput>;

/**
 * Invokes the function. Undefined: Lambda accepted no request, nothing ran; abandoned: it continues, with its trace.
 */
async function runElsewhere(
  invoke: Invoke,
  run: RunRequest,
  ms: number,
): Promise<FinishedTrace | 'abandoned' | undefined> {
  const patience = AbortSignal.timeout(ms);
  while (!patience.aborted) {
    try {
      return readFinished(await invoke('RequestResponse', { run }, patience));
    } catch (error) {
      if (nameOf(error) === 'AbortError') return 'abandoned';
      if (nameOf(error) !== 'TooManyRequestsException') throw error;
    }
    await pause(Math.random() * busyMs);
  }
  return undefined;
}

function readFinished({ FunctionError, Payload }: InvokeCommandOutput): FinishedTrace {
  if (FunctionError !== undefined) throw new Error('the function that runs scripts has failed');
  return JSON.parse(Buffer.from(Payload ?? []).toString()) as FinishedTrace; // of our own function
}

/** Runs nothing: the trace shows that no slot was free. */
const tooBusy: RunServices['scripts'] = {
  run: async () => ({ status: 'queue_timeout' }),
  settled: () => Promise.resolve(),
};

/** Limits the wait of a run for its start, so that it ends within `ms`. */
function within(services: RunServices, ms: number): RunServices {
  const run: RunServices['scripts']['run'] = (given) => {
    const leftMs = Math.max(0, ms - marginMs - given.timeoutMs);
    return services.scripts.run({ ...given, waitMs: Math.min(given.waitMs, leftMs) });
  };
  return { ...services, scripts: { ...services.scripts, run } };
}

/** The handler of the function for background runs. */
export type RunsHandler = (
  event: RunsEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<FinishedTrace | undefined>;

export function createRuns(services: RunServices): RunsHandler {
  return async (event, context) => {
    services.meter.flushOld(); // in parallel with the run, which does not wait for it
    const timed = within(services, context.getRemainingTimeInMillis() - startMs);
    return 'run' in event ? runScript(timed, event.run) : runPending(timed, event.start);
  };
}
