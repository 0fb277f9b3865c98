import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unorderedConsumers } from '../../functions/jobs.ts';
import { recountClass } from '../../shared/classes/recount-class.ts';
import { openMs } from '../../shared/classes/recounting.ts';
import type { ChangeConsumer, ItemChange, Services } from '../../shared/jobs/change-feed.ts';
import type { JobContext, StepResult } from '../../shared/jobs/jobs.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import { jsonBytes } from '../../shared/store/exact-json.ts';
import type { Stored } from '../../shared/store/store.ts';
import { updateItem } from '../../shared/store/writes.ts';
import {
  classCountEntity,
  classEntity,
  objectEntity,
} from '../../shared/table/entities/classes.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import type { ClassCountData } from '../../shared/table/records/class-counts.ts';
import type { JobData } from '../../shared/table/records/jobs.ts';
import { readUsedBytes } from '../../shared/usage/quotas.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { del, put, write } from '../store/fixture.ts';

/*
 * The law of counts: changes that arrive at least once, those of a shard in their order, give the exact number of objects
 * and bytes, in however many shards.
 */

const it = test.extend(
  'counts',
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  async ({}, { onCleanup }) => {
    const counts = await openCounts();
    onCleanup(counts.close);
    return counts;
  },
);

const valuesOf = (bytes: number) => ({ values: { x: 'x'.repeat(bytes) } });

describe('objects in two shards', () => {
  const bytes = 1000 * jsonBytes(valuesOf(1));

  for (const [name, order] of [
    ['the shard of higher numbers first', [2, 3, 0, 1]],
    ['the shard of lower numbers first', [0, 1, 2, 3]],
    ['in turns', [2, 0, 3, 1]],
  ] as const) {
    it(`are all counted: ${name}`, async ({ counts }) => {
      const [low, high] = [
        counts.inShard('stream.a', 1000, [1, 500]),
        counts.inShard('stream.b', 9000, [501, 1000]),
      ];
      const batches = [low.slice(0, 250), low.slice(250), high.slice(0, 250), high.slice(250)];

      for (const at of order) await counts.consume(batches[at] ?? []);

      expect(await counts.read()).toMatchObject({ count: 1000, bytes });
    });
  }

  it('count for the quota of the instance', async ({ counts }) => {
    await counts.consume(counts.inShard('stream.b', 9000, [501, 1000]));
    await counts.consume(counts.inShard('stream.a', 1000, [1, 500]));

    const settled = async () => undefined;
    const used = await readUsedBytes({ ...counts.services, settings: {}, settled }, 1);

    expect(used.objects).toBe(bytes);
  });
});

describe('a class that was deleted', () => {
  const late = async (counts: Counts, changes: readonly ItemChange[], minutes = 2) => {
    counts.time.now += minutes * 60_000; // parked for that long
    await counts.consume(changes);
  };

  it('has no count again when changes of it arrive after its objects were deleted', async ({
    counts,
  }) => {
    await late(counts, counts.inShard('stream.a', 1, [1, 5]));

    expect(await counts.read()).toBeUndefined();
  });

  it.for([2, 27 * 60])('is not one with changes of %i minutes ago', async (minutes, { counts }) => {
    const data = { name: 'book', number: 2 };
    await write(counts.store, put(classEntity.key(1, 'book'), { kind: classEntity.kind, data }));

    await late(counts, counts.inShard('stream.a', 1, [1, 5]), minutes);

    expect(await counts.read()).toMatchObject({ count: 5 });
  });
});

