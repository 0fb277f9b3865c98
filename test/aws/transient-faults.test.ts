import { setTimeout } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { jobTypes, unorderedConsumers } from '../../functions/jobs.ts';
import type { ChangeConsumer, Services } from '../../shared/jobs/change-feed.ts';
import {
  type BackgroundEvent,
  type BackgroundHandler,
  createBackground,
} from '../../shared/platforms/aws/jobs/background.ts';
import { writeItem } from '../../shared/platforms/aws/store/item.ts';
import { retry } from '../../shared/platforms/aws/store/retry.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Put, Store, WriteCause } from '../../shared/store/store.ts';
import { classCountEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { deadLetterEntity } from '../../shared/table/entities/jobs.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { put } from '../store/fixture.ts';
import { noFiles } from '../support/no-files.ts';
import { openVirtualTime, type VirtualTime } from '../support/virtual-time.ts';

/*
 * The background function behind shards of the table's stream, in virtual time, while the table throttles the items of a
 * tenant. A shard has one invocation at a time; what it reports is delivered again after a pause, and nothing behind it
 * before.
 */

const startMs = 1_800_000_000_000;
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: vi.fn(),
}));

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', async ({}, { onCleanup }) => {
  const time = openVirtualTime(startMs);
  vi.mocked(setTimeout).mockImplementation((ms = 0) => time.sleep(ms) as Promise<never>);
  const store = await openTemporaryStore({ now: time.now });
  onCleanup(() => store.close());
  return { time, store, sequence: 10_000_000 };
});

describe('a tenant whose items are throttled', () => {
  it.for([60, 120, 300, 900])(
    'for %i s has no dead letter, and all is counted',
    async (to, { given }) => {
      const outage = { instance: 1, from: 0, to, only: 'CLASSCOUNT' };
      const handler = open(given, [outage], unorderedConsumers);

      await runShards(
        given,
        handler,
        [range(500).map((id) => ({ at: 0, instance: 1, id: id + 1 }))],
        to + 180,
      );

      expect((await letters(given)).length).toBe(0);
      expect(await countOf(given, 1)).toBe(500);
    },
  );

  it('delays those of its shards by less than five seconds', async ({ given }) => {
    const outages = [{ instance: 1, from: 10, to: 910 }];
    const delays: number[] = [];
    const arrivalOf = new Map<string, number>();
    const watched: ChangeConsumer = {
      name: 'arrivals',
      watches: [{ kind: 'object', actions: ['create'], needsData: false }],
      consume: async (changes, services) => {
        for (const { key } of changes) await services.store.get([key]);
        const others = changes.filter(({ key }) => !key.pk.startsWith('INSTANCE#1#'));
        for (const { key } of others) {
          delays.push(seconds(given) - (arrivalOf.get(`${key.pk}${key.sk}`) ?? 0));
        }
      },
    };
    const handler = open(given, outages, [...unorderedConsumers, watched]);
    const shard = (instances: readonly number[]) =>
      range(920).flatMap((at) => instances.map((instance) => ({ at, instance, id: at + 1 })));
    const shards = [shard([1, 2, 3]), shard([4, 5])];
    for (const { at, instance, id } of shards.flat()) {
      const { pk, sk } = objectEntity.key(instance, 2, id);
      arrivalOf.set(`${pk}${sk}`, at);
    }

    await runShards(given, handler, shards, 1100);

    expect(await letters(given)).toEqual([]);
    expect(delays.length).toBeGreaterThanOrEqual(4 * 920);
    expect(Math.max(...delays)).toBeLessThan(5);
    expect(await Promise.all([1, 2, 3, 4, 5].map((instance) => countOf(given, instance)))).toEqual(
      Array(5).fill(920),
    );
  }, 60_000);
});

describe('an outage of the whole table', () => {
  it('for 900 s leaves no dead letter', async ({ given }) => {
    const handler = open(given, [{ instance: 0, from: 0, to: 900 }], unorderedConsumers);

    await runShards(
      given,
      handler,
      [range(500).map((id) => ({ at: 0, instance: 1, id: id + 1 }))],
      0,
    );

    expect(await letters(given)).toEqual([]);
    expect(await countOf(given, 1)).toBe(500);
  });
});

