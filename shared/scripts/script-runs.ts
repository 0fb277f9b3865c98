import { metaToken } from '../accounts/keys.ts';
import type { Platform } from '../ports/ports.ts';
import type { FinishedTrace, RunReference, RunRequest } from '../ports/run-request.ts';
import type { EndedRun, ScriptOutcome, ScriptRun } from '../ports/script-runner.ts';
import { readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { configEntity, instanceEntity } from '../table/entities/instances.ts';
import { traceEntity } from '../table/entities/runs.ts';
import { scriptEntity } from '../table/entities/scripts.ts';
import type { PlannedRun, TraceData } from '../table/records/scripts.ts';
import { faultOf } from '../values/caught.ts';
import { allSettled } from '../values/promises/all-settled.ts';
import { directRun } from './pending-runs.ts';
import { type EndpointArguments, toArguments } from './rules/endpoint-arguments.ts';
import { maxRunDepth, runSettings } from './rules/script-config.ts';
import { adviseRun } from './runs/advise-run.ts';
import {
  abandonTrace,
  beginTrace,
  draftTrace,
  endTrace,
  recordTrace,
  returnTrace,
  takeTrace,
} from './runs/run-traces.ts';
import { runtimeOf } from './script-runtimes.ts';
import { readSource, SourceChanged } from './script-sources.ts';
import { readTraceValue } from './traces.ts';

/** Ports that runs use. */
export type RunServices = Pick<
  Platform,
  | 'store'
  | 'clock'
  | 'ids'
  | 'log'
  | 'secrets'
  | 'files'
  | 'meter'
  | 'quotas'
  | 'scripts'
  | 'apiUrl'
>;

type OnProgress = NonNullable<ScriptRun['onProgress']>;

/** Maximum time of a run and its wait together: that of a function on AWS, and the same everywhere. */
const runMs = 320_000;
const awaitedMs = 30_000; // docs/reference/scripts.md#concurrency

/**
 * Time from the start of a run within which its end stores the trace once, instead of twice. Most runs end in it: a
 * warm process takes 1 ms, and some more when the cores are busy (3 ms gave 32 callers of one endpoint 0.88 times as
 * many responses).
 */
const runHoldMs = 15;
/** The same for a waiting run: nothing is lost if the process dies, and its client notices. */
const queueHoldMs = 100;

/**
 * Executes a run and stores its trace, as `processing` first unless the run ends at once. The run is executed at most
 * once: if its process dies, the trace ends as a failure.
 *
 * @returns its end, even if the script failed; rejects when the trace could not be stored
 */
export async function runScript(
  services: RunServices,
  request: RunRequest,
): Promise<FinishedTrace> {
  const draft = draftTrace(services, request);
  const hold = openHold();
  const run = execute(services, request, hold.onProgress);
  const early = await hold.wait(run);
  if (early !== undefined) {
    return finish(services, draft.reference, early, () => recordTrace(services, draft, early));
  }
  const [begun, outcome] = await allSettled([beginTrace(services, draft), run]);
  return finish(services, draft.reference, outcome, () => endTrace(services, begun, outcome));
}

/**
 * Executes the run of a pending trace.
 *
 * @returns undefined when it is no longer pending: it was started elsewhere, or its instance was deleted; or when it is
 *   pending again
 */
export async function runPending(
  services: RunServices,
  { instance, kind, parent, trace }: RunReference,
): Promise<FinishedTrace | undefined> {
  const pending = await traceEntity.read(services.store, instance, kind, parent, trace);
  if (pending === undefined) return undefined;
  const { run = directRun(parent), depth } = pending.data;
  const found = await readTogether(services.store, {
    script: scriptEntity.at(instance, run.script),
    config: configEntity.at(instance),
    instanceRecord: instanceEntity.at(instance),
  });
  const [script, instanceData] = [found.script?.data, found.instanceRecord?.data];
  if (instanceData === undefined) return undefined;
  if (instanceData.isSuspended) {
    await abandonTrace(services, { instance, kind, parent, trace }, suspendedRun(pending));
    return undefined;
  }
  const open = await takeTrace(services, { instance, kind, parent, trace }, pending);
  if (open === undefined) return undefined;
  const outcome =
    script === undefined
      ? deletedScript(services)
      : await execute(services, {
          instance,
          kind,
          parent,
          trace,
          script,
          instanceName: instanceData.name,
          owner: instanceData.owner,
          config: found.config?.data.config ?? {},
          ...(await inputsOf(services, pending.data, { instance, run })),
          depth,
          isAwaited: false,
        });
  if (outcome.status === 'queue_timeout' && run.queue !== undefined) {
    await returnTrace(services, open);
    return undefined;
  }
  return finish(services, open.reference, outcome, () => endTrace(services, open, outcome));
}

/** Returns the end of a run whose instance is suspended; it keeps its arguments, and can be repeated. */
function suspendedRun(current: Stored<TraceData>) {
  return { current, stderr: 'This instance is suspended.', isLast: true };
}

/** Ends a pending run as `blocked`: too many runs wait. */
export async function blockRun(
  services: RunServices,
  { instance, kind, parent, trace }: RunReference,
): Promise<void> {
  const pending = await traceEntity.read(services.store, instance, kind, parent, trace);
  const open = pending && (await takeTrace(services, { instance, kind, parent, trace }, pending));
  if (open !== undefined) await endTrace(services, open, { status: 'blocked' });
}

/** Returns ARGS and META of a pending run; an endpoint's trace has their parts. */
async function inputsOf(
  services: RunServices,
  { args, meta: request }: TraceData,
  { instance, run: { meta } }: { readonly instance: number; readonly run: PlannedRun },
): Promise<Pick<RunRequest, 'args' | 'meta'>> {
  const kept = await readTraceValue(services, instance, args);
  if (request === undefined) return { args: kept, meta };
  const levels = kept as EndpointArguments; // as an endpoint stored them
  return { args: toArguments(levels), meta: { ...meta, request } };
}

/** Waits for runs that end soon; a queued run gets more time, until it starts. */
function openHold() {
  let giveUp = () => {};
  let timer: NodeJS.Timeout | undefined;
  const patience = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(), ms);
  };
  patience(runHoldMs);
  return {
    onProgress: (progress: 'queued' | 'started') => {
      if (timer !== undefined) patience(progress === 'queued' ? queueHoldMs : runHoldMs);
    },
    /** @returns undefined when the run continues */
    wait: (run: Promise<ScriptOutcome>): Promise<ScriptOutcome | undefined> => {
      const over = new Promise<undefined>((resolve) => {
        giveUp = () => resolve(undefined);
      });
      return Promise.race([run, over]).finally(() => {
        clearTimeout(timer);
        timer = undefined;
      });
    },
  };
}

