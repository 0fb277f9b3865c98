import { leasedJob } from '../../jobs/jobs.ts';
import { maintain } from '../../jobs/maintain.ts';
import { unlessConflict } from '../../jobs/write-conflict.ts';
import type { Platform } from '../../ports/ports.ts';
import type {
  FinishedTrace,
  RunReference,
  RunRequest,
  TraceResult,
} from '../../ports/run-request.ts';
import type { ScriptOutcome } from '../../ports/script-runner.ts';
import type { Delete, Key, Stored, Write } from '../../store/store.ts';
import { deleteItem } from '../../store/writes.ts';
import { traceEntity } from '../../table/entities/runs.ts';
import type { TraceData, TraceKind, TracePart } from '../../table/records/scripts.ts';
import { faultOf } from '../../values/caught.ts';
import { dataOwner } from '../../values/file-keys.ts';
import type { Json, JsonObject } from '../../values/json/json.ts';
import { timestamp } from '../../values/timestamp.ts';
import { planTraceDeletion } from '../delete-old-traces.ts';
import type { ScriptResponse } from '../rules/script-response.ts';
import { filesOf, keepPart, noResult, noTraceArguments, traceWrite } from '../traces.ts';
import { planNextAttempt } from './run-attempts.ts';
import { leaveQueue, startNext } from './run-queue.ts';
import { endedMs } from './run-times.ts';
import { watchRunName } from './watch-run-name.ts';

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

/** Creates the trace of a run that starts now, without storing it. */
export function draftTrace({ clock }: TraceServices, request: RunRequest): TraceDraft {
  const { instance, kind, parent, trace, script, shown, depth, requestId } = request;
  const micros = clock.micros();
  const { request: _, ...meta } = request.meta; // `shown` has it
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
      run: { script: script.id, meta },
      ...(requestId !== undefined && { requestId }),
      ...(shown && { meta: shown.meta }),
      ...(shown?.lacksArguments && { lacksArguments: true }),
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
  const guard = leasedJob(services, watchRunName, { task: { ...reference, isStarted: true }, due });
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
    keepsArguments ? keepPart(services, instance, args) : noTraceArguments,
    keepPart(services, instance, keptResult(finished.result, exceeded)),
  ]);
  const lack = keepsArguments ? {} : { lacksArguments: true as const };
  const data: TraceData = Object.assign({}, draft, finished, { args: kept, result }, lack);
  const deletion = planTraceDeletion(services, reference);
  await maintain(services, [traceWrite(keyOf(reference), data), ...deletion]);
  return Object.assign({}, finished, response);
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

/** Returns a run that found no slot to `pending`: it keeps its position in its queue, and is started again later. */
export async function returnTrace(services: TraceServices, { current }: OpenTrace): Promise<void> {
  const data: TraceData = { ...current.data, status: 'pending', executed_at: null };
  await unlessConflict(maintain(services, [traceWrite(current.key, data, current)]));
}

/**
 * Stores the end of a run, after which the next one of its queue may start. A trace that was deleted or given up is not
 * changed. A trace of a blocked run, or one that exceeds the instance's quota, keeps no arguments.
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
  const args = keepsArguments ? before : noTraceArguments;
  const lack = keepsArguments ? {} : { lacksArguments: true as const };
  const result = await keepPart(services, instance, keptResult(finished.result, exceeded));
  const data: TraceData = { ...current.data, ...finished, args, result, ...lack };
  const more = [...guard, ...planTraceDeletion(services, reference)];
  const isStored = await storeEnd(services, reference, { current, data, more });
  if (isStored && args !== before) await dropPart(services, instance, before);
  return { ...finished, ...response };
}

/**
 * Stores a trace that has ended without a result of its script: its process died, or it waited for too long. A trace
 * that was taken over or has ended since is not changed.
 *
 * @param end `isLast`: no other attempt follows
 */
export async function abandonTrace(
  services: TraceServices,
  reference: RunReference,
  end: {
    readonly current: Stored<TraceData>;
    readonly stderr: string;
    readonly isLast?: boolean;
  },
): Promise<void> {
  const { current, stderr, isLast = false } = end;
  const executed_at = current.data.executed_at ?? timestamp(services.clock.micros());
  const result = { value: { stdout: '', stderr } };
  const data: TraceData = { ...current.data, status: 'failure', executed_at, result };
  await storeEnd(services, reference, { current, data, more: [], isLast });
}

/** The end of a run, with writes that belong to it. */
interface End {
  readonly current: Stored<TraceData>;
  readonly data: TraceData;
  readonly more: readonly Write[];
  /** Whether no other attempt follows, whatever the script asks for. */
  readonly isLast?: boolean;
}

/** Stores an ended trace with its consequences. @returns false when another process has ended or deleted the trace */
async function storeEnd(
  services: TraceServices,
  reference: RunReference,
  { current, data, more, isLast }: End,
): Promise<boolean> {
  const { instance } = reference;
  const queue = data.run?.queue;
  const version = await unlessConflict(
    maintain(services, [
      traceWrite(current.key, data, current),
      ...(queue === undefined ? [] : [leaveQueue(instance, queue)]),
      ...(isLast ? [] : await planNextAttempt(services, reference, data)),
      ...more,
    ]),
  );
  if (version !== undefined && queue !== undefined) await startNext(services, instance, queue);
  return version !== undefined;
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
function finishedTrace(
  { clock }: TraceServices,
  { kind, trace }: RunReference,
  outcome: ScriptOutcome,
) {
  const isOver = 'durationMs' in outcome;
  const micros = isOver ? Math.round(outcome.executedAtMs * 1000) : clock.micros();
  const finished = {
    id: trace,
    status: outcome.status,
    executed_at: timestamp(micros),
    duration: isOver ? outcome.durationMs : null,
    result: resultOf(outcome, kind),
  };
  const response = isOver ? outcome.response : undefined;
  return { finished, response: response && { response } };
}

/** Deletes the file of a value, if any; if that fails, the file is deleted after a day. */
export async function dropPart(
  { files, log }: Pick<TraceServices, 'files' | 'log'>,
  instance: number,
  part: TracePart,
): Promise<void> {
  try {
    const keys = filesOf(instance, part);
    if (keys.length > 0) await files.remove(dataOwner(instance), keys);
  } catch (error) {
    log({
      level: 'error',
      message: 'a file of a trace could not be deleted',
      ...faultOf(error),
    });
  }
}

function resultOf(outcome: ScriptOutcome, kind: TraceKind): TraceResult {
  if (outcome.status === 'blocked') {
    // docs/reference/triggers.md#bounds
    return kind === 'trigger' ? { stdout: '', stderr: 'The queue of runs was full.' } : {};
  }
  if (outcome.status === 'queue_timeout') {
    return { stdout: '', stderr: 'Internal queue timeout.' }; // docs/reference/scripts.md#traces
  }
  const { stdout, stderr, response } = outcome;
  return { stdout, stderr, ...(response && { response: shownResponse(response) }) };
}

function shownResponse({ headers, ...shown }: ScriptResponse): JsonObject {
  return Object.keys(headers).length === 0 ? shown : { ...shown, headers };
}
