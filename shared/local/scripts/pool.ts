import { type Runner, startRunner } from '../../runtimes/runner-process.ts';
import type { ScriptRuntime } from '../../services/script-runner.ts';
import type { PreparedCommand } from './node-command.ts';

/** Makes the command of a runner for a runtime. */
export type Prepare = (runtime: ScriptRuntime) => Promise<PreparedCommand>;

/** Processes that run scripts, kept warm for the next run of the same script. */
export interface Pool {
  /**
   * Takes a runner: the warm one of `key`, else one that has run nothing yet. At most `cap` may be taken at a time,
   * which the caller sees to.
   */
  take(key: string, runtime: ScriptRuntime): Promise<Taken>;
  /** Runners that there are, spare one included. */
  size(): number;
  /** Ends all; resolves when they are gone. */
  close(): Promise<void>;
}

/** A runner for one run. */
export interface Taken {
  readonly runner: Runner;
  /** Whether it knows the script already. */
  readonly isWarm: boolean;
  /** To be called after the run. */
  release(): void;
}

/** How many runners there may be, and for how long. */
export interface PoolOptions {
  readonly prepare: Prepare;
  /** Most runners at a time, 2 or more. */
  readonly cap: number;
  /** How long a runner waits for its next run. */
  readonly idleMs: number;
}

interface Entry {
  readonly runner: Runner;
  readonly runtime: ScriptRuntime;
  /** The script that it runs; undefined for a spare one. */
  key: string | undefined;
  isBusy: boolean;
  idleTimer: NodeJS.Timeout | undefined;
}

interface State extends PoolOptions {
  /** Least recently used first. */
  readonly entries: Set<Entry>;
  /** Called once when the next runner has become idle or has ended. */
  readonly onChange: Set<() => void>;
  /** Runners that are not among the entries yet. */
  starting: number;
  /** Runtime of the spare runner; undefined while none is wanted. */
  wanted: ScriptRuntime | undefined;
  isClosed: boolean;
}

/** Opens a pool; it starts no process before the first run. */
export function openPool(options: PoolOptions): Pool {
  const state: State = {
    ...options,
    entries: new Set(),
    onChange: new Set(),
    starting: 0,
    wanted: undefined,
    isClosed: false,
  };
  return {
    size: () => count(state),
    take: (key, runtime) => take(state, key, runtime),
    close: async () => {
      state.isClosed = true;
      for (const { runner } of state.entries) runner.kill();
      while (count(state) > 0) await nextChange(state);
    },
  };
}

async function take(state: State, key: string, runtime: ScriptRuntime): Promise<Taken> {
  if (state.isClosed) throw new Error('the pool of runners is closed');
  const warm = findIdle(state, key, runtime);
  const entry = warm === undefined ? await obtain(state, runtime) : claim(warm);
  const { runner } = entry;
  entry.key = key;
  if (warm === undefined) {
    state.wanted = runtime;
    keepSpare(state);
    await runner.ready;
  }
  const release = () => (runner.isReusable() ? rest(state, entry) : runner.kill());
  return { runner, isWarm: warm !== undefined, release };
}

/** Takes an idle runner, at once: whoever looks next must not find it idle. */
function claim(entry: Entry): Entry {
  entry.isBusy = true;
  clearTimeout(entry.idleTimer);
  return entry;
}

/** A runner that has run nothing yet. */
async function obtain(state: State, runtime: ScriptRuntime): Promise<Entry> {
  for (;;) {
    const spare = findIdle(state, undefined, runtime);
    if (spare !== undefined) return claim(spare);
    if (count(state) < state.cap) return start(state, runtime);
    evict(state);
    await nextChange(state);
  }
}

async function start(state: State, runtime: ScriptRuntime): Promise<Entry> {
  state.starting += 1;
  try {
    const { command, dispose } = await state.prepare(runtime);
    const runner = startRunner(command);
    const entry: Entry = { runner, runtime, key: undefined, isBusy: true, idleTimer: undefined };
    state.entries.add(entry);
    void runner.ended.then(dispose).finally(() => forget(state, entry));
    if (state.isClosed) runner.kill();
    return entry;
  } finally {
    state.starting -= 1;
  }
}

function forget(state: State, entry: Entry): void {
  state.entries.delete(entry);
  clearTimeout(entry.idleTimer);
  tellChange(state);
  keepSpare(state);
}

/** Lets a runner wait for its next run. */
function rest(state: State, entry: Entry): void {
  entry.isBusy = false;
  state.entries.delete(entry);
  state.entries.add(entry);
  entry.idleTimer = setTimeout(() => {
    if (entry.key === undefined) state.wanted = undefined; // no script has wanted it for long
    entry.runner.kill();
  }, state.idleMs).unref();
  tellChange(state);
}

/** Sees to it that one runner is ready for a script that has none. */
function keepSpare(state: State): void {
  const { isClosed, wanted, starting, cap } = state;
  if (isClosed || wanted === undefined || starting > 0) return;
  if (findIdle(state, undefined, wanted) !== undefined) return;
  if (count(state) >= cap) evict(state);
  else {
    start(state, wanted).then(
      (entry) => rest(state, entry),
      () => {}, // a run that needs one meets the same fault, and tells
    );
  }
}

/** Ends the runner that was not used for longest; it counts until it is gone. */
function evict({ entries }: State): void {
  const victim = [...entries].find(isIdle);
  if (victim === undefined) return;
  claim(victim).runner.kill();
}

function findIdle({ entries }: State, key: string | undefined, runtime: ScriptRuntime) {
  return [...entries].find(
    (entry) => isIdle(entry) && entry.key === key && entry.runtime === runtime,
  );
}

function isIdle({ isBusy, runner }: Entry): boolean {
  return !isBusy && runner.isReusable();
}

function count({ entries, starting }: State): number {
  return entries.size + starting;
}

function nextChange({ onChange }: State): Promise<void> {
  return new Promise((resolve) => onChange.add(resolve));
}

function tellChange({ onChange }: State): void {
  const waiting = [...onChange];
  onChange.clear();
  for (const resolve of waiting) resolve();
}
