import type { Clock, Ids } from '../ports/ports.ts';
import { ConditionFailed, type Delete, type Put, type Stored } from '../store/store.ts';
import { createItem, deleteIfExists, deleteItem, putItem, updateItem } from '../store/writes.ts';
import { jobEntity, jobShard, jobShards } from '../table/entities/jobs.ts';
import type { JobData } from '../table/records/jobs.ts';
import { longestDelay } from '../values/back-off.ts';
import { faultOf } from '../values/caught.ts';
import type { JsonObject } from '../values/json/json.ts';
import type { Services } from './change-feed.ts';
import { jobsOf, lookForDue, type ReadJobs } from './due-jobs.ts';
import { jobOwner, shardDigit } from './job-owners.ts';
import { maintain } from './maintain.ts';
import { atOncePerShard, awaitTurn, openShardRun, type ShardRun, track } from './shard-run.ts';
import { unlessConflict } from './write-conflict.ts';

/** What the steps of jobs need. */
export interface JobContext extends Services {
  /** Resolves as `Platform.changes.settled` does. */
  settled(): Promise<void>;
  /**
   * Checks whether every request that began before `micros` and may concern an instance has ended. Then none still acts
   * on its state of that time. May wait a little for the last of them.
   *
   * @param instance the instance, or a data id of it
   */
  endedBefore(micros: number, instance: number): Promise<boolean>;
}

/** Result of a step: done, or a task to continue with, at once or after a while. */
export type StepResult =
  | 'done'
  | {
      readonly task: JsonObject;
      readonly afterMs?: number;
      /** Until then something continues elsewhere, which ends with its process: see {@link leasedJob}. */
      readonly keepsLease?: true;
    };

/** A type of job, run later in steps of some seconds at most. A step may run twice. */
export interface JobType {
  /** Part of keys in the table: never change it. */
  readonly name: string;
  /** Milliseconds after which a running job no longer delays those behind it; 5,000 when absent. */
  readonly slowMs?: number | undefined;
  step(context: JobContext, task: JsonObject): Promise<StepResult>;
}

/** Part of a task once its job has begun to wait: microseconds when its cause was known to be committed. */
export type Since = { readonly since: number };

/** Task of a job in an instance. */
type OfInstance = JsonObject & {
  /** The instance, or a data id of it. */
  readonly instance: number;
};

/**
 * Creates a step that waits for the end of all earlier requests that may concern the instance of its task. These may have
 * begun before the cause of the job was committed; after their end none still acts on the previous state.
 */
export function afterRequests<Task extends OfInstance>(
  step: (context: JobContext, task: Task & Since) => Promise<StepResult>,
): JobType['step'] {
  return async (context, stored) => {
    const task = stored as Task & Partial<Since>; // stored in this form
    const { since = context.clock.micros() } = task;
    const begun = { ...task, since };
    return (await context.endedBefore(since, task.instance))
      ? step(context, begun)
      : { task: begun, afterMs: waitMs };
  };
}

const waitMs = 1000;
const leaseMs = 60_000; // a step that takes longer has lost its lease: its process is considered dead
const conflictPauseMs = 100;
const maxConflicts = 5; // write conflicts of a step, before it waits
const failureDelay = { firstMs: 1000, maxMs: 3_600_000 };

/** Returns the write of a job, for the transaction that causes it. Due at once, or at `due` (epoch milliseconds). */
export function newJob(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  kind: Pick<JobType, 'name'>,
  task: JsonObject,
  due: number = clock.micros() / 1000,
): Put {
  const id = newId(ids, task);
  return createJob({ kind: kind.name, id, due, claimed: false, failures: 0, task });
}

/** Returns a random id in a shard of the task's owner. */
function newId(ids: Ids, task: JsonObject): string {
  const random = ids.random();
  return shardDigit(jobOwner(task), random) + random.slice(1);
}

/**
 * Returns the write of a job that finishes an operation if its process does not. It is due when that must have ended; a
 * process that knows that all others are dead runs it at once. The process that ends the operation deletes the job.
 */
