import { test as base, describe, expect } from 'vitest';
import { classCounts } from '../../shared/classes/class-counts.ts';
import { recountClass } from '../../shared/classes/recount-class.ts';
import type { ChangeConsumer, ItemChange, Services } from '../../shared/jobs/change-feed.ts';
import { type JobType, leasedJob, newJob } from '../../shared/jobs/jobs.ts';
import { type Background, startBackground } from '../../shared/platforms/local/jobs/background.ts';
import type { Timers } from '../../shared/platforms/local/jobs/timers.ts';
import {
  type LocalStore,
  openStore,
  openTemporaryStore,
} from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { ConditionFailed, type Store, StoreBusy } from '../../shared/store/store.ts';
import { classCountEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { deadLetterEntity } from '../../shared/table/entities/jobs.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { del, put, write } from '../store/fixture.ts';
import { temporaryFolder } from '../support/temporary.ts';

/*
 * The change feed and jobs of one machine, with the test's own consumers and job types. Time is simulated: waits end at
 * once.
 */

const it = base.extend('path', temporaryFolder('groundwork-background-'));

/** Of the jobs and of the process that runs them: what is due now by another clock may be due later by this one. */
const clock = openClock();

describe('changes', () => {
  it('gather, for longer where a reader can ask for them', async () => {
    const store = await openMemory();
    const { consumer } = collector();
    const { background, soonMs } = start(store, {
      consumers: [consumer, { ...collector().consumer, isAwaited: true }],
    });

    await write(store, thing('a'));
    await background.idle();

    expect([...soonMs].toSorted((a, b) => a - b)).toEqual([10, 100]);
    await background.stop();
    await store.close();
  });

  it('contain old and new state, in order, for consumers of the kind', async () => {
    const store = await openMemory();
    const { consumer, taken } = collector();
    const { background } = start(store, { consumers: [consumer] });

    await write(store, thing('a', 1));
    await write(store, thing('a', 2), put({ pk: 'X', sk: 'x' }, { kind: 'other' }));
    await write(store, del({ pk: 'THINGS', sk: 'a' }));
    await store.write({
      id: 'f',
      change: { actor: {}, cause: 'maintenance', depth: 0 },
      writes: [thing('b')],
    });
    await background.idle();

    const shown = taken.map(({ before, after, change }) => ({
      before: before?.data,
      after: after?.data,
      cause: change.cause,
    }));
    expect(shown).toEqual([
      { before: undefined, after: { n: 1 }, cause: 'client' },
      { before: { n: 1 }, after: { n: 2 }, cause: 'client' },
      { before: { n: 2 }, after: undefined, cause: 'client' },
    ]);
    expect(store.feed.read(10)).toEqual([]);
    await background.stop();
    await store.close();
  });

  it.for([
    { needsData: true, before: { n: 1 }, after: { n: 20 } },
    { needsData: false, before: { bytes: 7 }, after: { bytes: 8 } },
  ])('have data if a consumer needs it: $needsData', async ({ needsData, ...data }) => {
    const kinds = [{ kind: 'thing', actions, needsData: false as const }];
    const watched = needsData ? [...kinds, { kind: 'thing', actions }, ...kinds] : kinds;
    const store = await openTemporaryStore({ now: Date.now, watches: watched });

    await write(store, thing('a', 1));
    await write(store, thing('a', 20));

    const [created, updated] = store.feed.read(10);
    expect(created).toMatchObject({ key: { pk: 'THINGS', sk: 'a' }, after: { data: data.before } });
    expect(created).not.toHaveProperty('before');
    expect([updated?.before?.data, updated?.after?.data]).toEqual([data.before, data.after]);
    await store.close();
  });

  it('of one commit are adjacent, whatever their keys are', async () => {
    const store = await openMemory();
    const names = ['|', 'a|b', '\u0001', 'z'];

    await write(store, ...names.map((name, at) => thing(name, at)));
    await write(store, thing('later'));

    const together = store.feed.read(2);
    expect(together.map(({ key, position }) => [key.sk, Number(position)])).toEqual(
      names.map((name, at) => [name, at + 1]),
    );
    expect(together.map(numberOf)).toEqual([0, 1, 2, 3]);
    expect(store.feed.read(10).map(({ key }) => key.sk)).toEqual([...names, 'later']);
    await store.close();
  });

  it('are not delivered again after processing, and their positions are not reused', async ({
    path,
  }) => {
    const first = await openAt(path);
    await write(first, thing('a'), thing('b'));
    first.feed.drop(first.feed.newest());
    await first.close();

    const second = await openAt(path);
    const left = second.feed.read(10);
    await write(second, thing('c'));
    const [next] = second.feed.read(10);

    expect(left).toEqual([]);
    expect([next?.key.sk, Number(next?.position)]).toEqual(['c', 3]);
    await second.close();
  });

  it('all 10,000 reach a consumer that fails at random, those of an item in order', async () => {
    const store = await openMemory();
    const failures = new Map<string, number>();
    const { consumer, taken } = collector((changes) => {
      const [first] = changes;
      if (first === undefined || Math.random() < 0.7) return false;
      const known = failures.get(first.position) ?? 0;
      failures.set(first.position, known + 1);
      return changes.length > 1 || known < 4;
    });
    const { background, logged } = start(store, { consumers: [consumer] });

    for (let round = 0; round < 100; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, (_, part) =>
          write(store, ...Array.from({ length: 10 }, (_, n) => thing(`${part}-${n}`, round))),
        ),
      );
    }
    await background.idle();

    const distinct = [...new Map(taken.map((change) => [change.position, change])).values()];
    const names = new Set(distinct.map(({ key }) => key.sk));
    const rounds = Array.from({ length: 100 }, (_, round) => round);
    expect(names.size).toBe(100);
    for (const name of names) {
      expect(distinct.filter(({ key }) => key.sk === name).map(numberOf)).toEqual(rounds);
    }
    expect(logged).toEqual([]);
    expect(failures.size).toBeGreaterThan(0);
    await background.stop();
    await store.close();
  });

  it('a poisoned one becomes a dead letter, logged once, and the rest continues', async () => {
    const store = await openMemory();
    const { consumer, taken } = collector((changes) =>
      changes.some((change) => numberOf(change) === 13),
    );
    const { background, logged, slept } = start(store, { consumers: [consumer] });

    await Promise.all(Array.from({ length: 100 }, (_, n) => write(store, thing(`t${n}`, n))));
    await background.idle();

    const { items } = await deadLetterEntity.list(store, [], { limit: 10 });
    expect(taken.map(numberOf)).toHaveLength(99);
    expect(items.map(({ data }) => data)).toMatchObject([
      {
        consumer: 'collector',
        key: { pk: 'THINGS', sk: 't13' },
        after: { n: 13 },
        error: 'not now',
      },
    ]);
    const [letter] = items.map(({ data }) => data as { id: string });
    expect(logged).toMatchObject([{ level: 'error', deadLetter: letter?.id, sk: 't13' }]);
    expect(slept).toEqual([100, 200, 400, 800, 1600]);
    await background.stop();
    await store.close();
  });

  it('wait for the end of transient errors, with growing pauses, and others are consumed first', async () => {
    const store = await openMemory();
    let failures = 0;
    const { consumer, taken } = collector();
    const busy: ChangeConsumer = {
      ...consumer,
      consume: async (changes, services) => {
        if (changes.some(({ key }) => key.pk === 'BUSY') && failures < 100) {
          failures += 1;
          throw new StoreBusy(1);
        }
        await consumer.consume(changes, services);
      },
    };
    await write(store, put({ pk: 'BUSY', sk: 'b' }), thing('a', 1), thing('poison', 2));
    await write(store, put({ pk: 'BUSY', sk: 'c' }));

    const { background, slept } = start(store, { consumers: [busy] });
    await background.idle();

    const places = taken.map(({ key }) => `${key.pk} ${key.sk}`);
    expect(places.indexOf('THINGS a')).toBe(0);
    expect([...new Set(places)].filter((each) => each.startsWith('BUSY'))).toEqual([
      'BUSY b',
      'BUSY c',
    ]);
    expect((await deadLetterEntity.list(store, [], { limit: 10 })).items).toEqual([]);
    expect(slept.slice(0, 4)).toEqual([1000, 2000, 4000, 4000]);
    expect(slept).toHaveLength(100);
    await background.stop();
    await store.close();
  });

  it('a poisoned one behind a transient error is one dead letter, whatever is repeated', async () => {
    const store = await openMemory();
    let failures = 0;
    const { consumer } = collector();
    const picky: ChangeConsumer = {
      ...consumer,
      consume: async (changes) => {
        if (changes.some((change) => numberOf(change) === 13)) throw new Error('never this one');
        failures += 1;
        if (changes.some(({ key }) => key.pk === 'BUSY') && failures < 20) throw new StoreBusy(1);
      },
    };
    await write(store, thing('first', 13));
    await write(store, put({ pk: 'BUSY', sk: 'b' }));
    await write(store, thing('second', 13), thing('good', 1));

    const { background } = start(store, { consumers: [picky] });
    await background.idle();

    const { items } = await deadLetterEntity.list(store, [], { limit: 10 });
    expect(items.map(({ data }) => data.key.sk).toSorted()).toEqual(['first', 'second']);
    await background.stop();
    await store.close();
  });

  it('a failing consumer that readers wait for does not delay them', async () => {
    const store = await openMemory();
    const { consumer } = collector(() => true);
    const { background } = start(store, { consumers: [{ ...consumer, isAwaited: true }] });

    await write(store, thing('a'));
    await background.changes.settled();

    expect(store.feed.read(10)).toHaveLength(1);
    await background.stop();
    await store.close();
  });

  it('readers do not wait for other consumers, however long these take', async () => {
    const store = await openMemory();
    const { consumer, taken } = collector();
    let finish = () => {};
    const slow: ChangeConsumer = {
      ...consumer,
      consume: () => new Promise<void>((resolve) => (finish = resolve)),
    };
    const { background } = start(store, { consumers: [{ ...consumer, isAwaited: true }, slow] });

    await write(store, thing('a'));
    await background.changes.settled();
    await write(store, thing('b'));
    await background.changes.settled();

    expect(taken.map(({ key }) => key.sk)).toEqual(['a', 'b']);
    expect(store.feed.read(10)).toHaveLength(2); // kept for the slow one
    while (store.feed.read(10).length > 0) {
      finish();
      await new Promise(setImmediate);
    }
    await background.stop();
    await store.close();
  });

  it('without a change of size are omitted where no consumer needs the data', async () => {
    const watched = [{ kind: 'thing', actions, needsData: false as const }];
    const store = await openTemporaryStore({ now: Date.now, watches: watched });

    await write(store, thing('a', 1));
    await write(store, thing('a', 2));

    expect(store.feed.read(10)).toHaveLength(1);
    await store.close();
  });

  it('of an older version without sizes trigger a new count of the class', async () => {
    const store = await openMemory();
    const key = objectEntity.key(1, 2, 1);
    await write(store, put(key, { kind: 'object', condition: { kind: 'absent' } }));
    const left = store.feed.read(10).map((change) => ({
      ...change,
      ...(change.after && { after: { ...change.after, data: {} } }),
    }));
    const services = servicesOf(store, () => undefined);
    await classCounts.consume(left, services);
    const read = async () => {
      const [count] = await store.get([classCountEntity.key(1, 2)]);
      return count?.data;
    };
    expect(await read()).toMatchObject({ count: 1, recountAt: expect.any(Number) });
    expect(await read()).not.toHaveProperty('bytes');

    const context = { ...services, settled: async () => undefined, endedBefore: async () => true };
    let task: JsonObject = { instance: 1, classNumber: 2, of: 'objects' };
    for (;;) {
      const result = await recountClass.step(context, task);
      if (result === 'done') break;
      task = result.task;
    }

    expect(await read()).toEqual({ count: 1, bytes: 2, position: '0000000000000001' });
    await store.close();
  });

  it('that a process leaves are processed by the next one, and repeated ones are counted once', async ({
    path,
  }) => {
    const first = await openAt(path);
    const dying: Store = { ...first, write: () => new Promise(() => undefined) };
    const object = (id: number) =>
      put(objectEntity.key(1, 2, id), {
        kind: 'object',
        data: { values: {} },
        condition: { kind: 'absent' },
      });
    await Promise.all([1, 2, 3].map((id) => write(first, object(id))));
    await classCounts.consume(
      first.feed.read(2).slice(0, 2),
      servicesOf(first, () => undefined),
    ); // and ends before this is recorded
    start(first, { consumers: [classCounts], through: dying });
    await first.close();

    const second = await openAt(path);
    const { background } = start(second, { consumers: [classCounts] });
    await write(second, object(4));
    await write(second, del(objectEntity.key(1, 2, 1)));
    await background.changes.settled();

    const [count] = await second.get([classCountEntity.key(1, 2)]);
    const bytes = 3 * '{"values":{}}'.length;
    expect(count?.data).toEqual({ count: 3, bytes, position: '0000000000000005' });
    await background.stop();
    await second.close();
  });
});

