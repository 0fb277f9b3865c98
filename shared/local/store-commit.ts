import type { Tables } from './store-tables.ts';

/** Transactions in one commit at the most, so that applying them does not hold up readers for long. */
const maxGroupSize = 200;

/** Runs pieces of work in commits that they share. */
export interface GroupCommit {
  /**
   * Runs `work` inside a transaction and resolves with its result when that is durable. Work may throw only when
   * the medium fails: everything in the same commit is then undone and rejected.
   */
  submit<Result>(work: () => Result): Promise<Result>;
}

/** What is to be done around each commit. */
export interface CommitHooks {
  /** Runs inside the transaction, before the work. */
  readonly begin: () => void;
  /** Runs when the transaction is durable, before anybody hears of it. */
  readonly committed: () => void;
  /** Runs last, also when the commit failed. */
  readonly ended: () => void;
}

interface Job {
  readonly run: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a group commit over `tables`: what arrives in one turn of the event loop, or while a commit is under way,
 * shares the next commit and its flush to disk. One commit at a time.
 */
export function createGroupCommit(tables: Tables, hooks: CommitHooks): GroupCommit {
  let waiting: Job[] = [];
  let running = false;

  async function commit(group: readonly Job[]): Promise<void> {
    try {
      await tables.environment.childTransaction(() => {
        hooks.begin();
        for (const job of group) job.run();
      });
      hooks.committed();
    } finally {
      // A reader must not go on with a snapshot from before the commit.
      tables.environment.resetReadTxn();
      hooks.ended();
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxGroupSize);
      waiting = waiting.slice(maxGroupSize);
      try {
        await commit(group);
        for (const job of group) job.resolve();
      } catch (error) {
        for (const job of group) job.reject(error);
      }
    }
    running = false;
  }

  return {
    submit: <Result>(work: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        let result: Result;
        waiting.push({
          run: () => {
            result = work();
          },
          resolve: () => resolve(result),
          reject,
        });
        if (running) return;
        running = true;
        setImmediate(() => void run());
      }),
  };
}
