import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  openPool,
  type Pool,
  type Taken,
  type Worker,
} from '../../shared/runtimes/process-pool.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A simulated process. */
interface Simulated extends Worker {
  readonly runtime: string;
  readonly state: 'starting' | 'ready' | 'dying' | 'gone';
  /** Ends the process unexpectedly. */
  exit(): void;
}

/** Behaviour of the next processes; times in milliseconds. */
interface Behaviour {
  startMs: number;
  killMs: number;
  /** Outcome of a start. */
  start: 'ready' | 'exits' | 'rejected';
}

interface WorldOptions {
  readonly cap?: number;
  readonly idleMs?: number;
  readonly patient?: readonly ('a' | 'b')[];
}

function openWorld({ cap = 2, idleMs = 60_000, patient = [] }: WorldOptions = {}) {
  const behaviour: Behaviour = { startMs: 50, killMs: 20, start: 'ready' };
  const all: Simulated[] = [];
  const killed: string[] = [];
  const begin = (runtime: string) => async (): Promise<Simulated> => {
    if (behaviour.start === 'rejected') throw new Error('nothing to start');
    const process = simulate(runtime, { ...behaviour }, (state) =>
      killed.push(`${runtime} ${state}`),
    );
    all.push(process);
    return process;
  };
  const pool: Pool<{ a: Simulated; b: Simulated }> = openPool({
    start: { a: begin('a'), b: begin('b') },
    cap,
    idleMs,
    patient,
  });
  const alive = () => all.filter(({ state }) => state !== 'gone');
  return { pool, all, alive, behaviour, killed };
}

function simulate(
  runtime: string,
  { startMs, killMs, start }: Behaviour,
  onKill: (state: string) => void,
): Simulated {
  let state: Simulated['state'] = 'starting';
  let [onReady, onEnded] = [() => {}, () => {}];
  const ended = new Promise<void>((resolve) => {
    onEnded = resolve;
  });
  const end = () => {
    state = 'gone';
    onEnded();
  };
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  setTimeout(() => {
    if (state !== 'starting') return;
    if (start === 'exits') end();
    else {
      state = 'ready';
      onReady();
    }
  }, startMs);
  return {
    runtime,
    get state() {
      return state;
    },
    ready: Promise.race([ready, ended]),
    ended,
    isReusable: () => state === 'starting' || state === 'ready',
    failureReason: () => 'it has ended',
    kill: () => {
      if (state === 'dying' || state === 'gone') return;
      onKill(state);
      state = 'dying';
      setTimeout(end, killMs);
    },
    exit: end,
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a pool', () => {
  test('reuses the process of a key for the key', async () => {
    const { pool } = openWorld();
    const taking = pool.take('one', 'a');
    await pass(100);
    const first = await taking;
    first.release();

    const second = await pool.take('one', 'a');

    expect([first.isWarm, second.isWarm]).toEqual([false, true]);
    expect(second.worker).toBe(first.worker);
  });

  test('keeps a spare for each of two alternating runtimes, and kills none for the other', async () => {
    const { pool, alive, killed } = openWorld({ cap: 4 });
    for (let round = 0; round < 20; round += 1) {
      const taking = Promise.all([pool.take('node', 'a'), pool.take('python', 'b')]);
      await pass(100);
      for (const { release } of await taking) release();
    }

    expect(killed).toEqual([]);
    expect(alive().map(({ runtime }) => runtime)).toEqual(['a', 'a', 'b', 'b']);
  });

  test('serves two alternating runtimes with the minimum number of processes', async () => {
    const { pool, killed } = openWorld({ cap: 1 });
    for (const [key, runtime] of [
      ['node', 'a'],
      ['python', 'b'],
      ['node', 'a'],
    ] as const) {
      const taking = pool.take(key, runtime);
      await pass(500);
      (await taking).release();
      await pass(500);
    }

    expect(killed.filter((each) => each.endsWith('starting'))).toEqual([]);
  });

  test('reports a failed start to its caller, and retries for the next one', async () => {
    const { pool, behaviour } = openWorld();
    behaviour.start = 'exits';
    const failing = pool.take('one', 'a').catch((error: Error) => error.message);
    await pass(500);
    behaviour.start = 'rejected';
    const rejected = pool.take('one', 'a').catch((error: Error) => error.message);
    await pass(500);
    behaviour.start = 'ready';
    const taking = pool.take('one', 'a');
    await pass(500);

    expect([await failing, await rejected]).toEqual([
      'a process could not be started: it has ended',
      'nothing to start',
    ]);
    expect((await taking).worker.state).toBe('ready');
  });

  test('kills idle processes, including spares', async () => {
    const { pool, alive } = openWorld({ idleMs: 1_000 });
    const taking = pool.take('one', 'a');
    await pass(100);
    (await taking).release();

    await pass(2_000);

    expect(alive()).toEqual([]);
    expect(pool.size()).toBe(0);
  });

  test('kills all processes when it closes, including starting ones, and rejects waiters', async () => {
    const { pool, alive } = openWorld({ cap: 1 });
    const taking = pool.take('one', 'a');
    await pass(100);
    await taking;
    const waiting = pool.take('two', 'b').catch((error: Error) => error.message);

    const closing = pool.close();
    await pass(200);
    await closing;

    expect(await waiting).toBe('the pool of processes is closed');
    expect(alive()).toEqual([]);
  });
});

