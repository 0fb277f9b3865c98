import { type JobType, namedJob } from '../../../jobs/jobs.ts';
import { maintain } from '../../../jobs/maintain.ts';
import type { RunReference } from '../../../ports/run-request.ts';
import { forgottenMs } from '../../../scripts/runs/run-times.ts';
import { instanceLimits } from '../../../scripts/slots.ts';
import type { Stored } from '../../../store/store.ts';
import { putItem } from '../../../store/writes.ts';
import { runWaiterEntity, traceEntity } from '../../../table/entities/runs.ts';
import type { RunWaiterData } from '../../../table/records/functions.ts';
import { faultOf } from '../../../values/caught.ts';
import {
  type HeldSlot,
  look,
  nowMs,
  releaseSlot,
  type SlotServices,
  takeRunSlot,
} from './items.ts';

/** Starts the run of a pending trace in a process that has the time for it, with a slot that was taken for it. */
export type StartRun = (run: RunReference, slot: HeldSlot) => Promise<void>;

/** Options of waiting runs. */
export interface WaitingRunsOptions extends SlotServices {
  readonly startRun: StartRun;
}

/** Runs that wait for a slot as items of the table: no process waits with them. */
export interface WaitingRuns {
  /**
   * Starts a pending run, or puts it into the queue of its instance. A repetition has no further effect.
   *
   * @returns full: too many runs of its instance wait
   */
  enter(run: RunReference): Promise<'started' | 'waiting' | 'full'>;
  /** Starts the runs of the queue that have a free slot: to be called when a slot was released. Never rejects. */
  startNext(instance: number): Promise<void>;
}

/** Time until a run that was handed over has begun: an asynchronous invocation is given up after 60 s. */
const handOverMs = 75_000;
/** Entries that a look at the front of the queue reads: those of processes, and of runs that have begun, come first. */
const ahead = 64;
const maxLooks = 8; // while other processes take the same slots
const checkMs = 60_000;

/**
 * Opens the queues of runs without a process. A run that finds no slot is an entry; whoever releases a slot starts the
 * next one. An entry is put before the slots are looked at, and a slot is released before the entries are: one of the
 * two finds the other. If a process dies in between, a job per instance does so within two minutes.
 */
export function openWaitingRuns(options: WaitingRunsOptions): WaitingRuns {
  const startNext = async (instance: number): Promise<void> => {
    try {
      await startFree(options, instance);
    } catch (error) {
      const message = 'waiting runs could not be started';
      options.log({ level: 'error', message, ...faultOf(error) });
    }
  };
  return {
    startNext,
    enter: async (run) => {
      const { instance, kind, parent, trace } = run;
      const pending = await traceEntity.read(options.store, instance, kind, parent, trace);
      if (pending?.data.status !== 'pending') return 'started';
      const { free, awaited, waiters } = await look(
        options,
        instance,
        instanceLimits.waiting + ahead,
      );
      const [number] = waiters.length === 0 ? free.slice(awaited.length) : [];
      if (number !== undefined && (await handOver(options, run, { number }))) return 'started';
      const { createdMs } = pending.data;
      const waiter = { isAwaited: false, sinceMs: createdMs, id: `${kind}-${trace}` };
      const key = runWaiterEntity.key(instance, waiter);
      const isIn = waiters.some((entry) => entry.key.sk === key.sk);
      if (!isIn && waiters.length >= instanceLimits.waiting) return 'full';
      const put = putItem(runWaiterEntity, key, { run: { kind, parent, trace } });
      await planCheck(options, instance);
      const expiresAt = Math.ceil((createdMs + forgottenMs) / 1000);
      await maintain(options, [{ ...put, expiresAt }]);
      await startNext(instance);
      return 'waiting';
    },
  };
}

/** Starts runs while there are free slots for them. @returns whether others wait */
async function startFree(options: WaitingRunsOptions, instance: number): Promise<boolean> {
  for (let looks = 0; looks < maxLooks; looks += 1) {
    const { free, awaited, waiters } = await look(options, instance, ahead);
    // The first free slots are for those who wait with a process. Processes that look at once choose alike, so that one
    // run is not started in two slots.
    const turns = free.slice(awaited.length, awaited.length + waiters.length);
    const started = await Promise.all(
      waiters.slice(0, turns.length).map((entry, at) => startWaiter(options, entry, turns[at])),
    );
    if (started.every(Boolean)) return waiters.length > turns.length;
  }
  return true;

  async function startWaiter(
    services: WaitingRunsOptions,
    { key, data }: Stored<RunWaiterData>,
    number: number | undefined,
  ): Promise<boolean> {
    if (data.run === undefined || number === undefined) return true;
    return handOver(services, { instance, ...data.run }, { number, waiter: key.sk });
  }
}

/** Takes a slot for a run and starts it. @returns false: the slot was taken */
async function handOver(
  options: WaitingRunsOptions,
  run: RunReference,
  { number, waiter }: { readonly number: number; readonly waiter?: string },
): Promise<boolean> {
  const { instance } = run;
  const use = { instance, forMs: handOverMs, ...(waiter !== undefined && { waiter }) };
  const slot = await takeRunSlot(options, use, number);
  if (slot === undefined) return false;
  try {
    await options.startRun(run, slot);
  } catch (error) {
    const { waiter: _, ...own } = slot; // it still waits
    await releaseSlot(options, instance, own);
    throw error;
  }
  return true;
}

/** The name of the job type that looks after a queue. */
export const queueCheckName = { name: 'start-waiting-runs' };

/** Plans a look at a queue. All that are planned within a minute are one. */
async function planCheck(services: SlotServices, instance: number): Promise<void> {
  const due = Math.ceil((nowMs(services) + checkMs / 2) / checkMs) * checkMs;
  const job = { instance, name: `runs-of-${instance}`, due, task: { instance } };
  await maintain(services, [namedJob(queueCheckName, job)]);
}

/** Creates the job type that starts waiting runs whose start was lost with a process. */
export function createWaitingRunsCheck(startRun: StartRun): JobType {
  return {
    ...queueCheckName,
    step: async (context, task) => {
      const { instance } = task as { instance: number }; // as planned
      if (await startFree({ ...context, startRun }, instance)) await planCheck(context, instance);
      return 'done';
    },
  };
}
