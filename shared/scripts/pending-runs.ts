import { newJob } from '../jobs/jobs.ts';
import type { Platform } from '../platform/ports.ts';
import { traceEntity } from '../store/entities.ts';
import type { PendingRun, TraceData, TracePart } from '../store/records/scripts.ts';
import type { Put } from '../store/store.ts';
import type { RunReference } from './run-request.ts';
import { noResult, watchRun } from './run-traces.ts';
import { traceWrite } from './traces.ts';

/** A run to be started by a job once its trace is committed. */
export interface NewRun {
  readonly args: TracePart;
  /** Scripts between the client and this run, including itself. */
  readonly depth: number;
  /** Absent for a direct run: its parent is its script. */
  readonly run?: PendingRun;
}

/** Plans a run: returns its pending trace, and the writes for the transaction that causes it. */
export function planRun(
  platform: Pick<Platform, 'clock' | 'ids'>,
  reference: RunReference,
  run: NewRun,
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
  const key = traceEntity.key(instance, kind, parent, trace);
  return { data, writes: [traceWrite(key, data), newJob(platform, watchRun, reference)] };
}

/** Returns what runs in a direct run of a script. */
export function directRun(script: number): PendingRun {
  return { script, meta: { executed_by: 'codebox', executor: script } };
}