describe('a patient runtime', () => {
  /** Opens a pool with a process of a key, which is taken; the spare is ready too. */
  async function openTaken() {
    const world = openWorld({ cap: 8, patient: ['a'] });
    const taking = world.pool.take('one', 'a');
    await pass(100);
    const taken = await taking;
    taken.release();
    return { ...world, first: await world.pool.take('one', 'a') };
  }

  test('has one process for short jobs that overlap', async () => {
    const { pool, all, first } = await openTaken();
    const second = pool.take('one', 'a');
    const third = pool.take('one', 'a');
    await pass(5);
    first.release();
    await pass(5);
    const { worker, isWarm, release } = await second;
    release();

    expect([worker, (await third).worker]).toEqual([first.worker, first.worker]);
    expect(isWarm).toBe(true);
    expect(all).toHaveLength(2);
  });

  test('gives the spare to a job when the process of its key has a long one', async () => {
    const { pool, all, first } = await openTaken();
    const second = pool.take('one', 'a');
    await pass(60);
    const third = pool.take('one', 'a');
    await pass(60);

    expect((await second).worker).toBe(all[1]);
    expect((await third).isWarm).toBe(false);
    expect(first.worker).not.toBe((await second).worker);
  });

  test('takes another process when the waits of all jobs have paid for it', async () => {
    const { pool, all, first } = await openTaken();
    let current = first;
    const workers = new Set<Simulated>();
    for (let round = 0; round < 20; round += 1) {
      const next = pool.take('one', 'a');
      await pass(5);
      current.release();
      current = await next;
      workers.add(current.worker);
    }

    expect(workers).toEqual(new Set(all.slice(0, 2)));
  });

  test('starts no other process while the first one starts, and then for a long job', async () => {
    const { pool, all, behaviour } = openWorld({ cap: 8, patient: ['a'] });
    behaviour.startMs = 150;
    const taking = [1, 2, 3].map(() => pool.take('one', 'a'));
    await pass(145);
    expect(all).toHaveLength(2);
    await pass(200);

    expect(all.length).toBeGreaterThan(3);
    await Promise.all(taking);
  });

  test('does not wait for a process of another key, nor for one that ends', async () => {
    const { pool, first } = await openTaken();
    const other = await pool.take('two', 'a');
    const second = pool.take('one', 'a');
    first.worker.exit();
    await pass(60);

    expect(other.worker).not.toBe(first.worker);
    expect((await second).isWarm).toBe(false);
  });

  test('rejects waiting jobs when the pool closes', async () => {
    const { pool, alive } = await openTaken();
    const second = pool.take('one', 'a').catch((error: Error) => error.message);

    const closing = pool.close();
    await pass(500);
    await closing;

    expect(await second).toBe('the pool of processes is closed');
    expect(alive()).toEqual([]);
  });
});

/** A request for a process; the number is a part of the key. */
interface Take {
  readonly take: number;
  readonly runtime: 'a' | 'b';
}
/** One event. */
type Step =
  | Take
  | { readonly release: number }
  | { readonly exit: number }
  | { readonly passMs: number }
  | { readonly behave: Partial<Behaviour> };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ take: fc.nat(7), runtime: fc.constantFrom('a', 'b') }) },
  { weight: 4, arbitrary: fc.record({ release: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ exit: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ passMs: fc.constantFrom(1, 20, 60, 3_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      behave: fc.record({
        start: fc.constantFrom<Behaviour['start']>('ready', 'ready', 'exits', 'rejected'),
        startMs: fc.constantFrom(1, 50, 500),
        killMs: fc.constantFrom(1, 20, 900),
      }),
    }),
  },
);

/** Opens a pool and a model of its state, with at most `cap` taken processes at a time. */
function openModel(cap: number, patient: WorldOptions['patient'] = []) {
  const world = openWorld({ cap, idleMs: 2_000, patient });
  const { pool, alive, behaviour } = world;
  const taken: Taken<Simulated>[] = [];
  let waiting = 0;
  const take = ({ take, runtime }: Take) => {
    if (waiting + taken.length >= cap) return;
    waiting += 1;
    pool
      .take(`${runtime}${take}`, runtime)
      .then((one) => taken.push(one))
      .catch(() => {}) // the start failed, and the caller gets the error
      .finally(() => {
        waiting -= 1;
      });
  };
  const happen = (each: Step) => {
    if ('take' in each) take(each);
    if ('release' in each) taken.splice(each.release, 1)[0]?.release();
    if ('exit' in each) alive()[each.exit]?.exit();
    if ('behave' in each) Object.assign(behaviour, each.behave);
    return pass('passMs' in each ? each.passMs : 0);
  };
  return { ...world, taken, happen, waiting: () => waiting };
}

test.each([{ patient: [] }, { patient: ['a'] }] as const)(
  'never starves a waiter, leaks a process or exceeds its limit: %j',
  async ({ patient }) => {
    const cap = 3;
    const check = async (steps: readonly Step[]) => {
      const { pool, all, alive, behaviour, killed, ...model } = openModel(cap, patient);
      for (const each of steps) {
        await model.happen(each);
        expect(Math.max(alive().length, pool.size())).toBeLessThanOrEqual(cap + 2);
      }
      Object.assign(behaviour, { start: 'ready', startMs: 10, killMs: 10 });
      await pass(2_000);
      expect(model.waiting()).toBe(0);
      expect(killed.filter((each) => each.endsWith('starting'))).toEqual([]);
      for (const { release } of model.taken) release();
      const closing = pool.close();
      await pass(2_000);
      await closing;
      expect(all.filter(({ state }) => state !== 'gone')).toEqual([]);
    };

    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 80 }), check), { numRuns: 300 });
  },
);
