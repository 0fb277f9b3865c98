import { neverRejects } from '../../../values/promises/in-background.ts';
import type { ItemCache } from './cache/item-cache.ts';
import type { CommitMode } from './commit-mode.ts';
import type { Counters } from './counters.ts';
import type { FeedWriter } from './feed.ts';
import { reservedFor } from './pending/parts.ts';
import type { Pending } from './pending/pending.ts';
import type { StorageTrouble } from './storage-trouble.ts';
import type { TableOperation } from './tables.ts';

/** Most pieces of work in one commit, so that planning them does not delay readers for long. */
const maxGroupSize = 200;
/** Characters of planned operations after which no more work is planned: one transaction may have as many again. */
const maxGroupLength = 1_000_000;

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
   * Does the same with pieces of work that are independent of each other, in their order and in as few commits as
   * their size allows.
   *
   * @returns their outcomes, in their order
   */
  submitAll<Result>(all: readonly Work<Result>[]): Promise<readonly TaskResult<Result>[]>;
  /** Adds operations to the next commit; they do not cause one of their own. */
  carry(operations: readonly TableOperation[]): void;
}

/** Parts that take part in a commit. */
export interface CommitParts {
  readonly pending: Pick<Pending, 'tables' | 'write'>;
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
}

/**
 * Creates a group commit: work that arrives in one turn of the event loop, or during a commit, shares the next commit
 * and its flush to disk. There is one commit at a time and no other writer, so a plan based on the state before a
 * commit is valid inside it. The operations then only have to be made durable, all or none: while the event loop waits,
 * where that is faster, or in a separate thread.
 */
export function createGroupCommit(parts: CommitParts): GroupCommit {
  let waiting: Job[] = [];
  let carried: readonly TableOperation[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const along = carried;
      carried = [];
      await commitGroup(parts, waiting, along);
      for (const job of waiting) if (isPlanned(job)) job.resolve();
      waiting = waiting.filter((job) => !isPlanned(job));
    }
    running = false;
  }

  function submitAll<Result>(all: readonly Work<Result>[]) {
    return new Promise<readonly TaskResult<Result>[]>((resolve) => {
      const outcomes: TaskResult<Result>[] = [];
      waiting.push({ all, outcomes, resolve: () => resolve(outcomes) });
      if (running) return;
      running = true;
      setImmediate(() => neverRejects(run())); // errors are for those who wait
    });
  }

  return {
    submitAll,
    submit: async (work) => {
      const [outcome] = await submitAll([work]);
      if (outcome !== undefined && 'result' in outcome) return outcome.result;
      throw outcome?.error;
    },
    carry: (operations) => {
      carried = [...carried, ...operations];
    },
  };
}

function isPlanned({ all, outcomes }: Job): boolean {
  return outcomes.length === all.length;
}

async function commitGroup(
  parts: CommitParts,
  waiting: readonly Job[],
  along: readonly TableOperation[],
): Promise<void> {
  const group: PlannedWork[] = [];
  try {
    const operations = planGroup(parts, waiting, group);
    operations.push(...along);
    parts.trouble.checkWritable();
    await carryOut(parts, operations, group.length);
    parts.feed.committed(operations);
  } catch (error) {
    for (const { outcomes, at } of group) outcomes[at] = { error };
  }
}

/** A piece of work that a commit has, by its place among the outcomes of its job. */
interface PlannedWork {
  readonly outcomes: TaskResult<unknown>[];
  readonly at: number;
}

/** Plans as much of the waiting work as one commit may have, and adds it to `group`. */
function planGroup(
  { pending: { tables }, feed, trouble }: CommitParts,
  waiting: readonly Job[],
  group: PlannedWork[],
): TableOperation[] {
  const changed = new Map<string, string | undefined>();
  const read = (key: string) => (changed.has(key) ? changed.get(key) : tables.items.get(key));
  const operations: TableOperation[] = [];
  const changes: string[] = [];
  let length = 0;
  const run = (work: Work<unknown>): TaskResult<unknown> => {
    try {
      const plan = work(read);
      if (plan.changes !== undefined) changes.push(...plan.changes);
      for (const operation of plan.operations) {
        operations.push(operation);
        length += operation.key.length + (operation.value?.length ?? 0);
        if (operation.table === 'items') changed.set(operation.key, operation.value);
      }
      return { result: plan.result };
    } catch (error) {
      return { error: trouble.translate(error) };
    }
  };
  for (const { all, outcomes } of waiting) {
    for (const work of all.slice(outcomes.length)) {
      if (group.length >= maxGroupSize || length >= maxGroupLength) break;
      const outcome = run(work);
      group.push({ outcomes, at: outcomes.length });
      outcomes.push(outcome);
    }
  }
  operations.push(...feed.append(changes));
  return operations;
}

async function carryOut(
  { pending, cache, counters, mode, trouble }: CommitParts,
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
    await pending.write(operations, { jobs, blocks });
    mode.took(performance.now() - startedMs, blocks);
    counters.saved();
  } catch (error) {
    throw trouble.translate(error, reservedFor(operations));
  } finally {
    cache.unlock();
  }
}
