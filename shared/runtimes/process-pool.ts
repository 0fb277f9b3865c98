import assert from 'node:assert/strict';
import { inBackground, neverRejects } from '../values/promises/in-background.ts';
import {
  type BusyProcess,
  type Demand,
  judgeMs,
  openDemand,
  type WaitingJob,
} from './process-demand.ts';

/** A process in a pool. */
export interface Worker {
  /** Resolves when the process can run jobs, or has ended. */
  readonly ready: Promise<unknown>;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<unknown>;
  /** Checks whether the process can run another job. False once it has ended. */
  isReusable(): boolean;
  /** Returns the reason why the process ended before it was ready. */
  failureReason(): string;
  /** Kills the process and all its child processes. */
  kill(): void;
}

/**
 * Processes that are kept for later jobs of the same key.
 *
 * The number of processes, including starting and ending ones, is at most the cap plus one spare per runtime. A spare
 * is an unused process for the next key that has none. To make room, the pool kills the least recently used idle
 * process; it never kills a starting, taken or spare one.
 */
export interface Pool<Members extends MembersByRuntime> {
  /**
   * Takes a process: an idle one of `key`, otherwise an unused one. Waits while `cap` processes are taken, and shortly
   * for a busy process of `key` if the runtime is `patient`.
   *
   * @throws Error when the process could not be started
   */
  take<Runtime extends keyof Members & string>(
    key: string,
    runtime: Runtime,
  ): Promise<Taken<Members[Runtime]>>;
  /** Checks for a process that has run a job of the key, or is about to. */
  has(key: string): boolean;
  /** Returns the number of processes, including starting and ending ones. */
  size(): number;
  /** Kills all processes; resolves when they have ended. */
  close(): Promise<void>;
}

/** The type of the processes of each runtime. */
export type MembersByRuntime = Readonly<Record<string, Worker>>;

/** A taken process. */
export interface Taken<Member> {
  readonly worker: Member;
  /** True when the process has run a job of the key before. */
  readonly isWarm: boolean;
  /** Returns the process to the pool. Call it once, after the job. */
  release(): void;
}

export interface PoolOptions<Members extends MembersByRuntime> {
  /** Functions that start a process of each runtime; they reject when it cannot be started. */
  readonly start: { readonly [Runtime in keyof Members]: () => Promise<Members[Runtime]> };
  /** Maximum number of processes without spares, 1 or more. */
  readonly cap: number;
  /** Milliseconds after which an idle process is killed. */
  readonly idleMs: number;
  /** When false, the pool has no spares. Default true. */
  readonly keepsSpares?: boolean;
  /** Runtimes whose processes are mostly taken for milliseconds and reused, so that jobs may wait for one. Default none. */
  readonly patient?: readonly (keyof Members)[];
  /** Called when a spare could not be started; later calls of `take` throw the same error. */
  readonly onFailedSpare?: (error: unknown) => void;
}

interface Entry extends BusyProcess {
  readonly runtime: string;
  /** Undefined until the first use. */
  key: string | undefined;
  phase: 'starting' | 'idle' | 'taken' | 'ending';
  /** True until the process is taken for the first time. Spares are counted separately. */
  isSpare: boolean;
  idleTimer: NodeJS.Timeout | undefined;
  readonly started: Promise<Worker>;
  worker: Worker | undefined;
  readyMs: number | undefined;
  takenMs: number;
}

interface Waiter extends WaitingJob {
  readonly runtime: string;
  /** Judges its wait for a busy process again. */
  timer: NodeJS.Timeout | undefined;
  take(claimed: { readonly entry: Entry; readonly isWarm: boolean }): void;
  reject(error: Error): void;
}

interface State {
  readonly start: Readonly<Record<string, () => Promise<Worker>>>;
  readonly cap: number;
  readonly idleMs: number;
  readonly keepsSpares: boolean;
  readonly patient: readonly PropertyKey[];
  readonly demand: Demand;
  readonly onFailedSpare: (error: unknown) => void;
  /** Least recently used first. */
  readonly entries: Set<Entry>;
  readonly waiters: Set<Waiter>;
  /** Runtimes that should have a spare. */
  readonly spareRuntimes: Set<string>;
  /** Called when the last process has ended. Set when the pool is closed. */
  onEmpty: (() => void) | undefined;
}

const closedText = 'the pool of processes is closed';

