import { neverRejects } from '../../../values/promises/in-background.ts';
import type { ItemCache } from './cache/item-cache.ts';
import type { CommitMode } from './commit-mode.ts';
import type { Counters } from './counters.ts';
import type { FeedWriter } from './feed.ts';
import type { StorageTrouble } from './storage-trouble.ts';
import type { TableOperation, Tables } from './tables.ts';

/** Most pieces of work in one commit, so that planning them does not delay readers for long. */
const maxGroupSize = 200;
const pageBytes = 4096;

/** Reads an item as it will be after everything planned before; undefined: no item. */
export type ReadItem = (itemKey: string) => string | undefined;

/** Changes that a piece of work plans, and its result once they are durable. */
export interface CommitPlan<Result> {
  readonly operations: readonly TableOperation[];
  /** Entries for the change feed, in order; none when absent. */
  readonly changes?: readonly string[];
  readonly result: Result;
}

/** Plans a piece of work; throws its error. */
export type Work<Result> = (read: ReadItem) => CommitPlan<Result>;

/** Outcome of a piece of work: its result, or its error, and then nothing of it is applied. */
export type TaskResult<Result> = { readonly result: Result } | { readonly error: unknown };

/** Runs pieces of work in shared commits. */
export interface GroupCommit {
  /**
   * Plans a piece of work and applies it completely or not at all; resolves when it is durable. No other write happens
   * between its reads and its commit. When `work` throws, none of it is applied and its error is passed on.
   */
  submit<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Does the same with pieces of work that are independent of each other, in their order and in one commit.
   *
   * @returns their outcomes, in their order
   */
  submitAll<Result>(all: readonly Work<Result>[]): Promise<readonly TaskResult<Result>[]>;
  /** Adds operations to the next commit; they do not cause one of their own. */
  carry(operations: readonly TableOperation[]): void;
}

/** Parts that take part in a commit. */
export interface CommitParts {
  readonly tables: Tables;
  readonly cache: ItemCache;
  readonly counters: Counters;
  readonly feed: Pick<FeedWriter, 'append' | 'committed'>;
  readonly mode: Pick<CommitMode, 'mayBlock' | 'took'>;
  readonly trouble: StorageTrouble;
}

interface Job {
  readonly all: readonly Work<unknown>[];
  /** Of each piece of work that is planned. */
  readonly outcomes: TaskResult<unknown>[];
  readonly resolve: () => void;
  /** The commit failed. */
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a group commit: work that arrives in one turn of the event loop, or during a commit, shares the next commit
 * and its flush to disk. There is one commit at a time and no other writer, so a plan based on the state before a
 * commit is valid inside it. LMDB then only has to write, all or nothing: in a separate thread, or in this one where
 * that is faster.
 */
export function createGroupCommit(parts: CommitParts): GroupCommit {
  let waiting: Job[] = [];
  let carried: readonly TableOperation[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = firstOf(waiting);
      waiting = waiting.slice(group.length);
      const along = carried;
      carried = [];
      await commitGroup(parts, group, along);
    }
    running = false;
  }

  function enqueue(job: Job): void {
    waiting.push(job);
    if (running) return;
    running = true;
    setImmediate(() => neverRejects(run())); // errors are for those who wait
  }

  return {
    submit: <Result>(work: Work<Result>) =>
      new Promise<Result>((resolve, reject) => {
        const outcomes: TaskResult<Result>[] = [];
        const settle = () => {
          const [outcome] = outcomes;
          if (outcome !== undefined && 'result' in outcome) resolve(outcome.result);
          else reject(outcome?.error);
        };
        enqueue({ all: [work], outcomes, resolve: settle, reject });
      }),
    submitAll: <Result>(all: readonly Work<Result>[]) =>
      new Promise<readonly TaskResult<Result>[]>((resolve, reject) => {
        const outcomes: TaskResult<Result>[] = [];
        const settle = () => resolve(outcomes);
        enqueue({ all, outcomes, resolve: settle, reject });
      }),
    carry: (operations) => {
      carried = [...carried, ...operations];
    },
  };
}

