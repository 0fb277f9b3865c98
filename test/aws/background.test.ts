import { setImmediate } from 'node:timers/promises';
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { describe, expect, vi } from 'vitest';
import { jobTypes, unorderedConsumers } from '../../functions/jobs.ts';
import type { ChangeConsumer, Services } from '../../shared/jobs/change-feed.ts';
import { type JobType, leasedJob, newJob } from '../../shared/jobs/jobs.ts';
import {
  type BackgroundEvent,
  type BackgroundOptions,
  createBackground,
} from '../../shared/platforms/aws/jobs/background.ts';
import { readStreamRecord } from '../../shared/platforms/aws/jobs/stream.ts';
import type { WakeUps } from '../../shared/platforms/aws/jobs/wake-ups.ts';
import { type Item, writeItem } from '../../shared/platforms/aws/store/item.ts';
import type { LocalStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import type { FileContent, FileStore } from '../../shared/ports/file-store.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { Put, Store, WriteCause } from '../../shared/store/store.ts';
import { classCountEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { deadLetterEntity, jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { dueOf } from '../../shared/table/key-parts.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { put, write } from '../store/fixture.ts';
import { noFiles } from '../support/no-files.ts';
import { storeTest } from '../support/store-test.ts';

/*
 * The background function, with records as in the table's stream: images are those that the adapter writes.
 */

const it = storeTest.extend('given', ({ store }) => setUp(store));

const byClient: WriteCause = { actor: { admin: 7 }, cause: 'client', depth: 0 };
const byMaintenance: WriteCause = { actor: {}, cause: 'maintenance', depth: 0 };
const object = (id: number) => put(objectEntity.key(1, 2, id), { kind: 'object' }) as Put;

const image = (item: Put, change = byClient) => writeItem(item, 'w1', change);
describe('changes in the stream', () => {
  it('are counted once, however often they arrive', async ({ given }) => {
    const handle = given.open();
    const first = [given.created(1), given.created(2), given.created(3)];
    const second = [given.created(4), given.removed(2), given.created(5)];

    const responses = [await handle(first), await handle(first), await handle(second)];
    await handle(second);

    expect(await counted(given)).toBe(4);
    expect(responses).toEqual([1, 2, 3].map(() => ({ batchItemFailures: [] })));
  });

  it('have the bytes of objects counted, as they grow and are deleted', async ({ given }) => {
    const sized = (id: number, text: string) =>
      image({ ...object(id), data: { values: { text } } } as Put);
    const empty = '{"values":{"text":""}}'.length;

    await given.open()([
      given.record({ after: sized(1, 'é') }),
      given.record({ after: sized(2, 'abc') }),
      given.record({ before: sized(1, 'é'), after: sized(1, 'éabcd') }),
      given.record({ before: sized(2, 'abc') }),
    ]);

    const [item] = await given.store.get([classCountEntity.key(1, 2)]);
    expect(item?.data).toMatchObject({ count: 1, bytes: empty + 6 });
  });

  it('of maintenance, of counters, and of expired items have no effects', async ({ given }) => {
    const handle = given.open();
    const expiry = { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } };
    const counter = { pk: { S: 'INSTANCE#1#SEQUENCE' }, sk: { S: 'object' }, t: { S: 'counter' } };

    await handle([given.created(1), given.created(2)]);
    await handle([
      given.created(3, byMaintenance),
      given.created(4, byMaintenance),
      given.record({ after: counter }),
      given.record({ before: image(object(1)), more: expiry }),
    ]);

    expect(await counted(given)).toBe(2);
  });

  it('with one poisoned change become a dead letter, and the rest continues', async ({ given }) => {
    const taken: string[] = [];
    const consumer: ChangeConsumer = {
      name: 'picky',
      watches: [{ kind: 'object', actions: ['create'] }],
      consume: async (changes) => {
        if (changes.some(({ key }) => key.sk.endsWith('3'))) throw new Error('not this one');
        taken.push(...changes.map(({ key }) => key.sk));
      },
    };
    const handle = given.open({ consumers: [consumer] });

    const response = await handle([1, 2, 3, 4].map((id) => given.created(id)));

    const letters = await deadLetterEntity.list(given.store, [], { limit: 10 });
    expect(response).toEqual({ batchItemFailures: [] });
    expect(taken.map(Number)).toEqual([1, 2, 4]);
    expect(letters.items.map(({ data }) => data)).toMatchObject([
      { consumer: 'picky', key: objectEntity.key(1, 2, 3), change: byClient },
    ]);
    expect(given.logged).toMatchObject([{ level: 'error', consumer: 'picky' }]);
  });

  it('too large for an item are kept as a whole, and are delivered again on request', async ({
    given,
  }) => {
    const contents = new Map<string, FileContent>();
    const files: FileStore = {
      ...noFiles,
      put: async (_, key, file) => void contents.set(key, file),
      get: async (_, key) => contents.get(key),
      remove: async (_, keys) => {
        for (const key of keys) contents.delete(key);
      },
    };
    let isBroken = true;
    const taken: unknown[] = [];
    const consumer: ChangeConsumer = {
      name: 'picky',
      watches: [{ kind: 'object', actions: ['update'] }],
      consume: async (changes) => {
        if (isBroken) throw new Error('not now');
        taken.push(...changes.map(({ before, after }) => [before?.data, after?.data]));
      },
    };
    const large = (letter: string) => ({ ...object(1), data: { text: letter.repeat(390_000) } });
    const options = { consumers: [consumer], files };
    const change = given.record({ before: image(large('x')), after: image(large('y')) });
    const response = await given.open(options)([change]);
    const [letter] = (await deadLetterEntity.list(given.store, [], { limit: 10 })).items;
    const kept = [...contents.keys()];
    const ask = (action: 'replay' | 'drop') => {
      const { id = '' } = letter?.data ?? {};
      const at = new Date(dueOf(letter?.key ?? { pk: '', sk: '' })).toISOString();
      return given.open(options, { deadLetter: { action, id, at } })([]);
    };

    await expect(ask('replay')).rejects.toThrow('not now');
    isBroken = false;
    await ask('replay');

    expect(response).toEqual({ batchItemFailures: [] });
    expect(kept).toEqual([`dead-letters/${letter?.data.id}`]);
    expect(taken).toEqual([[large('x').data, large('y').data]]);
    expect((await deadLetterEntity.list(given.store, [], { limit: 10 })).items).toEqual([]);
    expect(contents.size).toBe(0);
    await expect(ask('drop')).rejects.toThrow('there is no dead letter');
  });

  it('that were missed are counted by a recount when their dead letter is delivered', async ({
    given,
  }) => {
    const handle = given.open();
    const late = given.created(1);
    await handle([given.created(2), given.created(3)]);
    const [counts] = unorderedConsumers.filter(({ name }) => name === 'class counts');
    const change = readStreamRecord(late, new Set());
    if (change === undefined) throw new Error('no change');

    await counts?.replay?.(change, given as Partial<Services> as Services);

    expect(await counted(given)).toBe(2);
    expect(await workLeft(given)).toContainEqual(
      expect.objectContaining({
        kind: 'recount-class',
        task: { instance: 1, classNumber: 2, of: 'objects' },
      }),
    );
  });

  it('alone and old are left to a job, because they may have killed the function', async ({
    given,
  }) => {
    const taken: string[] = [];
    const consumer: ChangeConsumer = {
      name: 'picky',
      watches: [{ kind: 'object', actions: ['create'] }],
      consume: async (changes) => void taken.push(...changes.map(({ key }) => key.sk)),
    };
    const handle = given.open({ consumers: [consumer] });
    const aged = (id: number, seconds: number) => {
      const { dynamodb, ...rest } = given.created(id);
      const at = Math.floor(Date.now() / 1000) - seconds;
      return { ...rest, dynamodb: { ...dynamodb, ApproximateCreationDateTime: at } };
    };

    const response = await handle([aged(1, 90)]);
    await handle([aged(2, 2)]); // behind it
    const before = [...taken];
    given.now = Date.now() + 2000;
    await handle([]);

    expect(response).toEqual({ batchItemFailures: [] });
    expect(before).toEqual([]);
    expect(taken.map(Number)).toEqual([1, 2]);
    expect(await workLeft(given)).toEqual([]);
  });

  it('that cannot be stored as a dead letter arrive again as a whole', async ({ given }) => {
    const broken: Store = { ...given.store, write: () => Promise.reject(new Error('no table')) };
    const handle = given.open({ through: broken });

    const response = await handle([given.created(1), given.created(2)]);

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '99999991' }] });
    expect(given.logged.at(-1)).toMatchObject({
      level: 'error',
      message: 'changes could not be consumed',
    });
    await given.open()([given.created(1), given.created(2)]);
    expect(await counted(given)).toBe(2);
  });
});

