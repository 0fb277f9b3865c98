import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangeFilter } from '../../../jobs/change-feed.ts';
import type { Log } from '../../../ports/ports.ts';
import type { ConditionFailed, Store, Transaction } from '../../../store/store.ts';
import { lastNumber } from '../../../table/counters.ts';
import { ApiError } from '../../../values/errors/errors.ts';
import { createItemCache, defaultCacheBytes } from './cache/item-cache.ts';
import {
  createGroupCommit,
  type GroupCommit,
  type ReadItem,
  type TaskResult,
  type Work,
} from './commit.ts';
import { openCommitMode } from './commit-mode.ts';
import { createCounters } from './counters.ts';
import { type Feed, openFeed } from './feed.ts';
import { type LogDisk, machineDisk } from './log/disk.ts';
import { openLog, type StoreLog } from './log/log.ts';
import { type ApplicationLimits, applicationLimits } from './pending/application.ts';
import { openPending, type PendingStatistics } from './pending/pending.ts';
import { recoverLog } from './pending/recover.ts';
import { createReader, openSnapshot, sortKeysOf } from './read.ts';
import { openStatistics, type StoreStatistics } from './statistics.ts';
import { watchStorage } from './storage-trouble.ts';
import { openTables, type StoredTables } from './tables.ts';
import {
  type PlanContext,
  type PreparedTransaction,
  planSweep,
  planTransaction,
  prepareTransaction,
} from './write.ts';

const sweepIntervalMs = 60_000;

export interface StoreOptions {
  /** Epoch milliseconds; determines which items have expired. */
  readonly now: () => number;
  /** Changes that go into the feed; none when absent. */
  readonly watches?: readonly ChangeFilter[];
  /** Receives lines about a full disk and damage; none are logged when absent. */
  readonly log?: Log;
  /** Approximate heap for items that were read or written recently; 128 MB when absent. */
  readonly cacheBytes?: number | undefined;
  /** When written data leaves the log for the tables. */
  readonly limits?: ApplicationLimits;
}

/** The store of one machine. */
export interface LocalStore extends Store {
  readonly feed: Feed;
  /** Returns the sizes of the store and its counts of commits. */
  statistics(): StoreStatistics & PendingStatistics;
  /** Returns the first sort keys of a partition, without reading its items. */
  sortKeys(pk: string, limit: number): readonly string[];
}

/**
 * Opens the store in a separate folder, which is created when absent. No other process may use the folder.
 *
 * @throws Error when the folder holds something else, or a damaged file
 */
export async function openStore(
  options: StoreOptions & { readonly path: string; readonly disk?: LogDisk },
): Promise<LocalStore> {
  const { path: folder, disk = machineDisk } = options;
  const stored = openTables({ folder, durable: true });
  try {
    const log = openLog(folder, disk, await recoverLog(stored, { folder, disk }));
    return createStore({ folder, stored, log }, options);
  } catch (error) {
    await stored.close();
    throw error;
  }
}

/** Opens an empty store that is lost on close or process end; fast, but not crash-safe. */
export async function openTemporaryStore(options: StoreOptions): Promise<LocalStore> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const stored = openTables({ folder, durable: false });
  const store = createStore({ folder, stored, log: undefined }, options);
  return {
    ...store,
    close: async () => {
      await store.close();
      process.off('exit', remove);
      remove();
    },
  };
}

interface StoreParts {
  readonly folder: string;
  readonly stored: StoredTables;
  /** Absent: nothing is durable. */
  readonly log: StoreLog | undefined;
}

function createStore({ folder, stored, log }: StoreParts, options: StoreOptions): LocalStore {
  const { now: nowMs, watches = [], cacheBytes = defaultCacheBytes } = options;
  const { log: lines = () => undefined, limits = applicationLimits } = options;
  const trouble = watchStorage(folder, lines);
  const pending = openPending({ stored, log, limits, trouble, lines });
  const { tables } = pending;
  const now = () => nowMs() / 1000;
  const feed = openFeed(tables, watches);
  const cache = createItemCache(cacheBytes);
  const counters = createCounters(tables);
  const statistics = openStatistics(folder, stored);
  const mode = statistics.timing(openCommitMode(() => performance.now()));
  const commits = createGroupCommit({ pending, cache, counters, feed, mode, trouble });
  const sweeper = startSweeper(() => commits.submit((read) => planSweep(tables, read, now)));
  const reader = createReader({ tables, cache, now });
  const translated = (error: unknown): never => {
    throw trouble.translate(error);
  };
  let closing: Promise<void> | undefined;

  const checkOpen = () => {
    if (closing !== undefined) throw new Error('the store is closed');
  };

  async function close(): Promise<void> {
    await sweeper.stop();
    try {
      await commits.submit(() => ({ operations: [], result: undefined })); // the last one: saves the counters
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // a full disk and damage were logged
    }
    await pending.close();
    await stored.close();
  }

  return {
    feed: feed.reader(commits.carry),
    statistics: () => ({ ...statistics.read(), ...pending.statistics() }),
    sortKeys: (pk, limit) => sortKeysOf(tables, pk, limit),
    get: (keys) => {
      mode.read();
      return reader.get(keys).catch(translated);
    },
    query: (query) => {
      mode.read();
      return reader.query(query).catch(translated);
    },
    isNear: true,
    checkWritable: () => {
      trouble.checkWritable();
      trouble.checkSpace(pending.reservedBytes());
    },
    openSnapshot: () => openSnapshot(stored, pending.copyLayers()),
    ...createWriter(commits, checkOpen, { now, feed, counters }),
    next: async (counter, count = 1, most = lastNumber(counter)) =>
      counters.take(counter, count, most),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function createWriter(
  commits: GroupCommit,
  checkOpen: () => void,
  context: Omit<PlanContext, 'read'>,
): Pick<Store, 'write' | 'writeAll'> {
  const { now, feed, counters } = context;
  const plan = (prepared: PreparedTransaction, read: ReadItem) =>
    planTransaction(prepared, { read, now, feed, counters });

  async function writeTogether(transactions: readonly Transaction[]) {
    checkOpen();
    return commits.submitAll(transactions.map(toWork));
  }

  /** Encodes a transaction, now; an error is that of its work. */
  function toWork(transaction: Transaction): Work<ConditionFailed | undefined> {
    try {
      const prepared = prepareTransaction(transaction);
      return (read) => plan(prepared, read);
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  return {
    write: async (transaction) => {
      checkOpen();
      const prepared = prepareTransaction(transaction);
      const failure = await commits.submit((read) => plan(prepared, read));
      if (failure !== undefined) throw failure;
    },
    writeAll: (transactions) => {
      const writing = writeTogether(transactions);
      return transactions.map((_, at) => writing.then((outcomes) => checkOutcome(outcomes[at])));
    },
  };
}

/** Throws the error of a transaction that was not applied. */
function checkOutcome(outcome: TaskResult<ConditionFailed | undefined> | undefined): void {
  if (outcome === undefined || 'error' in outcome) throw outcome?.error;
  if (outcome.result !== undefined) throw outcome.result;
}

/** Removes expired items, now and each minute, in steps that let other work run in between. */
function startSweeper(step: () => Promise<boolean>): { stop(): Promise<void> } {
  let stopped = false;
  let running: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    while (!stopped && (await step())) {}
  }

  function start(): void {
    running ??= sweep()
      // Errors of the disk are reported by the writes of clients; the sweeper tries again.
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
  }

  start();
  const timer = setInterval(start, sweepIntervalMs);
  timer.unref();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
