import type { Clock, Ids } from '../platform/ports.ts';
import { as, dueKey, jobEntity, jobShards, workShard } from '../store/entities.ts';
import type { JobData } from '../store/records/jobs.ts';
import { ConditionFailed, type Put, type Stored } from '../store/store.ts';
import { insert, remove, replace, store } from '../store/writes.ts';
import { causeOf } from '../values/caught.ts';
import type { JsonObject } from '../values/json/json.ts';
import type { Services } from './change-feed.ts';
import { maintain } from './maintain.ts';
import { unlessConflict } from './write-conflict.ts';

/** What the steps of work need. */
export interface JobContext extends Services {
  /** Resolves as `Platform.changes.settled` does. */
  settled(): Promise<void>;
  /**
   * Tells whether every call that began before `micros` has ended, so that nobody acts any more on what was true
   * then. May wait a little for the last of them.
   */
  endedBefore(micros: number): Promise<boolean>;
}

/** What a step leaves: nothing, or a task to go on with, at once or after a while. */
export type StepResult =
  | 'done'
  | {
      readonly task: JsonObject;
      readonly afterMs?: number;
      /** Until then something goes on elsewhere, which dies with its process: see {@link heldWork}. */
      readonly isHeld?: true;
    };

/** A kind of work that is done later, in steps of some seconds at most. A step may be done twice. */
export interface JobType {
  /** Stands in keys of the table: never change it. */
  readonly name: string;
  step(context: JobContext, task: JsonObject): Promise<StepResult>;
}

/** What a task holds once the work has begun to wait: microseconds when its cause was known to be committed. */
export type Since = { readonly since: number };

/**
 * Makes a step that begins when every call has ended which may have begun before the cause of the work was committed:
 * nobody then acts any more on what was true before.
 */
export function afterCalls<Task extends JsonObject>(
  step: (context: JobContext, task: Task & Since) => Promise<StepResult>,
): JobType['step'] {
  return async (context, stored) => {
    const task = stored as Task & Partial<Since>; // so it was stored
    const { since = context.clock.micros() } = task;
    const begun = { ...task, since };
    return (await context.endedBefore(since))
      ? step(context, begun)
      : { task: begun, afterMs: waitMs };
  };
}

const waitMs = 1000;
const claimMs = 60_000; // how long a step may take before others think that its process has died
const lostRaceMs = 100;
const racesAtOnce = 5; // lost ones of a step, before it waits
const firstDelayMs = 1000;
const maxDelayMs = 3_600_000;
const atOncePerShard = 4;

/** Writes work to be done, at once unless `due` (epoch milliseconds) says when, with the transaction that causes it. */
export function newJob(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  kind: Pick<JobType, 'name'>,
  task: JsonObject,
  due: number = clock.micros() / 1000,
): Put {
  return workItem({ kind: kind.name, id: ids.random(), due, claimed: false, failures: 0, task });
}

/**
 * Writes work that sees to what a process has begun and may not end. It is due when that must have ended; a process
 * that knows that all others are dead does it at once. Whoever has ended it takes the work away.
 */
export function heldWork(
  { ids }: { readonly ids: Ids },
  kind: JobType,
  { task, due }: { readonly task: JsonObject; readonly due: number },
): Put {
  return workItem({ kind: kind.name, id: ids.random(), due, claimed: true, failures: 0, task });
}

/**
 * Writes work that is planned again and again under one name: with the same due time (epoch milliseconds) it is done
 * once, for the task that was written last. It must not be due before that write is committed.
 */
export function jointWork(
  kind: Pick<JobType, 'name'>,
  { name, task, due }: { readonly name: string; readonly task: JsonObject; readonly due: number },
): Put {
  const shard = [...name].reduce((sum, character) => sum + character.charCodeAt(0), 0) % 16;
  const id = `${shard.toString(16)}-${name}`;
  const data = { kind: kind.name, id, due, claimed: false, failures: 0, task };
  return store(jobEntity, jobEntity.key(due, kind.name, id), data);
}

function workItem(data: JobData): Put {
  return insert(jobEntity, jobEntity.key(data.due, data.kind, data.id), data);
}

/** What runs work. */
export interface JobRunner {
  readonly kinds: readonly JobType[];
  readonly context: JobContext;
  /** Tells, between steps, that the process is about to end: what is left stays for another. */
  readonly isEnding: () => boolean;
}

/**
 * Does all work that is due, what becomes due meanwhile included.
 *
 * @returns when further work is due (epoch milliseconds); undefined when there is none, or the process is ending
 */
