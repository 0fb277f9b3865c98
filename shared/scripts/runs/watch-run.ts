import type { JobContext, JobType, StepResult } from '../../jobs/jobs.ts';
import type { RunReference } from '../../ports/run-request.ts';
import type { Stored } from '../../store/store.ts';
import { traceEntity } from '../../table/entities/runs.ts';
import type { QueuePosition, TraceData } from '../../table/records/scripts.ts';
import { firstInQueue } from './run-queue.ts';
import { endedMs, forgottenMs } from './run-times.ts';
import { abandonTrace } from './run-traces.ts';
import { watchRunName } from './watch-run-name.ts';

/** The end of a run starts the next one of its queue. If its process dies in between, this one starts after so long. */
const queuePauseMs = 60_000;

const interrupted = 'The run was interrupted.';

type RunTask = RunReference & {
  /** Place of a run that starts when it is the first of its queue. */
  readonly queue?: QueuePosition;
  /** Whether the run was handed over. */
  readonly isStarted?: true;
};

/**
 * Starts the run of a pending trace, and ensures that every trace ends: a run that started and whose process is dead
 * ends as a failure.
 */
export const watchRun: JobType = {
  ...watchRunName,
  step: async (context, stored) => {
    const task = stored as RunTask; // as stored
    if (task.isStarted !== true) return startInTurn(context, task);
    const current = await readTrace(context, task);
    if (current?.data.status === 'pending') return startAgain(context, task, current);
    if (current?.data.status !== 'processing') return 'done';
    const sinceMs = Date.parse(current.data.executed_at ?? '');
    if (!context.runs.isOver(sinceMs)) {
      const leftMs = sinceMs + endedMs - context.clock.micros() / 1000;
      return { task, afterMs: Math.max(1000, leftMs), keepsLease: true };
    }
    await abandonTrace(context, task, { current, stderr: interrupted });
    return 'done';
  },
};

function readTrace(
  { store }: JobContext,
  { instance, kind, parent, trace }: RunReference,
): Promise<Stored<TraceData> | undefined> {
  return traceEntity.read(store, instance, kind, parent, trace);
}

/** Starts a run if no other one of its queue is before it. */
async function startInTurn(context: JobContext, task: RunTask): Promise<StepResult> {
  const { instance, queue } = task;
  if (queue === undefined) return startRun(context, task);
  const first = await firstInQueue(context, instance, queue.queue);
  if (first?.data.trace === task.trace) return startRun(context, task);
  const current = await readTrace(context, task);
  if (current?.data.status !== 'pending') return 'done';
  if (isForgotten(context, current)) {
    await abandonTrace(context, task, { current, stderr: 'The run waited too long for its turn.' });
    return 'done';
  }
  return { task, afterMs: queuePauseMs, keepsLease: true };
}

async function startRun(context: JobContext, task: RunTask): Promise<StepResult> {
  const { instance, kind, parent, trace } = task;
  await context.runs.start({ instance, kind, parent, trace });
  return { task: { ...task, isStarted: true }, afterMs: endedMs, keepsLease: true };
}

/** Starts a run that was handed over and did not start; it still starts at most once. */
async function startAgain(
  context: JobContext,
  task: RunTask,
  current: Stored<TraceData>,
): Promise<StepResult> {
  if (!isForgotten(context, current)) return startRun(context, task);
  await abandonTrace(context, task, { current, stderr: interrupted });
  return 'done';
}

function isForgotten({ clock }: JobContext, { data }: Stored<TraceData>): boolean {
  return clock.micros() / 1000 - data.createdMs >= forgottenMs;
}