/** Returns the first jobs, of as many pieces of work as one commit may have. */
function firstOf(waiting: readonly Job[]): readonly Job[] {
  let size = 0;
  const end = waiting.findIndex(({ all }) => {
    const isFull = size >= maxGroupSize;
    size += all.length;
    return isFull;
  });
  return end < 0 ? waiting : waiting.slice(0, end);
}

async function commitGroup(
  parts: CommitParts,
  group: readonly Job[],
  along: readonly TableOperation[],
): Promise<void> {
  try {
    const { operations, planned } = planGroup(parts, group);
    operations.push(...along);
    parts.trouble.checkWritable();
    await carryOut(parts, operations, planned);
    for (const job of group) job.resolve();
    parts.feed.committed(operations);
  } catch (error) {
    for (const job of group) job.reject(error);
  }
}

function planGroup(
  { tables: { items }, feed, trouble }: CommitParts,
  group: readonly Job[],
): { operations: TableOperation[]; planned: number } {
  const changed = new Map<string, string | undefined>();
  const read = (key: string) => (changed.has(key) ? changed.get(key) : items.get(key));
  const operations: TableOperation[] = [];
  const changes: string[] = [];
  let planned = 0;
  const run = (work: Work<unknown>): TaskResult<unknown> => {
    try {
      const plan = work(read);
      if (plan.changes !== undefined) changes.push(...plan.changes);
      for (const operation of plan.operations) {
        operations.push(operation);
        if (operation.table === 'items') changed.set(operation.key, operation.value);
      }
      planned += 1;
      return { result: plan.result };
    } catch (error) {
      return { error: trouble.translate(error) };
    }
  };
  for (const { all, outcomes } of group) outcomes.push(...all.map(run));
  operations.push(...feed.append(changes));
  return { operations, planned };
}

async function carryOut(
  { tables, cache, counters, mode, trouble }: CommitParts,
  operations: TableOperation[],
  jobs: number,
): Promise<void> {
  operations.push(...counters.save());
  if (operations.length === 0) return;
  for (const { table, key, isNew } of operations) {
    if (table === 'items' && !isNew) cache.lock(key);
  }
  try {
    const startedMs = performance.now();
    const blocks = mode.mayBlock({ jobs, operations: operations.length });
    const enqueueAll = () => {
      for (const operation of operations) enqueue(tables, operation);
    };
    if (blocks) tables.environment.transactionSync(enqueueAll);
    else await tables.environment.batch(enqueueAll);
    mode.took(performance.now() - startedMs, blocks);
    counters.saved();
  } catch (error) {
    const failure = new Error('nothing was written', { cause: await commitErrorOf(error) });
    throw trouble.translate(failure, bytesOf(operations));
  } finally {
    // A reader must not continue with a snapshot from before the commit, and cache items from it.
    tables.environment.resetReadTxn();
    cache.unlock();
  }
}

/** Estimates the bytes of operations: most characters take one byte, and a small item writes a page too. */
function bytesOf(operations: readonly TableOperation[]): number {
  return operations.reduce(
    (sum, { key, value = '' }) => sum + pageBytes + key.length + value.length,
    0,
  );
}

/** Returns the cause of a failed commit; LMDB has it in a second promise, which must be handled. */
async function commitErrorOf(failure: unknown): Promise<unknown> {
  if (!(failure instanceof Error && 'commitError' in failure)) return failure;
  try {
    await failure.commitError;
    return failure;
  } catch (cause) {
    return cause;
  }
}

function enqueue(tables: Tables, { table, key, value }: TableOperation): void {
  // Their promises add nothing to the promise of the batch.
  if (value === undefined) void tables[table].remove(key);
  else void tables[table].put(key, value);
}