/** Opens a pool. The first call of `take` starts the first process. */
export function openPool<Members extends MembersByRuntime>(
  options: PoolOptions<Members>,
): Pool<Members> {
  const state: State = {
    keepsSpares: true,
    patient: [],
    demand: openDemand(),
    onFailedSpare: () => {},
    ...options,
    entries: new Set(),
    waiters: new Set(),
    spareRuntimes: new Set(),
    onEmpty: undefined,
  };
  return {
    take: async <Runtime extends keyof Members & string>(key: string, runtime: Runtime) =>
      (await take(state, key, runtime)) as Taken<Members[Runtime]>, // the type that `start` of the runtime returns
    has: (key) => find(state, (each) => each.key === key && each.phase !== 'ending') !== undefined,
    size: () => state.entries.size,
    close: () => close(state),
  };
}

async function take(state: State, key: string, runtime: string): Promise<Taken<Worker>> {
  if (state.onEmpty !== undefined) throw new Error(closedText);
  const { entry, isWarm } = await new Promise<Parameters<Waiter['take']>[0]>((resolve, reject) => {
    const sinceMs = performance.now();
    state.waiters.add({ key, runtime, sinceMs, timer: undefined, take: resolve, reject });
    advance(state);
  });
  const worker = isWarm && entry.worker ? entry.worker : await becomeReady(entry);
  return { worker, isWarm, release: () => release(state, entry, worker) };
}

/** Serves as many waiters as possible, then starts missing spares. Called after each change. */
function advance(state: State): void {
  makeRoom(state, serveWaiters(state) + openMissingSpares(state));
}

/** Returns the number of waiters that need a process which does not exist. */
function serveWaiters(state: State): number {
  let missing = 0;
  for (const waiter of state.waiters) {
    const own = findIdle(state, waiter);
    if (own === undefined && waitsForBusy(state, waiter)) continue;
    const entry = own ?? findUnused(state, waiter.runtime);
    if (entry === undefined) missing += 1;
    else serve(state, waiter, entry);
  }
  return missing;
}

/** Returns the number of spares that there is no room for. */
function openMissingSpares(state: State): number {
  let missing = 0;
  for (const runtime of state.spareRuntimes) {
    if (find(state, (entry) => entry.isSpare && entry.runtime === runtime)) continue;
    if (countOrdinary(state) <= state.cap) openSpare(state, runtime);
    else missing += 1;
  }
  return missing;
}

function findIdle(state: State, { key, runtime }: Waiter): Entry | undefined {
  return findLast(state, (each) => isIdle(each) && each.key === key && each.runtime === runtime);
}

/** Returns a spare, or else opens a process if there is room. */
function findUnused(state: State, runtime: string): Entry | undefined {
  const spare = find(state, (each) => each.isSpare && isHealthy(each) && each.runtime === runtime);
  if (spare !== undefined || countOrdinary(state) >= state.cap) return spare;
  return open(state, runtime, false);
}

/** Checks whether a job waits for a busy process of its key, and judges that again later. */
function waitsForBusy(state: State, waiter: Waiter): boolean {
  if (!state.patient.includes(waiter.runtime)) return false;
  const own = [...state.entries].filter(({ key }) => key === waiter.key);
  const busy = own.filter(({ phase }) => phase === 'taken');
  if (!state.demand.mayWait(waiter, busy)) return false;
  waiter.timer ??= setTimeout(() => {
    waiter.timer = undefined;
    if (state.onEmpty === undefined) advance(state);
  }, judgeMs);
  return true;
}

function serve(state: State, waiter: Waiter, entry: Entry): void {
  state.waiters.delete(waiter);
  clearTimeout(waiter.timer);
  clearTimeout(entry.idleTimer);
  const isWarm = entry.key === waiter.key;
  if (isWarm) state.demand.countWait(waiter);
  else state.demand.forget(waiter.key);
  if (state.keepsSpares && !isWarm) state.spareRuntimes.add(entry.runtime); // for the next new key
  entry.key = waiter.key;
  entry.isSpare = false;
  entry.phase = 'taken';
  entry.takenMs = performance.now();
  waiter.take({ entry, isWarm });
}

