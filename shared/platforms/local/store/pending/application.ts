import type { Log } from '../../../../ports/ports.ts';
import { ApiError } from '../../../../values/errors/errors.ts';
import { neverRejects } from '../../../../values/promises/in-background.ts';
import { formatState, type StoreLog } from '../log/log.ts';
import type { StorageTrouble } from '../storage-trouble.ts';
import { commitOperations, type StoredTables, type TableOperation } from '../tables.ts';
import { applyLayer } from './apply.ts';
import { loadOf, type Parts } from './parts.ts';

/** When pending operations are applied. */
export interface ApplicationLimits {
  /** Milliseconds after the first one. */
  readonly delayMs: number;
  /** Bytes of log after which they are applied at once; an operation counts as 512 at least. */
  readonly bytes: number;
  /** Bytes at which writers wait. */
  readonly mostBytes: number;
}

export const applicationLimits: ApplicationLimits = {
  delayMs: 250,
  bytes: 1_048_576,
  mostBytes: 3_145_728,
};

const retryMs = 1000; // after an application that failed
const heldMs = 1; // after a start that a write held up

/** Dependencies of the application. */
export interface ApplicationContext {
  readonly stored: StoredTables;
  /** Absent: what is not applied is lost with the process. */
  readonly log: StoreLog | undefined;
  readonly parts: Parts;
  readonly limits: ApplicationLimits;
  readonly trouble: StorageTrouble;
  readonly lines: Log;
}

/** Applies pending operations in the background. */
export interface BackgroundApplication {
  /** Starts now, unless one is running; returns its error when it ends, undefined when it succeeded. */
  start(): Promise<unknown>;
  /** Runs a write to the log, which none starts in: the log changes its file at a start. Plans the next one. */
  holdFor(write: () => Promise<void>): Promise<void>;
  /**
   * Applies everything and then other operations: these in one commit, so all or none.
   *
   * @throws the error of the disk or of LMDB
   */
  applyWith(operations: readonly TableOperation[]): Promise<void>;
  /** Checks whether the last one failed: the disk is full, or the store damaged. */
  hasFailed(): boolean;
  /** Applies everything, or as much as the disk takes. */
  end(): Promise<void>;
}

/** Opens the application: it runs some time after the first pending operation, or when there are many. */
export function openApplication(context: ApplicationContext): BackgroundApplication {
  const { parts, limits } = context;
  let running: Promise<unknown> | undefined;
  const timer = openTimer(startUnlessHeld);
  let isHeld = false;
  let hasFailed = false;

  function start(): Promise<unknown> {
    timer.cancel();
    running ??= run().finally(() => {
      running = undefined;
      plan();
    });
    return running;
  }

  async function run(): Promise<unknown> {
    const failure = await applyPart(context).catch((error: unknown) => report(context, error));
    hasFailed = failure !== undefined;
    return failure;
  }

  function plan(): void {
    if (running !== undefined) return;
    if (hasFailed) timer.startIn(retryMs);
    else if (loadOf(parts.active()) >= limits.bytes) startUnlessHeld();
    else if (parts.active().bytes > 0) timer.startIn(limits.delayMs);
  }

  function startUnlessHeld(): void {
    if (isHeld) timer.startIn(heldMs);
    else neverRejects(start());
  }

  function release(): void {
    isHeld = false;
    plan();
  }

  async function settle(): Promise<void> {
    while (running !== undefined) await running;
    timer.cancel();
  }

  return {
    start,
    holdFor: async (write) => {
      isHeld = true;
      await write().finally(release);
    },
    applyWith: async (operations) => {
      await settle();
      await applyAll(context, operations).finally(plan);
      hasFailed = false;
    },
    hasFailed: () => running === undefined && hasFailed,
    end: async () => {
      await settle();
      while (hasMore(parts) && (await run()) === undefined) {}
    },
  };
}

function openTimer(callback: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Starts it, unless it runs or is never to end. */
    startIn: (ms: number) => {
      if (timer !== undefined || ms === Number.POSITIVE_INFINITY) return;
      timer = setTimeout(() => {
        timer = undefined;
        callback();
      }, ms).unref();
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Applies a part that failed before, or else the active one. */
async function applyPart({ stored, log, parts, trouble }: ApplicationContext): Promise<void> {
  trouble.checkWritable();
  if (parts.applying() === undefined) {
    log?.switchFile();
    parts.take(log && formatState(log.state()));
  }
  const part = parts.applying();
  if (part === undefined) return;
  await applyLayer(stored, part);
  // A reader must not continue with a snapshot from before the commit, without the layer over it.
  stored.environment.resetReadTxn();
  parts.drop();
}

function hasMore(parts: Parts): boolean {
  return parts.applying() !== undefined || parts.active().bytes > 0;
}

/** Applies everything, and then more operations in a commit of their own: a layer over some would hide their change. */
async function applyAll(context: ApplicationContext, more: readonly TableOperation[]) {
  while (hasMore(context.parts)) await applyPart(context);
  await commitOperations(context.stored, lastOfEach(more));
  context.stored.environment.resetReadTxn();
}

/** Returns the last operation of each key: LMDB never writes pages of a value that is replaced in the same commit. */
function lastOfEach(operations: readonly TableOperation[]): Iterable<TableOperation> {
  return new Map(operations.map((each) => [`${each.table} ${each.key}`, each])).values();
}

/** Logs why it failed; returns the error for writers. What is pending is durable by the log. */
function report({ parts, trouble, lines }: ApplicationContext, error: unknown): unknown {
  if (error instanceof ApiError) return error; // the tables are damaged, which was logged
  const failure = trouble.translate(error, parts.applying()?.reservedBytes);
  if (failure === error) {
    const message = 'stored data could not leave the log: it is tried again';
    lines({ level: 'error', message, cause: error });
  }
  return failure;
}
