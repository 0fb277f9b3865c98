import assert from 'node:assert/strict';

/** A process in a pool. */
export interface Worker {
  /** Resolves when it can work, or has ended. */
  readonly ready: Promise<unknown>;
  /** Resolves when it has ended, whatever the reason. */
  readonly ended: Promise<unknown>;
  /** Whether it can work again. False once it has ended. */
  isReusable(): boolean;
  /** Why it has ended before it could work. */
  complaint(): string;
  /** Ends it and everything that it has started. */
  kill(): void;
}

/**
 * Processes that are kept warm for the next work of the same kind.
 *
 * There are never more processes than the cap plus one spare per runtime, those that start or end included. A spare has
 * done nothing yet; it is there for the next key that has no process. To make room, the idle process that was used least
 * recently ends; a process that starts, works or is spare never does.
 */
export interface Pool<Kind extends string, Member extends Worker> {
  /**
   * Takes a process: an idle one of `key`, else one that has done nothing yet. At most `cap` may be taken at a time,
   * which the caller sees to.
   *
   * @throws Error when the process could not be started
   */
  take(key: string, runtime: Kind): Promise<Taken<Member>>;
  /** Processes that there are, those that start or end included. */
  size(): number;
  /** Ends all processes; resolves when they are gone. */
  close(): Promise<void>;
}

/** A process that was taken. */
export interface Taken<Member> {
  readonly worker: Member;
  /** Whether it has worked for the key before. */
  readonly isWarm: boolean;
  /** To be called once, after the work. */
  release(): void;
}

/** What a pool is made of. */
export interface PoolOptions<Kind extends string, Member extends Worker> {
  /** Starts a process; rejects when there is none to start. */
  readonly start: (runtime: Kind) => Promise<Member>;
  readonly runtimes: readonly Kind[];
  /** Most processes beside spare ones, 1 or more. */
  readonly cap: number;
  /** Milliseconds for which a process stays idle. */
  readonly idleMs: number;
  /** Called when a spare could not be started; whoever needs a process meets the same error. */
  readonly onFailedSpare?: (error: unknown) => void;
}

interface Entry<Kind, Member> {
  readonly runtime: Kind;
  /** Undefined while it has done nothing. */
  key: string | undefined;
  phase: 'starting' | 'idle' | 'taken' | 'ending';
  /** Counted apart until it is taken for the first time. */
  isSpare: boolean;
  idleTimer: NodeJS.Timeout | undefined;
  readonly started: Promise<Member>;
  member: Member | undefined;
}

interface Waiter<Kind, Member> {
  readonly key: string;
  readonly runtime: Kind;
  take(entry: Entry<Kind, Member>): void;
  refuse(error: Error): void;
}