export function leasedJob(
  { ids }: { readonly ids: Ids },
  kind: Pick<JobType, 'name'>,
  { task, due }: { readonly task: JsonObject; readonly due: number },
): Put {
  const id = newId(ids, task);
  return createJob({ kind: kind.name, id, due, claimed: true, failures: 0, task });
}

/** A job under a name: with the same due time (epoch milliseconds) it runs once. */
export interface NamedJob {
  /** The instance that it belongs to. */
  readonly instance: number;
  readonly name: string;
  readonly due: number;
}

/**
 * Returns the write of a job that is planned repeatedly under one name: with the same due time it runs once, for the
 * task that was written last. It must not be due before that write is committed.
 */
export function namedJob(
  kind: Pick<JobType, 'name'>,
  { task, ...named }: NamedJob & { readonly task: JsonObject },
): Put {
  const { due } = named;
  const { id, key } = namedJobKey(kind, named);
  const data = { kind: kind.name, id, due, claimed: false, failures: 0, task };
  return putItem(jobEntity, key, data);
}

/** Returns the delete of a job that {@link namedJob} planned. It has no effect once a process has the job's lease. */
export function cancelNamedJob(kind: Pick<JobType, 'name'>, named: NamedJob): Delete {
  return deleteIfExists(namedJobKey(kind, named).key);
}

function namedJobKey(kind: Pick<JobType, 'name'>, { instance, name, due }: NamedJob) {
  const sum = [...name].reduce((sum, character) => sum + character.charCodeAt(0), 0) % 16;
  const id = `${shardDigit(String(instance), sum.toString(16))}-${name}`;
  return { id, key: jobEntity.key(jobShard(id), due, kind.name, id) };
}

function createJob(data: JobData): Put {
  return createItem(
    jobEntity,
    jobEntity.key(jobShard(data.id), data.due, data.kind, data.id),
    data,
  );
}

/** Everything needed to run jobs. */
export interface JobRunner {
  readonly kinds: readonly JobType[];
  readonly context: JobContext;
  /** Checks, between steps, whether the process is about to end: remaining jobs are left to another one. */
  readonly isEnding: () => boolean;
}

/**
 * Runs all jobs that are due, including those that become due while it runs: one query per shard, and another one after
 * each start of jobs.
 *
 * @param read all jobs that are due, of {@link readJobs}: replaces the first query of each shard
 * @returns when further jobs are due (epoch milliseconds); undefined when there are none, or the process is ending
 */