/** Kills idle processes until as many as are missing are ending. */
function makeRoom({ entries }: State, missing: number): void {
  let ending = [...entries].filter(({ phase, isSpare }) => phase === 'ending' && !isSpare).length;
  for (const entry of entries) {
    if (ending >= missing) return;
    if (entry.phase !== 'idle' || entry.isSpare) continue;
    end(entry);
    ending += 1;
  }
}

function open(state: State, runtime: string, isSpare: boolean): Entry {
  const { start, cap, entries, keepsSpares } = state;
  const maxEntries = cap + (keepsSpares ? Object.keys(start).length : 0);
  assert(entries.size < maxEntries, 'a pool would have more processes than it may');
  const starter = start[runtime];
  assert(starter !== undefined, `a pool has no runtime ${runtime}`);
  const started = starter();
  const entry: Entry = {
    runtime,
    key: undefined,
    phase: 'starting',
    isSpare,
    idleTimer: undefined,
    started,
    worker: undefined,
    readyMs: undefined,
    takenMs: 0,
  };
  entries.add(entry);
  const listen = (worker: Worker) => {
    entry.worker = worker;
    if (entry.phase === 'ending') worker.kill();
    neverRejects(worker.ended.then(() => removeEntry(state, entry)));
  };
  neverRejects(started.then(listen, () => removeEntry(state, entry)));
  return entry;
}

function openSpare(state: State, runtime: string): void {
  const entry = open(state, runtime, true);
  const keep = () => {
    if (entry.phase === 'starting') makeIdle(state, entry);
  };
  inBackground(becomeReady(entry).then(keep), (error) => {
    if (!entry.isSpare) return; // `take` throws the error
    state.spareRuntimes.delete(runtime);
    if (state.onEmpty === undefined) state.onFailedSpare(error);
  });
}

async function becomeReady(entry: Entry): Promise<Worker> {
  const worker = await entry.started;
  await worker.ready;
  entry.readyMs ??= performance.now();
  if (worker.isReusable()) return worker;
  end(entry);
  throw new Error(`a process could not be started: ${worker.failureReason()}`);
}

/** Kills a process. It is counted until it has ended. */
function end(entry: Entry): void {
  clearTimeout(entry.idleTimer);
  entry.phase = 'ending';
  entry.worker?.kill();
}

function removeEntry(state: State, entry: Entry): void {
  clearTimeout(entry.idleTimer);
  entry.phase = 'ending';
  state.entries.delete(entry);
  const { key } = entry;
  if (key !== undefined && !find(state, (each) => each.key === key)) state.demand.forget(key);
  if (state.onEmpty === undefined) advance(state);
  else if (state.entries.size === 0) state.onEmpty();
}

/** Makes a process idle until its next job. */
function makeIdle({ entries, spareRuntimes, idleMs }: State, entry: Entry): void {
  entry.phase = 'idle';
  entries.delete(entry);
  entries.add(entry);
  entry.idleTimer = setTimeout(() => {
    if (entry.isSpare) spareRuntimes.delete(entry.runtime);
    end(entry);
  }, idleMs).unref();
}

function release(state: State, entry: Entry, worker: Worker): void {
  if (entry.phase !== 'taken') return; // the process has ended
  if (state.onEmpty === undefined && worker.isReusable()) makeIdle(state, entry);
  else end(entry);
  if (state.onEmpty === undefined) advance(state);
}

async function close(state: State): Promise<void> {
  const empty = new Promise<void>((resolve) => {
    state.onEmpty = resolve;
  });
  for (const { reject } of state.waiters) reject(new Error(closedText));
  state.waiters.clear();
  for (const entry of state.entries) end(entry);
  if (state.entries.size > 0) await empty;
}

function isHealthy({ phase, worker }: Entry): boolean {
  return phase !== 'ending' && (worker === undefined || worker.isReusable());
}

function isIdle(entry: Entry): boolean {
  return entry.phase === 'idle' && isHealthy(entry);
}

function find({ entries }: State, test: (entry: Entry) => boolean): Entry | undefined {
  for (const entry of entries) if (test(entry)) return entry;
  return undefined;
}

/** Returns the most recently used process, whose code and data are likely in the CPU caches. */
function findLast({ entries }: State, test: (entry: Entry) => boolean): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) if (test(entry)) found = entry;
  return found;
}

/** Counts processes that are not spares, including starting and ending ones. */
function countOrdinary({ entries }: State): number {
  return [...entries].filter(({ isSpare }) => !isSpare).length;
}
