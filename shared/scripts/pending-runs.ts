import { newJob } from '../jobs/jobs.ts';
import type { Platform } from '../ports/ports.ts';
import type { RunReference } from '../ports/run-request.ts';
import type { Put } from '../store/store.ts';
import { traceEntity } from '../table/entities/runs.ts';
import type { PlannedRun, TraceData, TracePart } from '../table/records/scripts.ts';
import type { JsonObject } from '../values/json/json.ts';
import { enterQueue } from './runs/run-queue.ts';
import { watchRunName } from './runs/watch-run-name.ts';
import { expiryOf, noResult, traceWrite } from './traces.ts';

/** A run to be started by a job once its trace is committed. */
export interface NewRun {
  readonly args: TracePart;
  /** Scripts between the client and this run, including itself. */
  readonly depth: number;
  /** Absent: no request starts it. */
  readonly requestId?: string;
  /** META.request of an endpoint's script, as in its trace. */
  readonly meta?: JsonObject;
  /** Absent for a direct run: its parent is its script. */
  readonly run?: PlannedRun;
}

/**
 * Plans a run: returns its pending trace, and the writes for the transaction that causes it.
 *
 * @param due when it starts, in epoch milliseconds; absent: at once, or when it is the first of its queue
 */
export function planRun(
  platform: Pick<Platform, 'clock' | 'ids'>,
  reference: RunReference,
  run: NewRun,
  due?: number,
): { readonly data: TraceData; readonly writes: readonly Put[] } {
  const { instance, kind, parent, trace } = reference;
  const data: TraceData = {
    id: trace,
    status: 'pending',
    executed_at: null,
    duration: null,
    result: noResult,
    createdMs: Math.floor(platform.clock.micros() / 1000),
    ...run,
  };
  const queue = run.run?.queue;
  const task = { instance, kind, parent, trace, ...(queue && { queue }) };
  const writes = [
    traceWrite(traceEntity.key(instance, kind, parent, trace), data),
    newJob(platform, watchRunName, task, due),
    ...(queue === undefined ? [] : [enterQueue(reference, queue, expiryOf(data))]),
  ];
  return { data, writes };
}

/** Returns the plan of a direct run of a script. */
export function directRun(script: number): PlannedRun {
  return { script, meta: { executed_by: 'codebox', executor: script } };
}