export async function runDue(runner: JobRunner): Promise<number | undefined> {
  const next = await Promise.all(jobShards.map((shard) => runShard(runner, shard)));
  const known = next.filter((due) => due !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/**
 * Frees work that others had claimed. Only for a process that begins and knows that the others are dead: their work
 * goes on at once. All claims are read before the first is freed, so that none of this process is among them.
 */
export async function freeClaims(context: JobContext): Promise<void> {
  const shards = await Promise.all(jobShards.map((shard) => jobsOf(context, { shard })));
  const due = context.clock.micros() / 1000;
  for (const item of shards.flat().filter(({ data }) => data.claimed)) {
    await unlessConflict(move(context, item, { ...item.data, due, claimed: false }));
  }
}

async function runShard(runner: JobRunner, shard: number): Promise<number | undefined> {
  const underWay = new Set<Promise<void>>();
  for (;;) {
    const due = await beginDue(runner, { shard, underWay });
    if (underWay.size === 0) return due;
    await Promise.race(underWay);
  }
}

/** A shard and what is under way there. */
export interface ShardWork {
  readonly shard: number;
  readonly underWay: Set<Promise<void>>;
}

/**
 * Begins the work of a shard that is due, some pieces at once, so that what is slow or waits does not keep the rest
 * from its start. Waits for room where there is none; not for the end of what it has begun.
 *
 * @returns when further work is due (epoch milliseconds); undefined when there is none, or the process is ending
 */
export async function beginDue(
  runner: JobRunner,
  { shard, underWay }: ShardWork,
): Promise<number | undefined> {
  const { context, isEnding } = runner;
  while (!isEnding()) {
    if (underWay.size >= atOncePerShard) await Promise.race(underWay);
    const until = context.clock.micros() / 1000;
    const limit = atOncePerShard - underWay.size;
    const due = await jobsOf(context, { shard, until, limit });
    if (due.length === 0) return nextDue(context, shard);
    for (const found of due) {
      const item = await unlessConflict(claim(context, found));
      if (item === undefined) continue;
      const piece = runItem(runner, item).finally(() => underWay.delete(piece));
      underWay.add(piece);
    }
  }
  return undefined;
}

/** Work of a shard that is due at `until` (epoch milliseconds), or any, the earliest first. */
async function jobsOf(
  { store }: JobContext,
  { shard, until, limit = 1000 }: { shard: number; until?: number; limit?: number },
): Promise<readonly Stored<JobData>[]> {
  const upper = until === undefined ? {} : { upper: { key: dueKey(until + 1), inclusive: false } };
  const { items } = await store.query({ pk: workShard(shard), ...upper, limit });
  return items.map((item) => as(jobEntity, item));
}

async function nextDue({ store }: JobContext, shard: number): Promise<number | undefined> {
  const { items } = await store.query({ pk: workShard(shard), limit: 1 });
  return as(jobEntity, items[0])?.data.due;
}

/** Claims an item; fails when another process has done so. */
function claim(context: JobContext, found: Stored<JobData>): Promise<Stored<JobData>> {
  const due = context.clock.micros() / 1000 + claimMs;
  return move(context, found, { ...found.data, due, claimed: true });
}

/** Works on a claimed item, step by step, until nothing is left to do now. */
async function runItem({ kinds, context, isEnding }: JobRunner, claimed: Stored<JobData>) {
  const kind = kinds.find(({ name }) => name === claimed.data.kind);
  try {
    for (let item = claimed; ; ) {
      const result = await attempt(context, kind, item);
      if (result === 'done') {
        await maintain(context, [remove(item)]);
        return;
      }
      const { rests, ...next } = after(result, isEnding());
      const due = context.clock.micros() / 1000 + next.due;
      item = await move(context, item, { ...item.data, ...next, due });
      if (rests) return;
    }
  } catch (error) {
    if (error instanceof ConditionFailed) return; // another process has taken it over
    const { id, kind: name } = claimed.data;
    const entry = { work: id, kind: name, cause: causeOf(error) };
    context.log({ level: 'error', message: 'the end of a job could not be stored', ...entry }); // it goes on when its claim is over
  }
}

/** What an item is like when a step is done; `due` from now on. */
function after(result: Exclude<Attempt, 'done'>, isEnding: boolean) {
  const { task, failures = 0, afterMs, isHeld = false } = result;
  const rests = afterMs !== undefined || isEnding;
  const due = rests ? (afterMs ?? 0) : claimMs;
  return { task, failures, rests, due, claimed: !rests || isHeld };
}

type Attempt = 'done' | { task: JsonObject; afterMs?: number; failures?: number; isHeld?: true };

/** A step that fails is tried again after a while, for ever: what must happen is not dropped. */
async function attempt(
  context: JobContext,
  kind: JobType | undefined,
  { data }: Stored<JobData>,
): Promise<Attempt> {
  try {
    if (kind === undefined) throw new Error(`nobody knows work of the kind ${data.kind}`);
    return await takeStep(context, kind, data.task);
  } catch (error) {
    if (error instanceof ConditionFailed) return { task: data.task, afterMs: lostRaceMs };
    const cause = causeOf(error);
    const failures = data.failures + 1;
    const entry = { work: data.id, kind: data.kind, failures, cause };
    context.log({ level: 'error', message: 'a step of a job failed', ...entry });
    const afterMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
    return { task: data.task, failures, afterMs };
  }
}

/** Takes a step, again when another writer was faster: what it writes is then seen anew. */
async function takeStep(
  context: JobContext,
  { step }: JobType,
  task: JsonObject,
): Promise<StepResult> {
  for (let races = 1; ; races += 1) {
    try {
      return await step(context, task);
    } catch (error) {
      if (!(error instanceof ConditionFailed) || races === racesAtOnce) throw error;
    }
  }
}

/** Moves an item to another due time; fails when somebody else has done so. */
async function move(
  context: JobContext,
  item: Stored<JobData>,
  data: JobData,
): Promise<Stored<JobData>> {
  const put = workItem(data);
  const isSamePlace = put.key.sk === item.key.sk; // within a millisecond
  const writes = isSamePlace ? [replace(item, data)] : [remove(item), put];
  const version = await maintain(context, writes);
  return { key: put.key, kind: put.kind, version, data };
}
