import assert from 'node:assert/strict';

/** A process in a pool. */
export interface Worker {
  /** Resolves when it can work, or has ended. */
  readonly ready: Promise<unknown>;
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<unknown>;
  /** Checks whether it can work again. False once it has ended. */
  isReusable(): boolean;
  /** Returns why it ended before it could work. */
  complaint(): string;
  /** Ends it and all its child processes. */
  kill(): void;
}

/**
 * Processes that are kept warm for the next work of the same key.
 *
 * There are never more processes than the cap plus one spare per runtime, including those that start or end. A spare
 * has not been used yet and is for the next key without a process. To make room, the least recently used idle process
 * ends; a process that starts, works or is spare never does.
 */
export interface Pool<Members extends MembersByRuntime> {
  /**
   * Takes a process: an idle one of `key`, else an unused one. Waits while `cap` are taken.
   *
   * @throws Error when the process could not be started
   */
  take<Runtime extends keyof Members & string>(
    key: string,
    runtime: Runtime,
  ): Promise<Taken<Members[Runtime]>>;
  /** Number of processes, including those that start or end. */
  size(): number;
  /** Ends all processes; resolves when they have ended. */
  close(): Promise<void>;
}

/** The type of process of each runtime. */
export type MembersByRuntime = Readonly<Record<string, Worker>>;

/** A process that was taken. */
export interface Taken<Member> {
  readonly worker: Member;
  /** Whether it has worked for the key before. */
  readonly isWarm: boolean;
  /** To be called once, after the work. */
  release(): void;
}

export interface PoolOptions<Members extends MembersByRuntime> {
  /** Start a process of each runtime; they reject when none can be started. */
  readonly start: { readonly [Runtime in keyof Members]: () => Promise<Members[Runtime]> };
  /** Most processes in addition to spare ones, 1 or more. */
  readonly cap: number;
  /** Milliseconds until an idle process ends. */
  readonly idleMs: number;
  /** False: no spares. */
  readonly keepsSpares?: boolean;
  /** Called when a spare could not be started; later callers of `take` get the same error. */
  readonly onFailedSpare?: (error: unknown) => void;
}

interface Entry {
  readonly runtime: string;
  /** Undefined while it is unused. */
  key: string | undefined;
  phase: 'starting' | 'idle' | 'taken' | 'ending';
  /** Counted separately until it is taken for the first time. */
  isSpare: boolean;
  idleTimer: NodeJS.Timeout | undefined;
  readonly started: Promise<Worker>;
  worker: Worker | undefined;
}

interface Waiter {
  readonly key: string;
  readonly runtime: string;
  take(entry: Entry): void;
  refuse(error: Error): void;
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
  /** Runtimes that need a spare. */
  readonly wanted: Set<string>;
  /** Called when the last process has ended; set when the pool is closed. */
  onEmpty: (() => void) | undefined;
}

/** Opens a pool; it starts no process before the first is taken. */
export function openPool<Members extends MembersByRuntime>(
  options: PoolOptions<Members>,
): Pool<Members> {
  const state: State = {
    keepsSpares: true,
    onFailedSpare: () => {},
    ...options,
    entries: new Set(),
    waiters: new Set(),
    wanted: new Set(),
    onEmpty: undefined,
  };
  return {
    take: async <Runtime extends keyof Members & string>(key: string, runtime: Runtime) =>
      (await take(state, key, runtime)) as Taken<Members[Runtime]>, // the type that `start` of the runtime returns
    size: () => state.entries.size,
    close: () => close(state),
  };
}

async function take(state: State, key: string, runtime: string): Promise<Taken<Worker>> {
  if (state.onEmpty !== undefined) throw closedError();
  const entry = await new Promise<Entry>((resolve, reject) => {
    state.waiters.add({ key, runtime, take: resolve, refuse: reject });
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
  for (const runtime of state.wanted) {
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

function claim({ keepsSpares, wanted }: State, entry: Entry): void {
  clearTimeout(entry.idleTimer);
  if (keepsSpares && entry.key === undefined) wanted.add(entry.runtime); // the next new key needs one as well
  entry.isSpare = false;
  entry.phase = 'taken';
}

/** Ends idle processes until as many as are missing are about to end. */
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
  const most = cap + (keepsSpares ? Object.keys(start).length : 0);
  assert(entries.size < most, 'a pool would have more processes than it may');
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
  started.then(
    (worker) => {
      entry.worker = worker;
      if (entry.phase === 'ending') worker.kill();
      void worker.ended.then(() => forget(state, entry));
    },
    () => forget(state, entry),
  );
  return entry;
}

function openSpare(state: State, runtime: string): void {
  const entry = open(state, runtime, true);
  becomeReady(entry).then(
    () => {
      if (entry.phase === 'starting') rest(state, entry);
    },
    (error: unknown) => {
      if (!entry.isSpare) return; // its taker gets the error
      state.wanted.delete(runtime);
      if (state.onEmpty === undefined) state.onFailedSpare(error);
    },
  );
}

async function becomeReady(entry: Entry): Promise<Worker> {
  const worker = await entry.started;
  await worker.ready;
  if (worker.isReusable()) return worker;
  end(entry);
  throw new Error(`a process could not be started: ${worker.complaint()}`);
}

/** Ends a process, which counts until it has ended. */
function end(entry: Entry): void {
  clearTimeout(entry.idleTimer);
  entry.phase = 'ending';
  entry.worker?.kill();
}

function forget(state: State, entry: Entry): void {
  clearTimeout(entry.idleTimer);
  entry.phase = 'ending';
  state.entries.delete(entry);
  if (state.onEmpty === undefined) advance(state);
  else if (state.entries.size === 0) state.onEmpty();
}

/** Makes a process idle until its next work. */
function rest({ entries, wanted, idleMs }: State, entry: Entry): void {
  entry.phase = 'idle';
  entries.delete(entry);
  entries.add(entry);
  entry.idleTimer = setTimeout(() => {
    if (entry.isSpare) wanted.delete(entry.runtime);
    end(entry);
  }, idleMs).unref();
}

function release(state: State, entry: Entry, worker: Worker): void {
  if (entry.phase !== 'taken') return; // it has ended
  if (state.onEmpty === undefined && worker.isReusable()) rest(state, entry);
  else end(entry);
  if (state.onEmpty === undefined) advance(state);
}

async function close(state: State): Promise<void> {
  const empty = new Promise<void>((resolve) => {
    state.onEmpty = resolve;
  });
  for (const { refuse } of state.waiters) refuse(closedError());
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

/** Returns the most recently used process: its code and data are in the caches of the machine. */
function findLast({ entries }: State, test: (entry: Entry) => boolean): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) if (test(entry)) found = entry;
  return found;
}

/** Counts processes that are not spares, including those that start or end. */
function countOrdinary({ entries }: State): number {
  let count = 0;
  for (const { isSpare } of entries) if (!isSpare) count += 1;
  return count;
}
