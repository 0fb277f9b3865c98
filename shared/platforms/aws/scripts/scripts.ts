import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { Log } from '../../../ports/ports.ts';
import {
  enterSlot,
  type ScriptOutcome,
  type ScriptRun,
  type ScriptRunner,
} from '../../../ports/script-runner.ts';
import type { Slots } from '../../../scripts/slots.ts';
import { longestDelay, mostOf } from '../../../values/back-off.ts';
import { realTimer, type Timer } from '../jobs/timer.ts';
import { once } from '../once.ts';
import { openLambda } from '../sdk/lambda-client.ts';
import type { HeldSlot } from '../slots/items.ts';
import { openSlots } from '../slots/slots.ts';
import { openWaitingRuns, type StartRun, type WaitingRuns } from '../slots/waiting-runs.ts';
import { askForFunction, type FunctionAsker, readFunction } from './script-function.ts';
import { type InvocationResult, invokeScript, refusedMessage } from './script-invocation.ts';
import { functionName, type ScriptDeployment } from './script-names.ts';

/** Options of the script runner. */
export interface ScriptsOptions extends FunctionAsker {
  readonly readDeployment: () => Promise<ScriptDeployment>;
  readonly log: Log;
  /** Created with the first run when absent. */
  readonly client?: LambdaClient;
  /** That of the process when absent. */
  readonly timer?: Timer;
  /** Runs of an instance that may wait for a slot, each with a process. */
  readonly mostWaiting: number;
  readonly startRun: StartRun;
}

/** Runs scripts in Lambda. A run with which no process waits has a slot before it starts: see `inSlot`. */
export interface AwsScripts extends ScriptRunner {
  readonly waitingRuns: WaitingRuns;
  /** Returns the runner of a run for which a slot was taken, and the release of this slot. */
  inSlot(instance: number, slot: HeldSlot): ScriptRunner & { readonly release: () => void };
}

/** Seconds after which Lambda ends a script's function. */
export const functionSeconds = 305;
const requestTimeout = (functionSeconds + 15) * 1000; // a cold start, and the network

/** A function follows a change within some seconds; a later one needs a request for an update. */
const askAfterMs = 3000;
const backOff = { firstMs: 100, maxMs: 2000 };

/**
 * Opens the runner of scripts, each in its own Lambda function, which follows the script's changes (see
 * deploy-script.ts). A run that starts before its function exists waits for it. No invocation that may have run is
 * retried.
 */
export function openScripts(options: ScriptsOptions): AwsScripts {
  const { timer = realTimer } = options;
  const withLambda = openLambda({ client: options.client, requestTimeout });
  const log = refusalsOnce(options.log);
  const waitingRuns = openWaitingRuns(options);
  const slots = openSlots({ ...options, timer, released: waitingRuns.startNext });
  const runIn = (enter: Slots['enter'], run: ScriptRun) =>
    withLambda(async (client, sdk) => {
      const name = functionName(await options.readDeployment(), run);
      const { args, config, meta, timeoutMs } = run;
      let { version } = run;
      const begunMs = timer.now();
      const waiting = { ...run, waitedMs: () => timer.now() - begunMs };
      return runWhenReady({ ...options, timer }, run, async (waitMs) => {
        run.onProgress?.('queued');
        const release = await enterSlot(waiting, () => enter({ ...run, waitMs }));
        if (release === 'full') return { kind: 'ended', outcome: { status: 'blocked' } };
        if (release === 'late') return { kind: 'ended', outcome: { status: 'queue_timeout' } };
        run.onProgress?.('started');
        const event = { version, args, config, meta, timeoutMs };
        const attempt = await invokeScript({ client, sdk, name, log }, event).finally(release);
        if (attempt.kind === 'stale') version = Math.max(version, attempt.version); // it has just been changed
        return attempt;
      });
    });
  const settled = () => slots.settled();
  return {
    run: (run) => runIn(slots.enter, run),
    settled,
    waitingRuns,
    inSlot: (instance, slot) => {
      const { renew, release } = slots.adopt(instance, slot);
      const enter: Slots['enter'] = async (run) => {
        await renew(run);
        return () => undefined; // it keeps its slot while it waits for its function
      };
      return { run: (run) => runIn(enter, run).finally(release), release, settled };
    },
  };
}

/** Returns a log that takes the message about refused protections once: all functions have the same kernel. */
function refusalsOnce(log: Log): Log {
  let hasLogged = false;
  return (entry) => {
    if (entry.message === refusedMessage) {
      if (hasLogged) return;
      hasLogged = true;
    }
    log(entry);
  };
}

/** The result of a try: an invocation, or no slot for one. */
type Tried = InvocationResult | { readonly kind: 'ended'; readonly outcome: ScriptOutcome };

async function runWhenReady(
  options: ScriptsOptions & { readonly timer: Timer },
  run: ScriptRun,
  invoke: (waitMs: number) => Promise<Tried>,
): Promise<ScriptOutcome> {
  const { timer } = options;
  const begunMs = timer.now();
  const ask = once(() => askForFunction(options, run));
  for (let tries = 0; ; tries += 1) {
    const attempt = await invoke(run.waitMs - (timer.now() - begunMs));
    if (attempt.kind === 'ended') return attempt.outcome;
    const isBusy = attempt.kind === 'busy';
    const waitedMs = timer.now() - begunMs;
    const delayMs = pauseBefore(tries, attempt);
    if (waitedMs + delayMs > run.waitMs) {
      return isBusy ? { status: 'queue_timeout' } : ask().then(() => tellWhy(options, run));
    }
    if (!isBusy && waitedMs > askAfterMs) await ask();
    await timer.sleep(delayMs);
  }
}

/** Returns a pause that grows and varies, so that runs that wait for one function retry at different times. */
function pauseBefore(tries: number, attempt: Exclude<Tried, { kind: 'ended' }>): number {
  const asked = attempt.kind === 'busy' ? (attempt.afterMs ?? 0) : 0;
  return Math.max(asked, mostOf(longestDelay(tries, backOff)));
}

async function tellWhy(options: ScriptsOptions, run: ScriptRun): Promise<ScriptOutcome> {
  const state = await readFunction(options, run);
  const why =
    state?.state === 'failed'
      ? `could not be made (${state.error ?? 'unknown'})`
      : 'is not ready yet';
  return {
    status: 'failure',
    executedAtMs: Date.now(),
    durationMs: 0,
    stdout: '',
    stderr: `The script has not run: its function ${why}.`,
  };
}