describe('a poisoned change', () => {
  it('delays the other tenants by less than five seconds, however many there are', async ({
    given,
  }) => {
    const delays: number[] = [];
    const picky: ChangeConsumer = {
      name: 'picky',
      watches: [{ kind: 'object', actions: ['create'], needsData: false }],
      consume: async (changes) => {
        if (changes.some(({ key }) => key.pk.startsWith('INSTANCE#1#'))) throw new Error('never');
        for (const { key } of changes) delays.push(seconds(given) - Number(key.sk));
      },
    };
    const good = range(60).map((at) => ({ at, instance: 2, id: at }));
    const poisoned = range(100).map((id) => ({ at: 10, instance: 1, id: id + 1 }));
    const arrivals = [...good, ...poisoned].toSorted((a, b) => a.at - b.at);

    await runShards(given, open(given, [], [picky]), [arrivals], 700);

    expect(Math.max(...delays)).toBeLessThan(5);
    const lettered = (await letters(given)).map(({ data }) => Number(data.key.sk));
    expect(lettered.toSorted((a, b) => a - b)).toEqual(range(100).map((at) => at + 1));
  });

  it.for([2, 3, 5, 8])(
    'is one dead letter also between transient faults, over %i shards',
    { timeout: 60_000 },
    async (shardCount, { given }) => {
      const poison = new Set([3, 40, 41, 77]);
      const random = seeded(shardCount);
      const outages = range(12).map(() => {
        const from = random() * 200;
        return { instance: 1 + Math.floor(random() * 4), from, to: from + random() * 60 };
      });
      const consumed = new Map<string, number[]>();
      const picky: ChangeConsumer = {
        name: 'picky',
        watches: [{ kind: 'object', actions: ['create'] }],
        consume: async (changes, { store: through }) => {
          for (const { key } of changes) {
            await through.get([{ pk: key.pk, sk: 'any' }]);
            const id = Number(key.sk);
            if (poison.has(id % 100)) throw new Error('never this one');
            const lane = `${key.pk} ${Math.floor(id / 1000)}`;
            const known = consumed.get(lane) ?? [];
            consumed.set(lane, known.includes(id) ? known : [...known, id]);
          }
        },
      };
      const shards = range(shardCount).map((shard) =>
        range(100).map((id) => ({
          at: id * 2,
          instance: 1 + Math.floor(random() * 4),
          id: (shard + 1) * 1000 + id,
        })),
      );
      const handler = open(given, outages, [picky]);

      await runShards(given, handler, shards, 600);

      const isPoison = ({ id }: Arrival) => poison.has(id % 100);
      const all = shards.flat();
      const lettered = (await letters(given)).map(({ data }) => Number(data.key.sk));
      expect(lettered.toSorted()).toEqual(
        all
          .filter(isPoison)
          .map(({ id }) => id)
          .toSorted(),
      );
      const found = [...consumed.values()].flat();
      expect(found.toSorted()).toEqual(
        all
          .filter((each) => !isPoison(each))
          .map(({ id }) => id)
          .toSorted(),
      );
      for (const ofLane of consumed.values()) {
        expect(ofLane).toEqual(ofLane.toSorted((a, b) => a - b)); // first deliveries, in order
      }
    },
  );
});