describe('jobs', () => {
  it('are done when they arrive in the stream', async ({ given }) => {
    const { steps, kind } = countUp();
    const item = newJob(given, kind, { at: 1 });
    await write(given.store, item);

    await given.open({ kinds: [kind] })([given.record({ after: image(item) })]);
    await Promise.all(given.invoked);

    expect([steps, await workLeft(given)]).toEqual([[1, 2, 3], []]);
  });

  it('that are due are done with a tick, except in the last seconds of the function', async ({
    given,
  }) => {
    const { steps, kind } = countUp();
    await write(given.store, newJob(given, kind, { at: 1 }));
    const handle = given.open({ kinds: [kind] });

    await handle([], 20_000);
    expect([steps, (await workLeft(given)).length]).toEqual([[], 1]);
    await handle([]);

    expect([steps, await workLeft(given)]).toEqual([[1, 2, 3], []]);
  });

  it('that take minutes do not delay the others of their shard', async ({ given }) => {
    const { steps, kind } = countUp();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const ends: (() => void)[] = [];
      let isOver = false;
      const slow: JobType = {
        name: 'slow',
        step: () =>
          new Promise((resolve) => {
            ends.push(() => resolve('done'));
            if (isOver) resolve('done');
          }),
      };
      const inShard = (at: number) => ({ ...given, ids: { ...given.ids, random: () => `0${at}` } });
      await write(
        given.store,
        ...[1, 2, 3, 4, 5].map((at) => newJob(inShard(at), slow, {}, Date.now() - 10 + at)),
        newJob(inShard(6), kind, { at: 3 }),
      );

      const ended = given.open({ kinds: [slow, kind] })([]);
      const startedMs = performance.now();
      for (
        let turns = 0;
        steps.length === 0 && performance.now() - startedMs < 60_000;
        turns += 1
      ) {
        await setImmediate();
        if (ends.length >= 4 && turns % 20 === 0) vi.advanceTimersByTime(100); // writes have their time in between
      }
      const during = [ends.length, [...steps]];
      isOver = true;
      for (const end of ends) end();
      await ended;

      expect(during).toEqual([5, [3]]);
      expect(await workLeft(given)).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('count a class again that a change was missed of, once the changes of that time have arrived', async ({
    given,
  }) => {
    const handle = given.open();
    await write(given.store, ...[1, 2, 3, 4, 5].map(object));
    await handle([given.created(1), given.created(2)]); // and never the others
    const quiet = await workLeft(given);
    await given.open({}, replayOf([given.created(3)]))([]);

    given.now = Date.now() + 1000;
    await handle([]);
    const before = await counted(given);
    given.now += 21_000;
    await handle([]);

    expect([quiet, before, await counted(given), await workLeft(given)]).toEqual([[], 2, 5, []]);
  });
});

const inShard = (shardId: string, Records: DynamoDBRecord[]): BackgroundEvent => ({
  Records,
  window: { start: '2026-11-26T00:00:00Z', end: '2026-11-26T00:15:00Z' },
  shardId: `shardId-00000001764115200000-${shardId}`,
});
const replayOf = (Records: DynamoDBRecord[]): BackgroundEvent => ({ Records, isReplay: true });

describe('changes of a reader with windows', () => {
  it('are counted by shard, and their response has a state', async ({ given }) => {
    const early = [given.created(1), given.created(2)];
    const [late, again] = [[given.created(3)], [given.created(4)]];

    const responses = [
      await given.open({}, inShard('b', late))([]),
      await given.open({}, inShard('a', early))([]),
      await given.open({}, inShard('a', early))([]),
      await given.open({}, inShard('b', again))([]),
    ];

    expect(await counted(given)).toBe(4);
    expect(responses).toEqual(Array(4).fill({ batchItemFailures: [], state: {} }));
  });

  it('have a last event without records, which runs no jobs', async ({ given }) => {
    const kind: JobType = { name: 'waiting', step: async () => 'done' };
    await write(given.store, newJob(given, kind, {}));

    const response = await given.open({ kinds: [kind] }, inShard('a', []))([]);

    expect(response).toEqual({ batchItemFailures: [], state: {} });
    expect(await workLeft(given)).toHaveLength(1);
  });
});

describe('queries for jobs', () => {
  const kind: JobType = { name: 'quick', step: async () => 'done' };
  it('are one per shard in a tick that finds none due', async ({ given }) => {
    const counting = countQueries(given);
    const later = [10, 60, 70, 3600].map((seconds) =>
      newJob(given, kind, {}, given.now + seconds * 1000),
    );
    await write(given.store, ...later);

    await given.open({ through: counting.store, kinds: [kind] })([]);

    expect([counting.queries, given.woken.flat().length]).toEqual([16, 3]);
  });

  it('are one per shard after a wake-up', async ({ given }) => {
    const counting = countQueries(given);
    const message = { body: String(given.now / 1000), eventSource: 'aws:sqs' } as SQSRecord;

    await given.open({ through: counting.store, kinds: [kind] })([message]);
    await Promise.all(given.invoked);

    expect(counting.queries).toBe(16);
  });

  it('are two more after the start of due jobs of a shard', async ({ given }) => {
    const counting = countQueries(given);
    const inShard = (id: string) =>
      newJob({ ...given, ids: { ...given.ids, random: () => id } }, kind, {});
    await write(given.store, ...['b1', 'b2', 'b3'].map(inShard));

    await given.open({ through: counting.store, kinds: [kind] })([]);

    expect([counting.queries, await workLeft(given)]).toEqual([18, []]);
  });

  it('find jobs of every shard, more than run at once', async ({ given }) => {
    const counting = countQueries(given);
    const jobs = Array.from({ length: 160 }, (_, instance) => newJob(given, kind, { instance }));
    expect(new Set(jobs.map(({ key }) => key.pk)).size).toBe(jobShards.length);
    for (let at = 0; at < jobs.length; at += 24)
      await write(given.store, ...jobs.slice(at, at + 24));

    await given.open({ through: counting.store, kinds: [kind] })([]);

    expect(await workLeft(given)).toEqual([]);
  });
});

describe('jobs between two ticks', () => {
  it('get wake-ups by a tick, unless a process has their lease', async ({ given }) => {
    const { ran, kind, jobIn } = note(given);
    const leased = leasedJob(given, kind, { task: {}, due: given.now + 20_000 });
    await write(given.store, ...[-1, 5, 5, 60, 74, 76].map(jobIn), leased);

    await given.open({ kinds: [kind] })([]);

    expect(given.woken.map(secondsOf)).toEqual([[5, 5, 60, 74]]);
    expect(ran).toEqual(['-1']);
  });

  it.for<[string, (given: Given, job: Put) => DynamoDBRecord | SQSRecord]>([
    ['the stream', ({ record }, job) => record({ after: image(job) })],
    ['the queue of wake-ups', () => wakeUp(0)],
  ])(
    'are not delayed by a job of minutes that %s has started',
    async ([_name, event], { given }) => {
      const { ran, kind, jobIn } = note(given);
      let end = () => {};
      const slow: JobType = {
        name: 'slow',
        step: () =>
          new Promise((resolve) => {
            end = () => resolve('done');
          }),
      };
      const handle = given.open({ kinds: [slow, kind] });
      await write(given.store, newJob(given, slow, {}, given.now));

      await handle([event(given, jobIn(0))]); // ends although the job does not
      await write(given.store, jobIn(0));
      await handle([event(given, jobIn(0))]);
      await vi.waitUntil(() => ran.length > 0, { timeout: 10_000 });
      end();
      await Promise.all(given.invoked);

      expect([ran, given.started]).toEqual([['0'], 2]);
      expect(await workLeft(given)).toEqual([]);
    },
  );

  it('get wake-ups when the stream shows them', async ({ given }) => {
    const { ran, kind, jobIn } = note(given);
    const jobs = [0, 30, 90].map(jobIn);
    await write(given.store, ...jobs, jobIn(40));

    await given.open({ kinds: [kind] })(jobs.map((job) => given.record({ after: image(job) })));
    await Promise.all(given.invoked);

    expect(given.woken.map(secondsOf)).toEqual([[30]]);
    expect(ran).toEqual(['0']);
  });

  it('are run by a wake-up, which sends no other', async ({ given }) => {
    const { ran, kind, jobIn } = note(given);
    await write(given.store, ...[30, 40].map(jobIn));
    const handle = given.open({ kinds: [kind] });
    given.now += 30_000;

    await Promise.all([handle([wakeUp(30), wakeUp(29)]), handle([wakeUp(30)])]);
    await Promise.all(given.invoked);

    expect(ran).toEqual(['30']);
    expect(given.woken.flat()).toEqual([]);
  });

  it('are run by a wake-up that arrives a little early', async ({ given }) => {
    const { ran, kind } = note(given);
    given.now = 0; // the real time passes
    const due = Date.now() + 20;
    await write(given.store, newJob(given, kind, { at: 'soon' }, due));

    await given.open({ kinds: [kind] })([{ body: String(due / 1000) } as SQSRecord]);
    await Promise.all(given.invoked);

    expect(ran).toEqual(['soon']);
  });

  it('are looked for by a message that cannot be read, and the operator hears of it', async ({
    given,
  }) => {
    const { ran, kind, jobIn } = note(given);
    await write(given.store, jobIn(-1));

    const response = await given.open({ kinds: [kind] })([{ body: 'soon' } as SQSRecord]);
    await Promise.all(given.invoked);

    expect(response).toEqual({ batchItemFailures: [] });
    expect(ran).toEqual(['-1']);
    expect(given.logged).toMatchObject([{ level: 'error', message: 'a wake-up has no time' }]);
  });

  it('are run by the next tick when the function cannot be invoked', async ({ given }) => {
    const { ran, kind, jobIn } = note(given);
    await write(given.store, jobIn(0));
    const invokeLater = () => Promise.reject(new Error('no function'));
    const handle = given.open({ kinds: [kind], invokeLater });

    const response = await handle([given.record({ after: image(jobIn(0)) })]);
    const before = [...ran];
    await handle([]);

    expect(response).toEqual({ batchItemFailures: [] });
    expect([before, ran]).toEqual([[], ['0']]);
    expect(errors(given)).toMatchObject([{ message: 'jobs could not be started' }]);
  });

  it('are run by the next tick when no wake-up can be sent', async ({ given }) => {
    const { ran, kind, jobIn } = note(given);
    await write(given.store, jobIn(-1), jobIn(5));
    const wakeUps = () => Promise.reject(new Error('no queue'));
    const handle = given.open({ kinds: [kind], wakeUps });

    const response = await handle([]);
    given.now += 60_000;
    await handle([]);

    expect(response).toEqual({ batchItemFailures: [] });
    expect(ran).toEqual(['-1', '5']);
    expect(errors(given)).toMatchObject([{ message: 'wake-ups failed' }, {}]);
  });
});

type Given = ReturnType<typeof setUp>;

/** The function, on an empty store. */
function setUp(store: LocalStore) {
  const real = openClock();
  const given = {
    store,
    clock: { ...real, micros: () => (given.now === 0 ? real.micros() : given.now * 1000) },
    ids: openIds(),
    now: 0, // epoch milliseconds; 0: the real time
    logged: [] as LogEntry[],
    started: 0, // invocations by the function itself
    invoked: [] as Promise<unknown>[], // their results
    woken: [] as (readonly number[])[], // times of wake-ups, by request
    ...streamRecords(),
    open,
  };
  return given;

  function open(
    use: {
      readonly consumers?: readonly ChangeConsumer[];
      readonly kinds?: readonly JobType[];
      readonly through?: Store;
      readonly wakeUps?: WakeUps;
      readonly files?: FileStore;
      readonly invokeLater?: () => Promise<void>;
    } = {},
    event?: BackgroundEvent,
  ) {
    const log = (entry: LogEntry) => given.logged.push(entry);
    const metered = { store: use.through ?? store, clock: given.clock, ids: given.ids, log };
    const services = {
      ...metered,
      files: use.files ?? noFiles,
      meter: openMeter(metered),
    } as Partial<Services> as Services; // the part of a platform that the tests need
    const record = async (times: readonly number[]) => void given.woken.push(times);
    const { consumers = unorderedConsumers, kinds = jobTypes, wakeUps = record } = use;
    const later: BackgroundOptions['invokeLater'] = async (event) => {
      given.started += 1;
      given.invoked.push(handler(event, { getRemainingTimeInMillis: () => 300_000 }));
    };
    const { invokeLater = later } = use;
    const handler = createBackground({ services, consumers, kinds, wakeUps, invokeLater });
    return (records: readonly (DynamoDBRecord | SQSRecord)[], remainingMs = 300_000) =>
      handler(event ?? (records.length === 0 ? {} : ({ Records: records } as BackgroundEvent)), {
        getRemainingTimeInMillis: () => remainingMs,
      });
  }
}

/** Makes records of the stream, in order. */
function streamRecords() {
  let sequence = 0;
  function record({ before, after, more }: Images): DynamoDBRecord {
    sequence += 1;
    const eventName = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
    return {
      eventName,
      dynamodb: {
        SequenceNumber: String(99_999_990 + sequence), // grows by a digit on the way
        ...(before && { OldImage: before as never }),
        ...(after && { NewImage: after as never }),
      },
      ...more,
    };
  }

  const created = (id: number, change?: WriteCause) => record({ after: image(object(id), change) });
  const removed = (id: number) => record({ before: image(object(id)) });
  return { record, created, removed };
}

interface Images {
  readonly before?: Item;
  readonly after?: Item;
  readonly more?: object;
}

async function counted({ store }: Given): Promise<unknown> {
  const [item] = await store.get([classCountEntity.key(1, 2)]);
  return (item?.data as { count?: number } | undefined)?.count;
}

async function workLeft({ store }: Given): Promise<readonly object[]> {
  const found = await Promise.all(
    jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 10 })),
  );
  return found.flatMap(({ items }) => items.map(({ data }) => data));
}