/** Opens a pool; it starts no process before the first is taken. */
export function openPool<Kind extends string, Member extends Worker>(
  options: PoolOptions<Kind, Member>,
): Pool<Kind, Member> {
  const { start, runtimes, cap, idleMs, onFailedSpare = () => {} } = options;
  type Process = Entry<Kind, Member>;
  const entries = new Set<Process>(); // least recently used first
  const waiters = new Set<Waiter<Kind, Member>>();
  const wanted = new Set<Kind>(); // runtimes that are to have a spare
  let onEmpty: (() => void) | undefined; // set when the pool is closed

  const find = (test: (entry: Process) => boolean) => [...entries].find(test);
  const count = (test: (entry: Process) => boolean) => [...entries].filter(test).length;
  const ordinary = () => count(({ isSpare }) => !isSpare);

  /** Serves every waiter that can be served, then sees to spares. Called after each change. */
  function advance(): void {
    let missing = 0;
    for (const waiter of waiters) {
      const entry = findFor(waiter) ?? (ordinary() < cap ? open(waiter.runtime, false) : undefined);
      if (entry === undefined) missing += 1;
      else {
        waiters.delete(waiter);
        waiter.take(claim(entry));
      }
    }
    for (const runtime of wanted) {
      if (find((entry) => entry.isSpare && entry.runtime === runtime) !== undefined) continue;
      if (ordinary() <= cap) openSpare(runtime);
      else missing += 1;
    }
    makeRoom(missing);
    assert(entries.size <= cap + runtimes.length, 'there are more processes than there may be');
  }

  function findFor({ key, runtime }: Waiter<Kind, Member>): Process | undefined {
    return (
      find((entry) => entry.phase === 'idle' && entry.key === key && entry.runtime === runtime) ??
      find((entry) => entry.isSpare && entry.phase !== 'ending' && entry.runtime === runtime)
    );
  }

  function claim(entry: Process): Process {
    clearTimeout(entry.idleTimer);
    if (entry.key === undefined) wanted.add(entry.runtime); // the next new key has need of one as well
    entry.isSpare = false;
    entry.phase = 'taken';
    return entry;
  }

  /** Ends idle processes until so many are about to end. */
  function makeRoom(missing: number): void {
    let ending = count(({ phase, isSpare }) => phase === 'ending' && !isSpare);
    for (const entry of entries) {
      if (ending >= missing) return;
      if (entry.phase !== 'idle' || entry.isSpare) continue;
      end(entry);
      ending += 1;
    }
  }

  function open(runtime: Kind, isSpare: boolean): Process {
    const started = start(runtime);
    const entry: Process = {
      ...{ runtime, key: undefined, phase: 'starting', isSpare, idleTimer: undefined },
      ...{ started, member: undefined },
    };
    entries.add(entry);
    started.then(
      (member) => {
        entry.member = member;
        if (entry.phase === 'ending') member.kill();
        void member.ended.then(() => forget(entry));
      },
      () => forget(entry),
    );
    return entry;
  }

  function openSpare(runtime: Kind): void {
    const entry = open(runtime, true);
    becomeReady(entry).then(
      () => {
        if (entry.phase === 'starting') rest(entry);
      },
      (error: unknown) => {
        if (!entry.isSpare) return; // whoever has taken it is told
        wanted.delete(runtime);
        if (onEmpty === undefined) onFailedSpare(error);
      },
    );
  }

  /** Ends a process, which counts until it is gone. */
  function end(entry: Process): void {
    clearTimeout(entry.idleTimer);
    entry.phase = 'ending';
    entry.member?.kill();
  }

  function forget(entry: Process): void {
    clearTimeout(entry.idleTimer);
    entry.phase = 'ending';
    entries.delete(entry);
    if (onEmpty === undefined) advance();
    else if (entries.size === 0) onEmpty();
  }

  /** Lets a process wait for its next work. */
  function rest(entry: Process): void {
    entry.phase = 'idle';
    entries.delete(entry);
    entries.add(entry);
    entry.idleTimer = setTimeout(() => {
      if (entry.isSpare) wanted.delete(entry.runtime);
      end(entry);
    }, idleMs).unref();
  }

  function release(entry: Process, member: Member): void {
    if (entry.phase !== 'taken') return; // it has ended
    if (onEmpty === undefined && member.isReusable()) rest(entry);
    else end(entry);
    if (onEmpty === undefined) advance();
  }

  async function take(key: string, runtime: Kind): Promise<Taken<Member>> {
    if (onEmpty !== undefined) throw new Error('the pool of processes is closed');
    const entry = await new Promise<Process>((resolve, reject) => {
      waiters.add({ key, runtime, take: resolve, refuse: reject });
      advance();
    });
    const isWarm = entry.key === key;
    entry.key = key;
    const worker = isWarm && entry.member ? entry.member : await becomeReady(entry);
    return { worker, isWarm, release: () => release(entry, worker) };
  }

  async function becomeReady(entry: Process): Promise<Member> {
    const member = await entry.started;
    await member.ready;
    if (member.isReusable()) return member;
    end(entry);
    throw new Error(`a process could not be started: ${member.complaint()}`);
  }

  return {
    take,
    size: () => entries.size,
    close: async () => {
      const empty = new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      for (const { refuse } of waiters) refuse(new Error('the pool of processes is closed'));
      waiters.clear();
      for (const entry of entries) end(entry);
      if (entries.size > 0) await empty;
    },
  };
}
