import type { Log as Lines } from '../../../../ports/ports.ts';
import { formatState, type Log } from '../log/log.ts';
import type { StorageTrouble } from '../storage-trouble.ts';
import {
  commitOperations,
  type StoredTables,
  type TableOperation,
  type Tables,
} from '../tables.ts';
import { createLayer, type Layer } from './layer.ts';
import { layTables } from './layered-tables.ts';
import { lengthOf, reservedFor } from './reserved-bytes.ts';

/** When pending operations are applied. */
export interface ApplicationLimits {
  /** Milliseconds after the first one. */
  readonly delayMs: number;
  /** Bytes of log after which they are applied at once. */
  readonly bytes: number;
  /** Bytes of log at which writers wait. */
  readonly mostBytes: number;
}

export const applicationLimits: ApplicationLimits = {
  delayMs: 250,
  bytes: 1_048_576,
  mostBytes: 4_194_304,
};

/** Operations of one commit when they are applied: planning it blocks the event loop for a millisecond. */
const chunkSize = 2000;
const retryMs = 1000; // after an application that failed

/** Key of the counters table with the state of the log. */
export const logStateKey = 'LOG';

/** Sizes of what is not applied, and counts since the store was opened. */
export interface PendingStatistics {
  /** Bytes of the log that the tables do not have yet. */
  readonly pendingBytes: number;
  readonly applications: number;
}

/** Operations that are durable by the log, and in memory until the tables have them. */
export interface Pending {
  /** The tables with them. */
  readonly tables: Tables;
  /**
   * Makes operations durable, all or none, and then visible. There is one call at a time.
   *
   * @param blocks whether the event loop waits for the disk
   * @throws the error of the disk; nothing was stored then
   */
  write(operations: readonly TableOperation[], blocks: boolean): Promise<void>;
  /** Returns copies of the layers, which do not change. */
  copyLayers(): readonly Layer[];
  /** Returns the bytes of the disk that applying may take. */
  reservedBytes(): number;
  statistics(): PendingStatistics;
  /** Applies everything. */
  close(): Promise<void>;
}

export interface PendingOptions {
  readonly stored: StoredTables;
  /** Absent: what is not applied is lost with the process. */
  readonly log: Log | undefined;
  readonly limits: ApplicationLimits;
  readonly trouble: StorageTrouble;
  readonly lines: Lines;
}

/**
 * Holds operations between log and tables. They are applied in large commits in the background: a page of the tables that
 * many commits would write is then written once. While one layer is applied, another takes new operations.
 */
export function openPending(options: PendingOptions): Pending {
  const { stored, log, limits, trouble, lines } = options;
  let active = emptyPart();
  let applying: Part | undefined; // with the operations of the other file of the log
  let application: Promise<unknown> | undefined; // resolves with the error of one that failed
  let timer: NodeJS.Timeout | undefined;
  let isAppending = false;
  let isDue = false;
  let applications = 0;

  let layers: readonly Layer[] = [active.layer]; // the newest first

  /** Starts to apply, now or after the write that is in progress: the log changes files between two records. */
  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    isDue = isAppending;
    if (isDue) return;
    application ??= apply().finally(() => {
      application = undefined;
      planNext();
    });
  }

  async function apply(): Promise<unknown> {
    try {
      applying ??= takeActive();
      await applyLayer(stored, applying);
      // A reader must not continue with a snapshot from before the commit, without the layer over it.
      stored.environment.resetReadTxn();
      applying = undefined;
      layers = [active.layer];
      applications += 1;
      return undefined;
    } catch (error) {
      const cause = trouble.translate(error, applying?.reserved);
      if (cause === error) {
        lines({ level: 'error', message: 'stored data waits in the log: applying failed', cause });
      }
      return cause;
    }
  }

  function takeActive(): Part {
    log?.switchFile();
    const part = { ...active, state: log && formatState(log.state()) };
    active = emptyPart();
    layers = [active.layer, part.layer];
    return part;
  }

  function planNext(): void {
    if (applying !== undefined) timer ??= setTimeout(start, retryMs).unref();
    else if (active.bytes >= limits.bytes) start();
    else if (active.bytes > 0) timer ??= setTimeout(start, limits.delayMs).unref();
  }

  /** Waits until there is room for a write. */
  async function makeRoom(): Promise<void> {
    for (;;) {
      if (active.bytes >= limits.mostBytes) start();
      if (active.bytes < limits.mostBytes) return;
      const failure = await application;
      if (failure !== undefined) throw failure;
    }
  }

  async function append(operations: readonly TableOperation[], blocks: boolean): Promise<void> {
    isAppending = true;
    try {
      const bytes = await log?.append(operations, blocks);
      active.layer.add(operations);
      active.bytes += bytes ?? lengthOf(operations);
      active.reserved += reservedFor(operations);
    } finally {
      isAppending = false;
      if (isDue) start();
      else planNext();
    }
  }

  return {
    tables: layTables(stored, () => layers),
    write: async (operations, blocks) => {
      await makeRoom();
      await append(operations, blocks);
    },
    copyLayers: () => layers.map((layer) => layer.copy()),
    reservedBytes: () => active.reserved + (applying?.reserved ?? 0),
    statistics: () => ({ pendingBytes: active.bytes + (applying?.bytes ?? 0), applications }),
    close: async () => {
      await application;
      while (applying !== undefined || active.bytes > 0) {
        start();
        if ((await application) !== undefined) break; // it was logged, and the log has what is missing
      }
      clearTimeout(timer);
      log?.close();
    },
  };
}

/** Operations that are applied together. */
interface Part {
  readonly layer: Layer;
  /** Bytes of their records. */
  bytes: number;
  /** Bytes of the disk that they may take. */
  reserved: number;
  /** State of the tables with them; undefined without a log. */
  readonly state: string | undefined;
}

function emptyPart(): Part {
  return { layer: createLayer(), bytes: 0, reserved: 0, state: undefined };
}

/**
 * Applies operations, some in each commit, and the state with the last ones. What a crash leaves undone is done again
 * from the log: an operation may be applied twice.
 */
export async function applyLayer(
  stored: StoredTables,
  { layer, state }: Pick<Part, 'layer' | 'state'>,
): Promise<void> {
  let chunk: TableOperation[] = [];
  for (const operation of layer.operations()) {
    chunk.push(operation);
    if (chunk.length < chunkSize) continue;
    await commitOperations(stored, chunk);
    chunk = [];
  }
  if (state !== undefined) chunk.push({ table: 'counters', key: logStateKey, value: state });
  if (chunk.length > 0) await commitOperations(stored, chunk);
}