describe('jobs', () => {
  const services = { clock, ids: openIds() };

  /** A job that counts up to ten, one step each. */
  function counting(steps: number[]): JobType {
    return {
      name: 'count',
      step: async (_, task) => {
        const { at } = task as { at: number };
        steps.push(at);
        return at === 10 ? 'done' : { task: { at: at + 1 } };
      },
    };
  }

  it('run step by step, once, and leave no records', async () => {
    const store = await openMemory();
    const steps: number[] = [];
    const kind = counting(steps);
    const { background } = start(store, { kinds: [kind] });

    await write(store, newJob(services, kind, { at: 1 }));
    await background.idle();

    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await allWork(store)).toEqual([]);
    await background.stop();
    await store.close();
  });

  it.for([0, 1, 2, 5, 9])(
    'continue when the process ended after %s writes',
    async (writes, { path }) => {
      const first = await openAt(path);
      const steps: number[] = [];
      const kind = counting(steps);
      await write(first, newJob(services, kind, { at: 1 }));
      let left = writes;
      const reached = new Promise<void>((resolve) => {
        const write: Store['write'] = (transaction) => {
          left -= 1;
          if (left >= 0) return first.write(transaction);
          resolve();
          return new Promise(() => undefined); // still active at its end
        };
        start(first, { kinds: [kind], through: { ...first, write } });
      });
      await reached;
      await first.close();

      const second = await openAt(path);
      const { background } = start(second, { kinds: [kind] });
      await background.idle();

      expect([...new Set(steps)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(steps.length).toBeLessThanOrEqual(11);
      expect(await allWork(second)).toEqual([]);
      await background.stop();
      await second.close();
    },
  );

  it('that fail are retried later, and logged', async () => {
    const store = await openMemory();
    const kind: JobType = {
      name: 'fail',
      step: async () => {
        throw new Error('no');
      },
    };
    const { background, logged } = start(store, { kinds: [kind] });

    await write(store, newJob(services, kind, { a: 1 }));
    await background.idle();

    const [left] = await allWork(store);
    expect(left).toMatchObject({ kind: 'fail', claimed: false, failures: 1, task: { a: 1 } });
    expect(logged).toMatchObject([{ level: 'error', kind: 'fail', failures: 1 }]);
    await background.stop();
    await store.close();
  });

  it.for<[string, number, number]>([
    ['a conflict is retried at once', 1, 0],
    ['every conflict is left for later', Number.POSITIVE_INFINITY, 1],
  ])('that lose %s', async ([, races, left]) => {
    const store = await openMemory();
    let lost = 0;
    const kind: JobType = {
      name: 'race',
      step: async () => {
        if (lost === races) return 'done';
        lost += 1;
        throw new ConditionFailed(0, undefined);
      },
    };
    const { background, logged } = start(store, { kinds: [kind] });

    await write(store, newJob(services, kind, {}));
    await background.idle();

    expect([(await allWork(store)).length, logged]).toEqual([left, []]);
    await background.stop();
    await store.close();
  });

  it('that are slow do not delay the start of others', async () => {
    const store = await openMemory();
    const steps: number[] = [];
    const quick = counting(steps);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow: JobType = {
      name: 'slow',
      step: async () => {
        await ended;
        return 'done';
      },
    };
    const { background } = start(store, { kinds: [slow, quick] });
    const sameShard = (random: string) => ({
      ...services,
      ids: { ...services.ids, random: () => random },
    });

    await write(store, newJob(sameShard('0a'), slow, {}), newJob(sameShard('0c'), slow, {}));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await write(
      store,
      newJob(sameShard('0b'), quick, { at: 9 }),
      newJob(services, quick, { at: 8 }),
    );
    await expect.poll(() => steps.toSorted()).toEqual([10, 10, 8, 9, 9]);
    end();
    await background.idle();

    expect(await allWork(store)).toEqual([]);
    await background.stop();
    await store.close();
  });

  it('run four per shard at a time', async () => {
    const store = await openMemory();
    const ends: (() => void)[] = [];
    const slow: JobType = {
      name: 'slow',
      step: () => new Promise((resolve) => ends.push(() => resolve('done'))),
    };
    const inShard = (at: number) => ({ ...services, ids: { random: () => `0${at}` } });
    const { background } = start(store, { kinds: [slow] });

    await write(store, ...[1, 2, 3, 4, 5, 6].map((at) => newJob(inShard(at), slow, {})));
    await expect.poll(() => ends.length).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ends).toHaveLength(4);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(5);
    for (const end of ends) end();
    await expect.poll(() => ends.length).toBe(6);
    ends[5]?.();
    await background.idle();

    expect(await allWork(store)).toEqual([]);
    await background.stop();
    await store.close();
  });

  it('leased by an earlier process continue, those that this process leased are left alone', async ({
    path,
  }) => {
    const first = await openAt(path);
    const steps: number[] = [];
    const kind = counting(steps);
    const due = Date.now() + 300_000;
    await write(first, ...[1, 2].map(() => leasedJob(services, kind, { task: { at: 10 }, due })));
    await first.close();

    const second = await openAt(path);
    const { background } = start(second, { kinds: [kind] });
    await write(second, leasedJob(services, kind, { task: { at: 7 }, due }));
    await background.idle();

    expect(steps).toEqual([10, 10]);
    expect(await allWork(second)).toMatchObject([{ claimed: true, task: { at: 7 } }]);
    await background.stop();
    await second.close();
  });

  it('that are due later are left alone until then', async () => {
    const store = await openMemory();
    const steps: number[] = [];
    const kind = counting(steps);
    const { background } = start(store, { kinds: [kind] });

    await write(store, newJob(services, kind, { at: 1 }, Date.now() + 60_000));
    await background.idle();

    expect([steps, (await allWork(store)).length]).toEqual([[], 1]);
    await background.stop();
    await store.close();
  });
});