/** Returns a generator of the same numbers in each run. */
function seeded(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Given {
  readonly time: VirtualTime;
  readonly store: Store;
  /** Of the last record. */
  sequence: number;
}

/** A tenant is throttled from one second to another. */
interface Outage {
  readonly instance: number;
  readonly from: number;
  readonly to: number;
  /** Begin of the sort keys that are throttled; absent: all. */
  readonly only?: string;
}

const seconds = ({ time }: Given) => (time.now() - startMs) / 1000;

/** The store, as its adapter on AWS behaves while the table throttles the items of tenants. */
function throttledStore(given: Given, outages: readonly Outage[]): Store {
  const { time, store } = given;
  const pacing = { elapsedMs: time.now, random: () => 0.5, sleep: time.sleep };
  const isHot = ({ pk, sk }: { readonly pk: string; readonly sk?: string }) =>
    outages.some(
      ({ instance, from, to, only = '' }) =>
        (instance === 0 || `${pk}#`.startsWith(`INSTANCE#${instance}#`)) &&
        (sk ?? '').startsWith(only) &&
        seconds(given) >= from &&
        seconds(given) < to,
    );
  const through = <Result>(
    items: readonly { readonly pk: string; readonly sk?: string }[],
    run: () => Promise<Result>,
  ) =>
    retry(pacing, () => {
      if (!items.some(isHot)) return time.during(run());
      const error = new Error('too many requests');
      error.name = 'ProvisionedThroughputExceededException';
      return Promise.reject(error);
    });
  return {
    ...store,
    get: (keys) => through(keys, () => store.get(keys)),
    query: ({ pk, ...query }) => through([{ pk }], () => store.query({ pk, ...query })),
    write: (transaction) =>
      through(
        transaction.writes.map(({ key }) => key),
        () => store.write(transaction),
      ),
  };
}

function open(
  given: Given,
  outages: readonly Outage[],
  consumers: readonly ChangeConsumer[],
): BackgroundHandler {
  const { time } = given;
  const clock = openClock({ wallMs: time.now, steadyMs: time.now });
  const store = throttledStore(given, outages);
  const metered = { store, clock, ids: openIds(), log: () => undefined };
  const services = {
    ...metered,
    files: noFiles,
    meter: openMeter(metered),
  } as Partial<Services> as Services; // the part of a platform that the tests need
  const handler = createBackground({
    services,
    consumers,
    kinds: jobTypes,
    wakeUps: async () => undefined,
    invokeLater: async (event) => void handler(event, invocation(time)),
  });
  return handler;
}

function invocation(time: VirtualTime) {
  const end = time.now() + 300_000;
  return { getRemainingTimeInMillis: () => end - time.now() };
}

/** A change of an object that arrives at a second. */
interface Arrival {
  readonly at: number;
  readonly instance: number;
  readonly id: number;
}

const byClient: WriteCause = { actor: { admin: 7 }, cause: 'client', depth: 0 };

function record(given: Given, { instance, id }: Arrival): DynamoDBRecord {
  given.sequence += 1;
  const item = put(objectEntity.key(instance, 2, id), { kind: 'object' }) as Put;
  return {
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: String(given.sequence),
      NewImage: writeItem(item, 'w1', byClient) as never,
    },
  };
}

const maxBatch = 500;

/** Delivers the changes of a shard, as an event source does that retries without end. */
async function runShard(
  given: Given,
  handler: BackgroundHandler,
  arrivals: readonly Arrival[],
): Promise<void> {
  const records = arrivals.map((arrival) => ({ ...arrival, record: record(given, arrival) }));
  for (let read = 0; read < records.length; ) {
    const batch = records.slice(read, read + maxBatch).filter(({ at }) => at <= seconds(given));
    read += batch.length;
    if (batch.length === 0) await given.time.sleep(100);
    else
      await deliverBatch(
        given,
        handler,
        batch.map((each) => each.record),
      );
  }
}

async function deliverBatch(
  { time }: Given,
  handler: BackgroundHandler,
  batch: readonly DynamoDBRecord[],
) {
  let rest = batch;
  for (let failures = 1; ; failures += 1) {
    const event = { Records: [...rest] } as BackgroundEvent;
    const { batchItemFailures } = await handler(event, invocation(time));
    const [failure] = batchItemFailures;
    if (failure === undefined) return;
    const number = failure.itemIdentifier;
    rest = rest.slice(rest.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === number));
    await time.sleep(Math.min(60_000, 500 * 2 ** failures));
  }
}

/** Runs shards until all is delivered, with ticks, and for some minutes after. */
async function runShards(
  given: Given,
  handler: BackgroundHandler,
  shards: readonly (readonly Arrival[])[],
  untilSecond: number,
): Promise<void> {
  const delivered = Promise.all(shards.map((shard) => runShard(given, handler, shard)));
  const tick = async () => {
    while (seconds(given) < untilSecond) {
      await given.time.sleep(60_000);
      await handler({}, invocation(given.time)).catch(() => undefined); // without the table it has nothing to do
    }
  };
  await given.time.run(Promise.all([delivered, tick()]));
}

const letters = async ({ store }: Given) =>
  (await deadLetterEntity.list(store, [], { limit: 1000 })).items;

async function countOf({ store }: Given, instance: number): Promise<number | undefined> {
  return (await classCountEntity.read(store, instance, 2))?.data.count;
}

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
