import { type JobContext, type JobType, leasedJob, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { unlessConflict } from '../jobs/write-conflict.ts';
import type { Platform } from '../platform/ports.ts';
import { traceEntity } from '../store/entities.ts';
import type { TraceData, TracePart } from '../store/records/scripts.ts';
import type { Delete, Key, Stored } from '../store/store.ts';
import { deleteItem } from '../store/writes.ts';
import { causeOf } from '../values/caught.ts';
import type { Json, JsonObject } from '../values/json/json.ts';
import { timestamp } from '../values/timestamp.ts';
import { planTraceDeletion } from './delete-old-traces.ts';
import type { ScriptResponse } from './rules/script-result.ts';
import type { FinishedTrace, RunReference, RunRequest, TraceResult } from './run-request.ts';
import type { ScriptOutcome } from './script-runner.ts';
import { filesOf, keepPart, traceWrite } from './traces.ts';

type TraceServices = Pick<
  Platform,
  'store' | 'clock' | 'ids' | 'files' | 'log' | 'meter' | 'quotas'
>;

/** Trace of a run in progress; the code that runs it must end it. */
export interface OpenTrace {
  readonly reference: RunReference;
  readonly current: Stored<TraceData>;
  /** Deletes the job that would end the run as a failure. */
  readonly guard: readonly Delete[];
}

/** Trace that is not stored yet. */
export interface TraceDraft {
  readonly reference: RunReference;
  readonly data: Omit<TraceData, 'args'>;
  /** `args` of the trace. */
  readonly args: Json;
}

/** Value of a trace without a result yet. */
export const noResult: TracePart = { value: {} };
/** Arguments in the trace of a blocked run: many large requests leave no large traces. */
const noArguments: TracePart = { value: {} };

/** Time after which a run has ended, or its process is dead. */
const endedMs = 330_000;
const forgottenMs = 3_600_000; // a run that could not start for so long is given up

type RunTask = RunReference & {
  /** Whether the run was handed over. */
  readonly isStarted?: true;
};

/**
 * Starts the run of a pending trace, and ensures that every trace ends: a run that started and whose process is dead
 * ends as a failure.
 */
export const watchRun: JobType = {
  name: 'watch-run',
  step: async (context, task) => {
    const { isStarted, ...reference } = task as RunTask; // as stored
    if (isStarted !== true) return startRun(context, reference);
    const { instance, kind, parent, trace } = reference;
    const current = await traceEntity.read(context.store, instance, kind, parent, trace);
    if (current?.data.status === 'pending') return startAgain(context, reference, current);
    if (current?.data.status === 'processing') await giveUp(context, current);
    return 'done';
  },
};

async function startRun(context: JobContext, reference: RunReference): Promise<StepResult> {
  await context.runs.start(reference);
  return { task: { ...reference, isStarted: true }, afterMs: endedMs, keepsLease: true };
}

/** Starts a run that was handed over and did not start; it still starts at most once. */
async function startAgain(
  context: JobContext,
  reference: RunReference,
  current: Stored<TraceData>,
): Promise<StepResult> {
  const ageMs = context.clock.micros() / 1000 - current.data.createdMs;
  if (ageMs < forgottenMs) return startRun(context, reference);
  await giveUp(context, current);
  return 'done';
}

async function giveUp(context: JobContext, current: Stored<TraceData>): Promise<void> {
  const { executed_at } = current.data;
  const data: TraceData = {
    ...current.data,
    status: 'failure',
    executed_at: executed_at ?? timestamp(context.clock.micros()),
    result: { value: { stdout: '', stderr: 'The run was interrupted.' } },
  };
  await maintain(context, [traceWrite(current.key, data, current)]);
}

/** Creates the trace of a run that starts now, without storing it. */
export function draftTrace({ clock }: TraceServices, request: RunRequest): TraceDraft {
  const { instance, kind, parent, trace, shown, depth } = request;
  const micros = clock.micros();
  return {
    reference: { instance, kind, parent, trace },
    args: shown?.args ?? request.args,
    data: {
      id: trace,
      status: 'processing',
      createdMs: Math.floor(micros / 1000),
      duration: null,
      depth,
      executed_at: timestamp(micros),
      result: noResult,
      ...(shown && { meta: shown.meta }),
    },
  };
}

/** Stores the trace of a run in progress, with the job that ends it if its process dies. */
export async function beginTrace(
  services: TraceServices,
  { reference, args, data: draft }: TraceDraft,
): Promise<OpenTrace> {
  const data = { ...draft, args: await keepPart(services, reference.instance, args) };
  const due = draft.createdMs + endedMs;
  const guard = leasedJob(services, watchRun, { task: { ...reference, isStarted: true }, due });
  const key = keyOf(reference);
  const version = await maintain(services, [traceWrite(key, data), guard]);
  const current = { key, kind: traceEntity.kind, version, data };
  return { reference, current, guard: [deleteItem({ key: guard.key, version })] };
}

/** Stores the trace of a run that has already ended. */
export async function recordTrace(
  services: TraceServices,
  { reference, args, data: draft }: TraceDraft,
  outcome: ScriptOutcome,
): Promise<FinishedTrace> {
  const { finished, response } = finishedTrace(services, reference, outcome);
  const { instance } = reference;
  const exceeded = await takeTraceRoom(services, instance, [
    { value: args },
    { value: finished.result },
  ]);
  const keepsArguments = outcome.status !== 'blocked' && exceeded === undefined;
  const [kept, result] = await Promise.all([
    keepsArguments ? keepPart(services, instance, args) : noArguments,
    keepPart(services, instance, keptResult(finished.result, exceeded)),
  ]);
  const data: TraceData = { ...draft, ...finished, args: kept, result };
  const deletion = planTraceDeletion(services, reference);
  await maintain(services, [traceWrite(keyOf(reference), data), ...deletion]);
  return { ...finished, ...response };
}

function keyOf({ instance, kind, parent, trace }: RunReference): Key {
  return traceEntity.key(instance, kind, parent, trace);
}

/** Takes over the run of a pending trace; undefined: it was already taken over. */
export async function takeTrace(
  services: TraceServices,
  reference: RunReference,
  pending: Stored<TraceData>,
): Promise<OpenTrace | undefined> {
  if (pending.data.status !== 'pending') return undefined;
  const executed_at = timestamp(services.clock.micros());
  const data: TraceData = { ...pending.data, status: 'processing', executed_at };
  const version = await unlessConflict(
    maintain(services, [traceWrite(pending.key, data, pending)]),
  );
  if (version === undefined) return undefined;
  return { reference, current: { ...pending, version, data }, guard: [] };
}

/**
 * Stores the end of a run. A trace that was deleted or given up is not changed. A trace of a blocked run, or one that
 * exceeds the instance's quota, keeps no arguments.
 */
export async function endTrace(
  services: TraceServices,
  { reference, current, guard }: OpenTrace,
  outcome: ScriptOutcome,
): Promise<FinishedTrace> {
  const { finished, response } = finishedTrace(services, reference, outcome);
  const { args: before } = current.data;
  const { instance } = reference;
  const parts = [before, { value: finished.result }];
  const exceeded = await takeTraceRoom(services, instance, parts);
  const keepsArguments = outcome.status !== 'blocked' && exceeded === undefined;
  const args = keepsArguments ? before : noArguments;
  const result = await keepPart(services, instance, keptResult(finished.result, exceeded));
  const data: TraceData = { ...current.data, ...finished, args, result };
  const writes = [traceWrite(current.key, data, current), ...guard];
  const version = await unlessConflict(
    maintain(services, [...writes, ...planTraceDeletion(services, reference)]),
  );
  if (version !== undefined && args !== before) await dropPart(services, before);
  return { ...finished, ...response };
}

/** Reserves room for a trace and counts it as used; returns a message for its readers if the quota is exceeded. */
async function takeTraceRoom(
  { quotas, meter }: TraceServices,
  instance: number,
  parts: readonly TracePart[],
): Promise<string | undefined> {
  if (!quotas.isLimited('traces')) return undefined;
  const bytes = parts.reduce((sum, part) => sum + bytesOf(part), 0);
  const { exceeded, release } = await quotas.take(instance, 'traces', bytes);
  if (exceeded === undefined) meter.countTrace(instance, bytes);
  release(true);
  return exceeded;
}

function keptResult(result: TraceResult, exceeded: string | undefined): TraceResult {
  return exceeded === undefined ? result : { stdout: '', stderr: exceeded };
}

function bytesOf(part: TracePart): number {
  return 'file' in part ? part.length : Buffer.byteLength(JSON.stringify(part.value));
}

/** Returns the end of a run as its trace shows it, and the script's custom response. */
function finishedTrace({ clock }: TraceServices, { trace }: RunReference, outcome: ScriptOutcome) {
  const isOver = 'durationMs' in outcome;
  const micros = isOver ? Math.round(outcome.executedAtMs * 1000) : clock.micros();
  const finished = {
    id: trace,
    status: outcome.status,
    executed_at: timestamp(micros),
    duration: isOver ? outcome.durationMs : null,
    result: resultOf(outcome),
  };
  const response = isOver ? outcome.response : undefined;
  return { finished, response: response && { response } };
}

/** Deletes the file of a value, if any; if that fails, the file is deleted after a day. */
async function dropPart({ files, log }: TraceServices, part: TracePart): Promise<void> {
  try {
    await files.remove(filesOf(part));
  } catch (error) {
    log({
      level: 'error',
      message: 'a file of a trace could not be deleted',
      cause: causeOf(error),
    });
  }
}

function resultOf(outcome: ScriptOutcome): TraceResult {
  if (outcome.status === 'blocked') return {};
  if (outcome.status === 'queue_timeout') {
    return { stdout: '', stderr: 'Internal queue timeout.' }; // docs/reference/scripts.md#traces
  }
  const { stdout, stderr, response } = outcome;
  return { stdout, stderr, ...(response && { response: shownResponse(response) }) };
}

function shownResponse({ headers, ...shown }: ScriptResponse): JsonObject {
  return Object.keys(headers).length === 0 ? shown : { ...shown, headers };
}