async function allWork(store: Store): Promise<readonly object[]> {
  const shards = Array.from({ length: 16 }, (_, shard) => `WORK#${shard}`);
  const pages = await Promise.all(shards.map((pk) => store.query({ pk, limit: 100 })));
  return pages.flatMap(({ items }) => items.map(({ data }) => data));
}

const actions = ['create', 'update', 'delete'] as const;
const watches = ['object', 'thing'].map((kind) => ({ kind, actions }));

/** Creates timers that end at once and record the durations. */
function fakeTimers(): Timers & { readonly slept: number[]; readonly soonMs: Set<number> } {
  const slept: number[] = [];
  const soonMs = new Set<number>();
  return {
    slept,
    soonMs,
    sleep: async (ms, signal) => {
      slept.push(ms);
      await new Promise(setImmediate);
      signal.throwIfAborted();
    },
    soon: (name, ms, run) => {
      if (name === 'jobs') return; // jobs that are due later are not run
      soonMs.add(ms);
      setImmediate(run);
    },
    clear: () => undefined,
  };
}

interface Running {
  readonly background: Background;
  readonly logged: readonly LogEntry[];
  readonly slept: readonly number[];
  readonly soonMs: ReadonlySet<number>;
}

/** The part of a platform that the tests need. */
function servicesOf(store: Store, log: (entry: LogEntry) => void): Services {
  return { store, clock, ids: openIds(), log } as Partial<Services> as Services;
}

