import { setImmediate } from 'node:timers/promises';
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
import { type LocalStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
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

/*
 * The background function, with records as in the table's stream: images are those that the adapter writes.
 */

let store: LocalStore;
let logged: LogEntry[];
const errors = () => logged.filter(({ level }) => level === 'error');
let sequence: number;
let now: number; // epoch milliseconds; 0: the real time
let started: number; // invocations by the function itself
let invoked: Promise<unknown>[]; // their results
let woken: (readonly number[])[]; // times of wake-ups, by request

beforeEach(async () => {
  store = await openTemporaryStore({ now: Date.now });
  logged = [];
  sequence = 0;
  now = 0;
  woken = [];
  started = 0;
  invoked = [];
});
afterEach(() => store.close());

const real = openClock();
const clock = { ...real, micros: () => (now === 0 ? real.micros() : now * 1000) };
const ids = openIds();

function open(
  given: {
    readonly consumers?: readonly ChangeConsumer[];
    readonly kinds?: readonly JobType[];
    readonly through?: Store;
    readonly wakeUps?: WakeUps;
    readonly files?: FileStore;
    readonly invokeLater?: () => Promise<void>;
  } = {},
  event?: BackgroundEvent,
) {
  const log = (entry: LogEntry) => logged.push(entry);
  const metered = { store: given.through ?? store, clock, ids, log };
  const services = {
    ...metered,
    files: given.files ?? noFiles,
    meter: openMeter(metered),
  } as Partial<Services> as Services; // the part of a platform that the tests need
  const record = async (times: readonly number[]) => void woken.push(times);
  const { consumers = unorderedConsumers, kinds = jobTypes, wakeUps = record } = given;
  const later: BackgroundOptions['invokeLater'] = async (event) => {
    started += 1;
    invoked.push(handler(event, { getRemainingTimeInMillis: () => 300_000 }));
  };
  const { invokeLater = later } = given;
  const handler = createBackground({ services, consumers, kinds, wakeUps, invokeLater });
  return (records: readonly (DynamoDBRecord | SQSRecord)[], remainingMs = 300_000) =>
    handler(event ?? (records.length === 0 ? {} : ({ Records: records } as BackgroundEvent)), {
      getRemainingTimeInMillis: () => remainingMs,
    });
}

const byClient: WriteCause = { actor: { admin: 7 }, cause: 'client', depth: 0 };
const byMaintenance: WriteCause = { actor: {}, cause: 'maintenance', depth: 0 };
const object = (id: number) => put(objectEntity.key(1, 2, id), { kind: 'object' }) as Put;

interface Images {
  readonly before?: Item;
  readonly after?: Item;
  readonly more?: object;
}

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

const image = (item: Put, change = byClient) => writeItem(item, 'w1', change);
const created = (id: number, change?: WriteCause) => record({ after: image(object(id), change) });
const removed = (id: number) => record({ before: image(object(id)) });

async function counted(): Promise<unknown> {
  const [item] = await store.get([classCountEntity.key(1, 2)]);
  return (item?.data as { count?: number } | undefined)?.count;
}

async function workLeft(): Promise<readonly object[]> {
  const found = await Promise.all(
    jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 10 })),
  );
  return found.flatMap(({ items }) => items.map(({ data }) => data));
}