describe('objects in any number of shards', () => {
  it('are counted exactly, in any order of shards, with repeated changes and splits', () =>
    always(async ([shardCount, steps], counts) => {
      const stream = openStream(counts, shardCount);
      await play(counts, stream, steps);
      await stream.deliverAll();

      const { count, bytes } = (await counts.read()) ?? { count: 0, bytes: 0 };
      expect({ count, bytes }).toEqual(stream.expected());
    }));

  it('are recounted once after a split, never before', () =>
    always(async ([shardCount, steps], counts) => {
      const stream = openStream(counts, shardCount);
      await play(counts, stream, steps);
      await stream.deliverAll();

      const { isSplit } = (await counts.read()) ?? {};
      expect(await counts.jobs()).toHaveLength(isSplit ? 1 : 0);
      if (shardCount === 1 && steps.every(([kind]) => kind !== 'split')) {
        expect(isSplit).toBeUndefined();
      }
    }));

  it('are recounted exactly while they change', () =>
    always(async (each, counts) => {
      const { expected, numbers } = await recountDuring(counts, each, true);

      expect(numbers).toEqual(expected);
    }));

  it('are recounted once more if a change arrives too late for a recount', () =>
    always(async (each, counts) => {
      const { expected, recountAt, numbers } = await recountDuring(counts, each, false);
      if (recountAt === undefined) expect(numbers).toEqual(expected);

      await openRecount(counts, { instance: 1, classNumber: 2 }).end();

      expect(await counts.read()).toMatchObject(expected);
    }));
});

describe('the positions of shards', () => {
  const hourMs = 3_600_000;

  it('expire after 26 hours, when no change before them can be repeated', async ({ counts }) => {
    const sizes: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      await counts.consume(counts.inShard(`stream.${n}`, 100 * n + 1, [n + 1, n + 1])); // a shard is closed after four hours
      counts.time.now += 4 * hourMs;
      sizes.push((await counts.read())?.shards?.length ?? 0);
    }

    expect(await counts.read()).toMatchObject({ count: 60 });
    expect(Math.max(...sizes)).toBe(7);
    expect(JSON.stringify(await counts.read()).length).toBeLessThan(400); // one write unit
    expect(await counts.jobs()).toEqual([]); // each is the successor of the one before
  });

  it('that have expired are not needed: the class of a change that old is counted again', async ({
    counts,
  }) => {
    const [low, high] = [
      counts.inShard('stream.a', 1, [1, 5]),
      counts.inShard('stream.b', 900, [6, 9]),
    ];
    for (const id of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) await counts.commit({ id, after: 1 });
    await counts.consume(low);
    await counts.consume(high);
    counts.time.now += 27 * hourMs; // parked for that long, with a repetition of what was counted
    await counts.consume(counts.inShard('stream.b', 904, [10, 10]));
    await counts.consume(low);

    const { count, recountAt } = (await counts.read()) ?? {};
    expect([count, recountAt]).toEqual([10, counts.time.now + 900_000]);
  });

  it('of another stream have the class counted again: its table was restored', async ({
    counts,
  }) => {
    await counts.consume(counts.inShard('old.1', 9000, [1, 5])); // and later ones, which were in the table
    for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) await counts.commit({ id, after: 1 });

    await counts.consume(counts.inShard('new.1', 10, [8, 8]));
    await openRecount(counts, { instance: 1, classNumber: 2 }).end();
    await counts.consume(counts.inShard('new.1', 20, [9, 9]));

    expect(await counts.jobs()).toHaveLength(1);
    expect(await counts.read()).toMatchObject({ count: 9, bytes: 9 * jsonBytes(valuesOf(1)) });
    expect(await counts.read()).not.toHaveProperty('recountAt');
  });

  it('of a count of an older version are kept: its changes may be repeated', async ({ counts }) => {
    await counts.consume(counts.inShard(undefined, 100, [1, 10]));
    expect(await counts.read()).toEqual({
      count: 10,
      bytes: 10 * jsonBytes(valuesOf(1)),
      position: '109'.padStart(40, '0'),
    });

    await counts.consume(counts.inShard('stream.a', 101, [2, 20]));

    expect(await counts.read()).toMatchObject({ count: 20, recountAt: counts.time.now + 900_000 });
  });

  it('that an older version did not know are replaced by a recount', async ({ counts }) => {
    const split = [
      counts.inShard(undefined, 9000, [501, 1000]),
      counts.inShard('stream.a', 1000, [1, 500]),
    ].flat();
    for (const { key, after } of split) {
      await counts.commit({ id: Number(key.sk), after: after === undefined ? undefined : 1 });
    }
    await counts.consume(split.slice(0, 500));
    await counts.consume(split.slice(500)); // in the other shard: some of them might have been counted
    expect(await counts.read()).toMatchObject({ count: 500 });

    counts.time.now += 900_000;
    await openRecount(counts, { instance: 1, classNumber: 2 }).end();
    await counts.consume(counts.inShard('stream.a', 1500, [1001, 1010]));

    expect(await counts.read()).toMatchObject({
      count: 1010,
      bytes: 1010 * jsonBytes(valuesOf(1)),
    });
    expect(await counts.read()).not.toHaveProperty('recountAt');
  });
});