export async function runDue(runner: JobRunner, read: ReadJobs = []): Promise<number | undefined> {
  const next = await Promise.all(jobShards.map((shard) => runShard(runner, shard, read[shard])));
  const known = next.filter((due) => due !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/**
 * Ends the leases of other processes. Only for a process that starts and knows that the others are dead: their jobs
 * continue at once. All leases are read before the first is ended, so that none of this process is among them.
 */
export async function endLeases(context: JobContext): Promise<void> {
  const shards = await Promise.all(jobShards.map((shard) => jobsOf(context, { shard })));
  const due = context.clock.micros() / 1000;
  for (const item of shards.flat().filter(({ data }) => data.claimed)) {
    await unlessConflict(move(context, item, { ...item.data, due, claimed: false }));
  }
}

async function runShard(
  runner: JobRunner,
  shard: number,
  read?: ReadJobs[number],
): Promise<number | undefined> {
  const run = openShardRun(shard);
  const { underWay } = run;
  for (let first = read; ; first = undefined) {
    const due = await beginDue(runner, run, first);
    if (underWay.size === 0) return due;
    await Promise.race(underWay);
  }
}

/**
 * Starts the due jobs of a shard, several at once. Slow or waiting ones do not delay the others. Waits while the
 * maximum number is running, but not for the end of the jobs that it started.
 *
 * @param read replaces the first query
 * @returns when further jobs are due (epoch milliseconds); undefined when there are none, or the process is ending
 */
export async function beginDue(
  runner: JobRunner,
  run: ShardRun,
  read?: ReadJobs[number],
): Promise<number | undefined> {
  const { context, isEnding } = runner;
  let { due, later } = await lookForDue(context, run, read);
  while (due.length > 0 && !isEnding()) {
    await awaitTurn(run);
    const free = atOncePerShard - run.quick.size;
    for (const found of due.slice(0, free)) {
      const item = await unlessConflict(takeLease(context, found));
      if (item === undefined) continue;
      const kind = runner.kinds.find(({ name }) => name === item.data.kind);
      track(run, runItem(runner, item, kind), kind?.slowMs);
    }
    due = due.slice(free);
    if (due.length === 0) ({ due, later } = await lookForDue(context, run));
  }
  return isEnding() ? undefined : later;
}

/** Takes the lease of a job; throws when another process has taken it. */
function takeLease(context: JobContext, found: Stored<JobData>): Promise<Stored<JobData>> {
  const due = context.clock.micros() / 1000 + leaseMs;
  return move(context, found, { ...found.data, due, claimed: true });
}

/** Runs a leased job, step by step, until nothing is left to do now. */
async function runItem(
  { context, isEnding }: JobRunner,
  leased: Stored<JobData>,
  kind: JobType | undefined,
) {
  try {
    for (let item = leased; ; ) {
      const result = await attempt(context, kind, item);
      if (result === 'done') {
        await maintain(context, [deleteItem(item)]);
        return;
      }
      const { rests, ...next } = after(result, isEnding());
      const due = context.clock.micros() / 1000 + next.due;
      item = await move(context, item, { ...item.data, ...next, due });
      if (rests) return;
    }
  } catch (error) {
    if (error instanceof ConditionFailed) return; // another process has taken the job over
    const entry = { job: leased.data.id, kind: leased.data.kind, ...faultOf(error) };
    // the job continues when its lease expires
    context.log({ level: 'error', message: 'the end of a job could not be stored', ...entry });
  }
}

/** Returns the state of a job after a step; `due` is relative to now. */
function after(result: Exclude<Attempt, 'done'>, isEnding: boolean) {
  const { task, failures = 0, afterMs, keepsLease = false } = result;
  const rests = afterMs !== undefined || isEnding;
  const due = rests ? (afterMs ?? 0) : leaseMs;
  return { task, failures, rests, due, claimed: !rests || keepsLease };
}

type Attempt =
  | 'done'
  | { task: JsonObject; afterMs?: number; failures?: number; keepsLease?: true };

/** Runs a step. A failed one is retried after a while, without limit: no job is dropped. */
async function attempt(
  context: JobContext,
  kind: JobType | undefined,
  { data }: Stored<JobData>,
): Promise<Attempt> {
  try {
    if (kind === undefined) throw new Error(`unknown job type ${data.kind}`);
    return await takeStep(context, kind, data.task);
  } catch (error) {
    if (error instanceof ConditionFailed) return { task: data.task, afterMs: conflictPauseMs };
    const failures = data.failures + 1;
    const entry = { job: data.id, kind: data.kind, failures, ...faultOf(error) };
    context.log({ level: 'error', message: 'a step of a job failed', ...entry });
    const afterMs = longestDelay(data.failures, failureDelay);
    return { task: data.task, failures, afterMs };
  }
}

/** Runs a step, and retries it with the new state after a write conflict. */
async function takeStep(
  context: JobContext,
  { step }: JobType,
  task: JsonObject,
): Promise<StepResult> {
  for (let conflicts = 1; ; conflicts += 1) {
    try {
      return await step(context, task);
    } catch (error) {
      if (!(error instanceof ConditionFailed) || conflicts === maxConflicts) throw error;
    }
  }
}

/** Moves a job to another due time; throws on a write conflict. */
async function move(
  context: JobContext,
  item: Stored<JobData>,
  data: JobData,
): Promise<Stored<JobData>> {
  const put = createJob(data);
  const isSameKey = put.key.sk === item.key.sk; // due within the same millisecond
  const writes = isSameKey ? [updateItem(item, data)] : [deleteItem(item), put];
  const version = await maintain(context, writes);
  return { key: put.key, kind: put.kind, version, data };
}
