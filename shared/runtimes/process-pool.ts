import assert from 'node:assert/strict';
import { inBackground, neverRejects } from '../values/promises/in-background.ts';

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
   * Takes a process: an idle one of `key`, otherwise an unused one. Waits while `cap` processes are taken.
   *
   * @throws Error when the process could not be started
   */
  take<Runtime extends keyof Members & string>(
    key: string,
    runtime: Runtime,
  ): Promise<Taken<Members[Runtime]>>;
  /** Checks for an idle process that has run a job of the key. */
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
  /** Called when a spare could not be started; later calls of `take` throw the same error. */
  readonly onFailedSpare?: (error: unknown) => void;
}

interface Entry {
  readonly runtime: string;
  /** Undefined until the first use. */
  key: string | undefined;
  phase: 'starting' | 'idle' | 'taken' | 'ending';
  /** True until the process is taken for the first time. Spares are counted separately. */
  isSpare: boolean;
  idleTimer: NodeJS.Timeout | undefined;
  readonly started: Promise<Worker>;
  worker: Worker | undefined;
}

interface Waiter {
  readonly key: string;
  readonly runtime: string;
  take(entry: Entry): void;
  reject(error: Error): void;
}

interface State {
  readonly start: Readonly<Record<string, () => Promise<Worker>>>;
  readonly cap: number;
  readonly idleMs: number;
  readonly keepsSpares: boolean;
  readonly onFailedSpare: (error: unknown) => void;
  /** Least recently used first. */
  readonly entries: Set<Entry>;
  readonly waiters: Set<Waiter>;
  /** Runtimes that should have a spare. */
  readonly spareRuntimes: Set<string>;
  /** Called when the last process has ended. Set when the pool is closed. */
  onEmpty: (() => void) | undefined;
}

/** Opens a pool. The first call of `take` starts the first process. */
export function openPool<Members extends MembersByRuntime>(
  options: PoolOptions<Members>,
): Pool<Members> {
  const state: State = {
    keepsSpares: true,
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
    has: (key) => find(state, (entry) => entry.phase === 'idle' && entry.key === key) !== undefined,
    size: () => state.entries.size,
    close: () => close(state),
  };
}

async function take(state: State, key: string, runtime: string): Promise<Taken<Worker>> {
  if (state.onEmpty !== undefined) throw closedError();
  const entry = await new Promise<Entry>((resolve, reject) => {
    state.waiters.add({ key, runtime, take: resolve, reject });
    advance(state);
  });
  const isWarm = entry.key === key;
  entry.key = key;
  const worker = isWarm && entry.worker ? entry.worker : await becomeReady(entry);
  return { worker, isWarm, release: () => release(state, entry, worker) };
}

function closedError(): Error {
  return new Error('the pool of processes is closed');
}

/** Serves as many waiters as possible, then starts missing spares. Called after each change. */
function advance(state: State): void {
  let missing = 0;
  for (const waiter of state.waiters) {
    const entry = findFor(state, waiter) ?? openIfRoom(state, waiter.runtime);
    if (entry === undefined) missing += 1;
    else {
      state.waiters.delete(waiter);
      claim(state, entry);
      waiter.take(entry);
    }
  }
  for (const runtime of state.spareRuntimes) {
    if (find(state, (entry) => entry.isSpare && entry.runtime === runtime)) continue;
    if (countOrdinary(state) <= state.cap) openSpare(state, runtime);
    else missing += 1;
  }
  makeRoom(state, missing);
}

function findFor(state: State, { key, runtime }: Waiter): Entry | undefined {
  return (
    findLast(state, (each) => isIdle(each) && each.key === key && each.runtime === runtime) ??
    find(state, (each) => each.isSpare && isHealthy(each) && each.runtime === runtime)
  );
}

function openIfRoom(state: State, runtime: string): Entry | undefined {
  return countOrdinary(state) < state.cap ? open(state, runtime, false) : undefined;
}

function claim({ keepsSpares, spareRuntimes }: State, entry: Entry): void {
  clearTimeout(entry.idleTimer);
  if (keepsSpares && entry.key === undefined) spareRuntimes.add(entry.runtime); // for the next new key
  entry.isSpare = false;
  entry.phase = 'taken';
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
  for (const { reject } of state.waiters) reject(closedError());
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
  let count = 0;
  for (const { isSpare } of entries) if (!isSpare) count += 1;
  return count;
}