describe('a recount', () => {
  it('of a part in which too many items change is repeated with fewer, then given up', async ({
    counts,
  }) => {
    await counts.consume(counts.inShard('stream.a', 1, [1, 1]));
    const current = await classCountEntity.read(counts.store, 1, 2);
    if (current === undefined) throw new Error('no count');
    await write(counts.store, updateItem(current, { ...current.data, recountAt: counts.time.now }));
    let id = 1;
    const burst = async () => {
      await counts.consume(counts.inShard('stream.a', id + 1, [id + 1, id + 5001]));
      id += 5001;
    };

    await openRecount(counts, { instance: 1, classNumber: 2 }, burst).end();

    expect(await counts.read()).toMatchObject({ count: id });
    expect(await counts.read()).not.toHaveProperty('recount');
    expect(id).toBe(1 + 25 * 5001);
  });

  it('runs once for all dead letters of a class', async ({ counts }) => {
    await counts.consume(counts.inShard('stream.a', 1, [1, 5]));
    for (const change of counts.inShard('stream.a', 3, [6, 9]))
      await consumer.replay?.(change, counts.services);

    expect(await counts.jobs()).toHaveLength(1);
    expect(await counts.read()).toMatchObject({ count: 5, recountAt: counts.time.now });
  });
});

const consumer = unorderedConsumers.find(({ name }) => name === 'class counts') as ChangeConsumer;

type Counts = Awaited<ReturnType<typeof openCounts>>;

/** Opens a store and the consumer of its counts, at a time that a test may change. */
async function openCounts() {
  const time = { now: Date.UTC(2026, 10, 26) }; // epoch milliseconds
  const store = await openTemporaryStore({ now: () => time.now });
  const clock = { ...openClock(), micros: () => time.now * 1000 };
  const services = { store, clock, ids: openIds(), log: () => undefined };
  const own = services as Partial<Services> as Services; // the part of a platform that counts need
  const forJobs = {
    ...services,
    settled: async () => undefined,
    endedBefore: async () => true,
  } as Partial<JobContext> as JobContext;
  const changeIn = (shard: string | undefined, position: number, made: Made) =>
    changeOf(made, { shard, position, at: Math.floor(time.now / 1000) * 1000 });
  return {
    time,
    store,
    services: own,
    context: forJobs,
    close: () => store.close(),
    consume: (changes: readonly ItemChange[]) => consumer.consume(changes, own),
    read: async () => (await classCountEntity.read(store, 1, 2))?.data,
    jobs: async (): Promise<readonly JobData[]> => {
      const shards = jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 100 }));
      return (await Promise.all(shards)).flatMap(({ items }) => items.map(({ data }) => data));
    },
    commit: async ({ id, after }: Made) => {
      const key = objectEntity.key(1, 2, id);
      const data = valuesOf(after ?? 0);
      await write(store, after === undefined ? del(key) : put(key, { kind: 'object', data }));
    },
    changeIn,
    inShard: (shard: string | undefined, first: number, [from, to]: [number, number]) =>
      Array.from({ length: to - from + 1 }, (_, n) =>
        changeIn(shard, first + n, { id: from + n, after: 1 }),
      ),
  };
}