function start(
  store: LocalStore,
  given: {
    readonly consumers?: readonly ChangeConsumer[];
    readonly kinds?: readonly JobType[];
    readonly through?: Store;
  },
): Running {
  const logged: LogEntry[] = [];
  const timers = fakeTimers();
  const log = (entry: LogEntry) => logged.push(entry);
  const services = servicesOf(given.through ?? store, log);
  const background = startBackground({
    feed: store.feed,
    services,
    timers,
    calls: { endedBefore: async () => true },
    consumers: given.consumers ?? [],
    kinds: given.kinds ?? [],
  });
  return { background, logged, slept: timers.slept, soonMs: timers.soonMs };
}

const openAt = (path: string) => openStore({ path, now: Date.now, watches });
const openMemory = () => openTemporaryStore({ now: Date.now, watches });
const thing = (sk: string, n = 0) => put({ pk: 'THINGS', sk }, { data: { n } });
const numberOf = ({ after }: ItemChange) => (after?.data as { n: number } | undefined)?.n;

/** A consumer that records its changes, and throws when `fails` returns true. */
function collector(fails: (changes: readonly ItemChange[]) => boolean = () => false) {
  const taken: ItemChange[] = [];
  const consumer: ChangeConsumer = {
    name: 'collector',
    watches: [{ kind: 'thing', actions }],
    consume: async (changes) => {
      if (fails(changes)) throw new Error('not now');
      taken.push(...changes);
    },
  };
  return { consumer, taken };
}
