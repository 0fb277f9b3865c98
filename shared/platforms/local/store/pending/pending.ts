import type { TableOperation, Tables } from '../tables.ts';
import { type ApplicationContext, openApplication } from './application.ts';
import { openCommitPath } from './commit-path.ts';
import type { Layer } from './layer.ts';
import { layTables } from './layered-tables.ts';
import { lengthOf, loadOf, openParts } from './parts.ts';

/** Sizes of what is pending, and counts since the store was opened. */
export interface PendingStatistics {
  /** Bytes of the log that the tables do not have yet. */
  readonly pendingBytes: number;
  /** How often pending operations were applied. */
  readonly applications: number;
}

/** How a commit is made durable. */
export interface CommitWay {
  readonly jobs: number;
  readonly blocks: boolean;
}

/** Operations that are durable by the log, and in memory until the tables have them. */
export interface Pending {
  /** The tables with them. */
  readonly tables: Tables;
  /**
   * Makes operations durable, all or none, and then visible. There is one call at a time.
   *
   * @param way the number of pieces of work that share the commit, and whether the event loop waits for the disk
   * @throws the error of the disk; nothing was stored then
   */
  write(operations: readonly TableOperation[], way: CommitWay): Promise<void>;
  /** Returns copies of the layers over the tables; they do not change. */
  copyLayers(): readonly Layer[];
  /** Returns the bytes of the disk that applying may take. */
  reservedBytes(): number;
  statistics(): PendingStatistics;
  /** Applies everything. */
  close(): Promise<void>;
}

/**
 * Holds operations between log and tables. They are applied in large commits in the background: a page of the tables that
 * many commits would write is then written once. While one part is applied, another one takes new operations.
 */
export function openPending(options: Omit<ApplicationContext, 'parts'>): Pending {
  const { stored, log, limits } = options;
  const parts = openParts();
  const application = openApplication({ ...options, parts });
  const path = openCommitPath();

  const isFull = () => loadOf(parts.active()) >= limits.mostBytes;

  /** Waits until there is room for a write; throws the reason why there will be none. */
  async function makeRoom(): Promise<void> {
    while (isFull() || application.hasFailed()) {
      const failure = await application.start();
      if (failure !== undefined) throw failure;
    }
  }

  async function append(operations: readonly TableOperation[], blocks: boolean): Promise<void> {
    const bytes = await log?.append(operations, blocks);
    parts.add(operations, bytes ?? lengthOf(operations));
  }

  return {
    tables: layTables(stored, parts.layers),
    write: async (operations, { jobs, blocks }) => {
      checkKeys(operations);
      if (path.isDirect(operations, jobs)) return application.applyWith(operations);
      await makeRoom();
      await application.holdFor(() => append(operations, blocks));
    },
    copyLayers: () => parts.layers().map((layer) => layer.copy()),
    reservedBytes: () => parts.active().reservedBytes + (parts.applying()?.reservedBytes ?? 0),
    statistics: () => ({
      pendingBytes: parts.active().bytes + (parts.applying()?.bytes ?? 0),
      applications: parts.applied(),
    }),
    close: async () => {
      await application.end();
      log?.close();
    },
  };
}

const mostKeyBytes = 1978; // in LMDB
const mostBytesOfUnit = 3; // in UTF-8

/** Checks that the tables will take operations: once they are in the log, there is no way back. */
function checkKeys(operations: readonly TableOperation[]): void {
  for (const { key } of operations) {
    const isShort = key.length * mostBytesOfUnit <= mostKeyBytes;
    if (key === '' || (!isShort && Buffer.byteLength(key) > mostKeyBytes)) {
      throw new Error(`nothing was written: a key of ${Buffer.byteLength(key)} bytes`);
    }
  }
}