describe('changes in the stream', () => {
  it('are counted once, however often they arrive', async () => {
    const handle = open();
    const first = [created(1), created(2), created(3)];
    const second = [created(4), removed(2), created(5)];

    const answers = [await handle(first), await handle(first), await handle(second)];
    await handle(second);

    expect(await counted()).toBe(4);
    expect(answers).toEqual([1, 2, 3].map(() => ({ batchItemFailures: [] })));
  });

  it('have the bytes of objects counted, as they grow and are deleted', async () => {
    const sized = (id: number, text: string) =>
      image({ ...object(id), data: { values: { text } } } as Put);
    const empty = '{"values":{"text":""}}'.length;

    await open()([
      record({ after: sized(1, 'é') }),
      record({ after: sized(2, 'abc') }),
      record({ before: sized(1, 'é'), after: sized(1, 'éabcd') }),
      record({ before: sized(2, 'abc') }),
    ]);

    const [item] = await store.get([classCountEntity.key(1, 2)]);
    expect(item?.data).toMatchObject({ count: 1, bytes: empty + 6 });
  });

  it('of maintenance, of counters, and of expired items have no effects', async () => {
    const handle = open();
    const expiry = { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } };
    const counter = { pk: { S: 'INSTANCE#1#SEQUENCE' }, sk: { S: 'object' }, t: { S: 'counter' } };

    await handle([created(1), created(2)]);
    await handle([
      created(3, byMaintenance),
      created(4, byMaintenance),
      record({ after: counter }),
      record({ before: image(object(1)), more: expiry }),
    ]);

    expect(await counted()).toBe(2);
  });

  it('with one poisoned change become a dead letter, and the rest continues', async () => {
    const taken: string[] = [];
    const consumer: ChangeConsumer = {
      name: 'picky',
      watches: [{ kind: 'object', actions: ['create'] }],
      consume: async (changes) => {
        if (changes.some(({ key }) => key.sk.endsWith('3'))) throw new Error('not this one');
        taken.push(...changes.map(({ key }) => key.sk));
      },
    };
    const handle = open({ consumers: [consumer] });

    const answer = await handle([1, 2, 3, 4].map((id) => created(id)));

    const letters = await deadLetterEntity.list(store, [], { limit: 10 });
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(taken.map(Number)).toEqual([1, 2, 4]);
    expect(letters.items.map(({ data }) => data)).toMatchObject([
      { consumer: 'picky', key: objectEntity.key(1, 2, 3), change: byClient },
    ]);
    expect(logged).toMatchObject([{ level: 'error', consumer: 'picky' }]);
  });

  it('too large for an item are kept as a whole, and are delivered again on request', async () => {
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
    const change = record({ before: image(large('x')), after: image(large('y')) });
    const answer = await open(options)([change]);
    const [letter] = (await deadLetterEntity.list(store, [], { limit: 10 })).items;
    const kept = [...contents.keys()];
    const ask = (action: 'replay' | 'drop') => {
      const { id = '' } = letter?.data ?? {};
      const at = new Date(dueOf(letter?.key ?? { pk: '', sk: '' })).toISOString();
      return open(options, { deadLetter: { action, id, at } })([]);
    };

    await expect(ask('replay')).rejects.toThrow('not now');
    isBroken = false;
    await ask('replay');

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(kept).toEqual([`dead-letters/${letter?.data.id}`]);
    expect(taken).toEqual([[large('x').data, large('y').data]]);
    expect((await deadLetterEntity.list(store, [], { limit: 10 })).items).toEqual([]);
    expect(contents.size).toBe(0);
    await expect(ask('drop')).rejects.toThrow('there is no dead letter');
  });

  it('that were missed are counted by a recount when their dead letter is delivered', async () => {
    const handle = open();
    const late = created(1);
    await handle([created(2), created(3)]);
    const [counts] = unorderedConsumers.filter(({ name }) => name === 'class counts');
    const change = readStreamRecord(late, new Set());
    if (change === undefined) throw new Error('no change');

    const services = { store, clock, ids } as Partial<Services> as Services;
    await counts?.replay?.(change, services);

    expect(await counted()).toBe(2);
    expect(await workLeft()).toContainEqual(
      expect.objectContaining({
        kind: 'recount-class',
        task: { instance: 1, classNumber: 2, of: 'objects' },
      }),
    );
  });

  it('alone and old are left to a job, because they may have killed the function', async () => {
    const taken: string[] = [];
    const consumer: ChangeConsumer = {
      name: 'picky',
      watches: [{ kind: 'object', actions: ['create'] }],
      consume: async (changes) => void taken.push(...changes.map(({ key }) => key.sk)),
    };
    const handle = open({ consumers: [consumer] });
    const aged = (id: number, seconds: number) => {
      const { dynamodb, ...rest } = created(id);
      const at = Math.floor(Date.now() / 1000) - seconds;
      return { ...rest, dynamodb: { ...dynamodb, ApproximateCreationDateTime: at } };
    };

    const answer = await handle([aged(1, 90)]);
    await handle([aged(2, 2)]); // behind it
    const before = [...taken];
    now = Date.now() + 2000;
    await handle([]);

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(before).toEqual([]);
    expect(taken.map(Number)).toEqual([1, 2]);
    expect(await workLeft()).toEqual([]);
  });

  it('that cannot be stored as a dead letter arrive again as a whole', async () => {
    const broken: Store = { ...store, write: () => Promise.reject(new Error('no table')) };
    const handle = open({ through: broken });

    const answer = await handle([created(1), created(2)]);

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '99999991' }] });
    expect(logged.at(-1)).toMatchObject({
      level: 'error',
      message: 'changes could not be consumed',
    });
    await open()([created(1), created(2)]);
    expect(await counted()).toBe(2);
  });
});