async function finish(
  services: RunServices,
  { instance }: RunReference,
  outcome: ScriptOutcome,
  keep: () => Promise<FinishedTrace>,
): Promise<FinishedTrace> {
  if ('durationMs' in outcome) services.meter.countRun(instance, outcome.durationMs);
  const [finished] = await Promise.all([
    keep(),
    services.scripts.settled(), // otherwise it might never settle: a Lambda process is frozen between requests
  ]);
  return 'isServerError' in outcome ? { ...finished, isServerError: true } : finished;
}

/** Runs the script. A server error is logged for the operator, and ends the run as a failure. */
async function execute(
  services: RunServices,
  request: RunRequest,
  onProgress?: OnProgress,
): Promise<ScriptOutcome> {
  if (request.depth > maxRunDepth) return { status: 'blocked' };
  const startedMs = services.clock.micros() / 1000;
  try {
    return await runCurrent(services, request, onProgress);
  } catch (error) {
    const { instance, script, trace } = request;
    const run = { instance, script: script.id, trace };
    const message = 'a script could not be run';
    services.log({ level: 'error', message, ...run, ...faultOf(error) });
    return { ...failedRun(startedMs, 'The script could not be run.'), isServerError: true };
  }
}

function failedRun(executedAtMs: number, stderr: string): EndedRun {
  return { status: 'failure', executedAtMs, durationMs: 0, stdout: '', stderr };
}

function deletedScript({ clock }: RunServices): EndedRun {
  return failedRun(clock.micros() / 1000, 'The script was deleted.');
}

/** Runs the current version of the script: if it was changed since it was read, that version did not run. */
async function runCurrent(
  services: RunServices,
  request: RunRequest,
  onProgress: OnProgress | undefined,
): Promise<ScriptOutcome> {
  const { instance } = request;
  for (let { script } = request; ; ) {
    try {
      return await runVersion(services, { ...request, script }, onProgress);
    } catch (error) {
      if (!(error instanceof SourceChanged)) throw error;
    }
    const current = await scriptEntity.read(services.store, instance, script.id);
    if (current === undefined) return deletedScript(services);
    script = current.data;
  }
}

async function runVersion(
  services: RunServices,
  request: RunRequest,
  onProgress: OnProgress | undefined,
): Promise<ScriptOutcome> {
  const { instance, owner, script, args, isAwaited } = request;
  const { id, version, runtime_name } = script;
  const { timeoutMs, config, async, hasFullAccess } = runSettings(request.config, script.config);
  const token = hasFullAccess ? await metaToken(services, request) : undefined;
  const run: ScriptRun = {
    instance,
    owner,
    script: id,
    version,
    runtime: runtimeOf(runtime_name),
    args,
    config,
    timeoutMs,
    isAwaited,
    mayStart: async () => {
      const instanceRecord = await instanceEntity.read(services.store, instance);
      return instanceRecord?.data.isSuspended !== true;
    },
    source: () => readSource(services, { instance, script: id, version }),
    meta: Object.assign({}, request.meta, {
      instance: request.instanceName,
      api_url: services.apiUrl(),
      api_host: new URL(services.apiUrl()).host,
      async,
      ...(token !== undefined && { token }),
    }),
    waitMs: isAwaited ? awaitedMs : runMs - timeoutMs,
    ...(onProgress && { onProgress }),
  };
  return adviseRun(services, run, await services.scripts.run(run));
}