interface Made {
  readonly id: number;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

/** Returns a change in a shard of the stream. */
function changeOf(
  { id, before, after }: Made,
  { shard, position, at }: { shard: string | undefined; position: number; at: number },
): ItemChange {
  return {
    key: objectEntity.key(1, 2, id),
    kind: 'object',
    ...(before !== undefined && { before: item(id, before) }),
    ...(after !== undefined && { after: item(id, after) }),
    change: { actor: {}, cause: 'client', depth: 0 },
    position: String(position).padStart(40, '0'),
    ...(shard !== undefined && { shard }),
    at,
  };
}

const item = (id: number, bytes: number): Stored => ({
  key: objectEntity.key(1, 2, id),
  kind: 'object',
  version: `${id}-${bytes}`,
  data: { bytes: jsonBytes(valuesOf(bytes)) },
});

/** A shard of a stream that a test writes to and reads. */
interface Shard {
  readonly name: string;
  readonly parent: Shard | undefined;
  readonly changes: ItemChange[];
  next: number;
  /** Of the changes that were delivered for the first time. */
  read: number;
  isClosed: boolean;
}

/** A table with its stream: keys are divided among the open shards. */
function openStream(counts: Counts, shardCount: number) {
  let named = 0;
  const open = (parent?: Shard): Shard => {
    named += 1;
    const next = parent === undefined ? (named * 7919) % 5000 : parent.next + ((named * 31) % 100);
    return { name: `stream.${named}`, parent, changes: [], next, read: 0, isClosed: false };
  };
  const shards = Array.from({ length: shardCount }, () => open());
  /** Shards by the last digit of ids. */
  const byDigit = Array.from({ length: 10 }, (_, digit) => shards[digit % shardCount] as Shard);
  const sizes = new Map<number, number>();
  let lastId = 0;
  const isRead = (shard: Shard | undefined): boolean =>
    shard === undefined || (shard.read === shard.changes.length && isRead(shard.parent));
  const deliverable = () =>
    shards.filter(({ parent, changes, read }) => read < changes.length && isRead(parent));
  const deliver = async (shard: Shard, size: number, repeated = 0) => {
    const from = Math.max(0, shard.read - repeated);
    const to = Math.min(shard.read + size, shard.changes.length);
    shard.read = to;
    if (to > from) await counts.consume(shard.changes.slice(from, to));
  };
  return {
    sizes,
    change: async (pick: number, after: number | undefined) => {
      const id = pick % 3 === 0 ? ++lastId : (pick % (lastId + 1)) + 1;
      const before = sizes.get(id);
      if ((before === undefined && after === undefined) || id > lastId + 1) return;
      lastId = Math.max(lastId, id);
      const made = { id, before, after };
      const shard = byDigit[id % 10] as Shard;
      shard.next += 1 + (pick % 3);
      shard.changes.push(counts.changeIn(shard.name, shard.next, made));
      if (after === undefined) sizes.delete(id);
      else sizes.set(id, after);
      await counts.commit(made);
    },
    split: (digit: number) => {
      const parent = byDigit[digit] as Shard;
      parent.isClosed = true;
      const children = [open(parent), open(parent)] as const;
      shards.push(...children);
      let n = 0;
      for (const [at, each] of byDigit.entries()) {
        if (each === parent) byDigit[at] = children[n++ % 2] as Shard;
      }
    },
    deliver: async (pick: number, size: number, repeated: number) => {
      const some = deliverable();
      const shard = some[pick % Math.max(1, some.length)];
      if (shard !== undefined) await deliver(shard, size, repeated);
    },
    /** Delivers again what was delivered, of any shard. */
    repeat: async (pick: number, size: number) => {
      const shard = shards[pick % shards.length] as Shard;
      const from = Math.max(0, shard.read - size);
      const to = Math.min(shard.read, from + 1 + (pick % size));
      if (to > from) await counts.consume(shard.changes.slice(from, to));
    },
    deliverAll: async () => {
      for (let shard = deliverable()[0]; shard !== undefined; shard = deliverable()[0]) {
        await deliver(shard, 3);
      }
    },
    expected: () => ({
      count: sizes.size,
      bytes: [...sizes.values()].reduce((sum, size) => sum + jsonBytes(valuesOf(size)), 0),
    }),
  };
}

type Stream = ReturnType<typeof openStream>;

/** Does the steps of a history; `job` runs a step of the recount, if there is one. */
async function play(
  counts: Counts,
  stream: Stream,
  steps: readonly Step[],
  job: () => Promise<void> = async () => undefined,
): Promise<void> {
  const doers: Record<string, (at: number, size: number | null) => unknown> = {
    change: (at, size) => stream.change(at, size ?? undefined),
    deliver: (at, size) => stream.deliver(at, size ?? 1, at % 4),
    repeat: (at, size) => stream.repeat(at, size ?? 1),
    split: (at) => stream.split(at),
    job,
  };
  for (const [kind, at, size] of steps) {
    counts.time.now += 100;
    await doers[kind]?.(at, size);
  }
}

/** Does the steps of a recount; `before` runs before a part is closed. */
function openRecount(
  counts: Counts,
  first: JsonObject,
  before: () => Promise<void> = async () => undefined,
) {
  let task: JsonObject | undefined = first;
  const job = async () => {
    if (task === undefined) return;
    if ('part' in task) await before();
    if ('part' in task) counts.time.now += openMs;
    const result: StepResult = await recountClass.step(counts.context, task);
    task = result === 'done' ? undefined : { ...result.task, size: first.size ?? 5000 };
  };
  const end = async () => {
    while (task !== undefined) await job();
  };
  return { job, end };
}

/** Makes the count wrong and recounts it during a history; `isPunctual`: no change arrives after a part is closed. */
async function recountDuring(counts: Counts, [shardCount, steps]: History, isPunctual: boolean) {
  const stream = openStream(counts, shardCount);
  await stream.change(0, 1);
  await stream.deliverAll();
  const current = await classCountEntity.read(counts.store, 1, 2);
  if (current === undefined) throw new Error('no count');
  const wrong = { ...current.data, count: 77, bytes: 7, recountAt: counts.time.now };
  await write(counts.store, updateItem(current, wrong));
  const task = { instance: 1, classNumber: 2, size: 2 };
  const recount = openRecount(counts, task, isPunctual ? stream.deliverAll : undefined);
  await play(counts, stream, steps, recount.job);
  await recount.end();
  await stream.deliverAll();
  const { recountAt, count, bytes } = (await counts.read()) as ClassCountData;
  return { expected: stream.expected(), recountAt, numbers: { count, bytes } };
}

const pick = fc.nat(1000);
type Step = readonly [string, number, number | null];
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constant('change'), pick, fc.option(fc.nat(50), { freq: 4 })),
  },
  { weight: 4, arbitrary: fc.tuple(fc.constant('deliver'), pick, fc.integer({ min: 1, max: 6 })) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('repeat'), pick, fc.integer({ min: 1, max: 6 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('split'), fc.nat(9), fc.constant(0)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('job'), pick, fc.constant(0)) },
) as fc.Arbitrary<Step>;

const history = fc.tuple(
  fc.integer({ min: 1, max: 8 }),
  fc.array(step, { minLength: 20, maxLength: 150 }),
);
type History = readonly [shardCount: number, steps: readonly Step[]];

/** Checks a law for many histories, each in a store of its own. */
function always(law: (each: History, counts: Counts) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(history, async (each) => {
    const counts = await openCounts();
    try {
      await law(each, counts);
    } finally {
      await counts.close();
    }
  });
  return fc.assert(property, { numRuns: 60 });
}