describe('jobs', () => {
  const steps: number[] = [];
  const kind: JobType = {
    name: 'count-up',
    step: async (_, task) => {
      const { at } = task as { at: number };
      steps.push(at);
      return at === 3 ? 'done' : { task: { at: at + 1 } };
    },
  };
  beforeEach(() => {
    steps.length = 0;
  });

  it('are done when they arrive in the stream', async () => {
    const item = newJob({ clock, ids }, kind, { at: 1 });
    await write(store, item);

    await open({ kinds: [kind] })([record({ after: image(item) })]);
    await Promise.all(invoked);

    expect([steps, await workLeft()]).toEqual([[1, 2, 3], []]);
  });

  it('that are due are done with a tick, except in the last seconds of the function', async () => {
    await write(store, newJob({ clock, ids }, kind, { at: 1 }));
    const handle = open({ kinds: [kind] });

    await handle([], 20_000);
    expect([steps, (await workLeft()).length]).toEqual([[], 1]);
    await handle([]);

    expect([steps, await workLeft()]).toEqual([[1, 2, 3], []]);
  });

  it('that take minutes do not delay the others of their shard', async () => {
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
      const inShard = (at: number) => ({ clock, ids: { ...ids, random: () => `0${at}` } });
      await write(
        store,
        ...[1, 2, 3, 4, 5].map((at) => newJob(inShard(at), slow, {}, Date.now() - 10 + at)),
        newJob(inShard(6), kind, { at: 3 }),
      );

      const ended = open({ kinds: [slow, kind] })([]);
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
      expect(await workLeft()).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('count a class again that a change was missed of, once the changes of that time have arrived', async () => {
    const handle = open();
    await write(store, ...[1, 2, 3, 4, 5].map(object));
    await handle([created(1), created(2)]); // and never the others
    const quiet = await workLeft();
    await open({}, replayOf([created(3)]))([]);

    now = Date.now() + 1000;
    await handle([]);
    const before = await counted();
    now += 21_000;
    await handle([]);

    expect([quiet, before, await counted(), await workLeft()]).toEqual([[], 2, 5, []]);
  });
});

const inShard = (shardId: string, Records: DynamoDBRecord[]): BackgroundEvent => ({
  Records,
  window: { start: '2026-11-26T00:00:00Z', end: '2026-11-26T00:15:00Z' },
  shardId: `shardId-00000001764115200000-${shardId}`,
});
const replayOf = (Records: DynamoDBRecord[]): BackgroundEvent => ({ Records, isReplay: true });

describe('changes of a reader with windows', () => {
  it('are counted by shard, and their response has a state', async () => {
    const early = [created(1), created(2)];
    const [late, again] = [[created(3)], [created(4)]];

    const responses = [
      await open({}, inShard('b', late))([]),
      await open({}, inShard('a', early))([]),
      await open({}, inShard('a', early))([]),
      await open({}, inShard('b', again))([]),
    ];

    expect(await counted()).toBe(4);
    expect(responses).toEqual(Array(4).fill({ batchItemFailures: [], state: {} }));
  });

  it('have a last event without records, which runs no jobs', async () => {
    const kind: JobType = { name: 'waiting', step: async () => 'done' };
    await write(store, newJob({ clock, ids }, kind, {}));

    const response = await open({ kinds: [kind] }, inShard('a', []))([]);

    expect(response).toEqual({ batchItemFailures: [], state: {} });
    expect(await workLeft()).toHaveLength(1);
  });
});

describe('queries for jobs', () => {
  let queries: number;
  const counting = (): Store => ({
    ...store,
    query: (query) => {
      queries += 1;
      return store.query(query);
    },
  });
  const kind: JobType = { name: 'quick', step: async () => 'done' };
  beforeEach(() => {
    queries = 0;
    now = 1_800_000_000_000;
  });

  it('are one per shard in a tick that finds none due', async () => {
    const later = [10, 60, 70, 3600].map((seconds) =>
      newJob({ clock, ids }, kind, {}, now + seconds * 1000),
    );
    await write(store, ...later);

    await open({ through: counting(), kinds: [kind] })([]);

    expect([queries, woken.flat().length]).toEqual([16, 3]);
  });

  it('are one per shard after a wake-up', async () => {
    const message = { body: String(now / 1000), eventSource: 'aws:sqs' } as SQSRecord;

    await open({ through: counting(), kinds: [kind] })([message]);
    await Promise.all(invoked);

    expect(queries).toBe(16);
  });

  it('are two more after the start of due jobs of a shard', async () => {
    const inShard = (id: string) => newJob({ clock, ids: { ...ids, random: () => id } }, kind, {});
    await write(store, ...['b1', 'b2', 'b3'].map(inShard));

    await open({ through: counting(), kinds: [kind] })([]);

    expect([queries, await workLeft()]).toEqual([18, []]);
  });

  it('find jobs of every shard, more than run at once', async () => {
    const jobs = Array.from({ length: 160 }, (_, instance) =>
      newJob({ clock, ids }, kind, { instance }),
    );
    expect(new Set(jobs.map(({ key }) => key.pk)).size).toBe(jobShards.length);
    for (let at = 0; at < jobs.length; at += 24) await write(store, ...jobs.slice(at, at + 24));

    await open({ through: counting(), kinds: [kind] })([]);

    expect(await workLeft()).toEqual([]);
  });
});

describe('jobs between two ticks', () => {
  const ran: string[] = [];
  const kind: JobType = {
    name: 'note',
    step: async (_, { at }) => {
      ran.push(String(at));
      return 'done';
    },
  };
  beforeEach(() => {
    ran.length = 0;
    now = 1_800_000_000_000;
  });
  const jobIn = (seconds: number) =>
    newJob({ clock, ids }, kind, { at: seconds }, now + seconds * 1000);
  const wakeUp = (seconds: number) =>
    ({ body: String(now / 1000 + seconds), eventSource: 'aws:sqs' }) as SQSRecord;
  const secondsOf = (times: readonly number[] | undefined) =>
    times?.map((time) => (time - now) / 1000).toSorted((a, b) => a - b);

  it('get wake-ups by a tick, unless a process has their lease', async () => {
    const leased = leasedJob({ ids }, kind, { task: {}, due: now + 20_000 });
    await write(store, ...[-1, 5, 5, 60, 74, 76].map(jobIn), leased);

    await open({ kinds: [kind] })([]);

    expect(woken.map(secondsOf)).toEqual([[5, 5, 60, 74]]);
    expect(ran).toEqual(['-1']);
  });

  it.each([
    ['the stream', () => record({ after: image(jobIn(0)) })],
    ['the queue of wake-ups', () => wakeUp(0)],
  ])('are not delayed by a job of minutes that %s has started', async (_name, event) => {
    let end = () => {};
    const slow: JobType = {
      name: 'slow',
      step: () =>
        new Promise((resolve) => {
          end = () => resolve('done');
        }),
    };
    const handle = open({ kinds: [slow, kind] });
    await write(store, newJob({ clock, ids }, slow, {}, now));

    await handle([event()]); // ends although the job does not
    await write(store, jobIn(0));
    await handle([event()]);
    await vi.waitUntil(() => ran.length > 0, { timeout: 10_000 });
    end();
    await Promise.all(invoked);

    expect([ran, started]).toEqual([['0'], 2]);
    expect(await workLeft()).toEqual([]);
  });

  it('get wake-ups when the stream shows them', async () => {
    const jobs = [0, 30, 90].map(jobIn);
    await write(store, ...jobs, jobIn(40));

    await open({ kinds: [kind] })(jobs.map((job) => record({ after: image(job) })));
    await Promise.all(invoked);

    expect(woken.map(secondsOf)).toEqual([[30]]);
    expect(ran).toEqual(['0']);
  });

  it('are run by a wake-up, which sends no other', async () => {
    await write(store, ...[30, 40].map(jobIn));
    const handle = open({ kinds: [kind] });
    now += 30_000;

    await Promise.all([handle([wakeUp(0), wakeUp(-1)]), handle([wakeUp(0)])]);
    await Promise.all(invoked);

    expect(ran).toEqual(['30']);
    expect(woken.flat()).toEqual([]);
  });

  it('are run by a wake-up that arrives a little early', async () => {
    now = 0; // the real time passes
    const due = Date.now() + 20;
    await write(store, newJob({ clock, ids }, kind, { at: 'soon' }, due));

    await open({ kinds: [kind] })([{ body: String(due / 1000) } as SQSRecord]);
    await Promise.all(invoked);

    expect(ran).toEqual(['soon']);
  });

  it('are looked for by a message that cannot be read, and the operator hears of it', async () => {
    await write(store, jobIn(-1));

    const answer = await open({ kinds: [kind] })([{ body: 'soon' } as SQSRecord]);
    await Promise.all(invoked);

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(ran).toEqual(['-1']);
    expect(logged).toMatchObject([{ level: 'error', message: 'a wake-up has no time' }]);
  });

  it('are run by the next tick when the function cannot be invoked', async () => {
    await write(store, jobIn(0));
    const invokeLater = () => Promise.reject(new Error('no function'));
    const handle = open({ kinds: [kind], invokeLater });

    const answer = await handle([record({ after: image(jobIn(0)) })]);
    const before = [...ran];
    await handle([]);

    expect(answer).toEqual({ batchItemFailures: [] });
    expect([before, ran]).toEqual([[], ['0']]);
    expect(errors()).toMatchObject([{ message: 'jobs could not be started' }]);
  });

  it('are run by the next tick when no wake-up can be sent', async () => {
    await write(store, jobIn(-1), jobIn(5));
    const wakeUps = () => Promise.reject(new Error('no queue'));
    const handle = open({ kinds: [kind], wakeUps });

    const answer = await handle([]);
    now += 60_000;
    await handle([]);

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(ran).toEqual(['-1', '5']);
    expect(errors()).toMatchObject([{ message: 'wake-ups failed' }, {}]);
  });
});