function errors({ logged }: Given): readonly LogEntry[] {
  return logged.filter(({ level }) => level === 'error');
}

/** A kind of jobs with three steps. */
function countUp() {
  const steps: number[] = [];
  const kind: JobType = {
    name: 'count-up',
    step: async (_, task) => {
      const { at } = task as { at: number };
      steps.push(at);
      return at === 3 ? 'done' : { task: { at: at + 1 } };
    },
  };
  return { steps, kind };
}

const fixedMs = 1_800_000_000_000;

/** A store whose queries are counted, from a fixed time. */
function countQueries(given: Given) {
  given.now = fixedMs;
  const counting = {
    queries: 0,
    store: {
      ...given.store,
      query: (query) => {
        counting.queries += 1;
        return given.store.query(query);
      },
    } as Store,
  };
  return counting;
}

/** A kind of jobs that leave a note, from a fixed time. */
function note(given: Given) {
  given.now = fixedMs;
  const ran: string[] = [];
  const kind: JobType = {
    name: 'note',
    step: async (_, { at }) => {
      ran.push(String(at));
      return 'done';
    },
  };
  const jobIn = (seconds: number) => newJob(given, kind, { at: seconds }, fixedMs + seconds * 1000);
  return { ran, kind, jobIn };
}

function wakeUp(seconds: number): SQSRecord {
  return { body: String(fixedMs / 1000 + seconds), eventSource: 'aws:sqs' } as SQSRecord;
}

function secondsOf(times: readonly number[] | undefined) {
  return times?.map((time) => (time - fixedMs) / 1000).toSorted((a, b) => a - b);
}
