import { describe, expect, it } from 'vitest';
import type { Services } from '../../shared/jobs/change-feed.ts';
import { handleDeadLetter } from '../../shared/jobs/dead-letters.ts';
import { startBackground } from '../../shared/platforms/local/jobs/background.ts';
import type { Timers } from '../../shared/platforms/local/jobs/timers.ts';
import { type LocalStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import { openIds } from '../../shared/ports/ids.ts';
import { readRange } from '../../shared/store/entity.ts';
import type { Store, Stored } from '../../shared/store/store.ts';
import { deadLetterEntity } from '../../shared/table/entities/jobs.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { runQueueEntity, triggerEventEntity } from '../../shared/table/entities/scripts.ts';
import { dueOf } from '../../shared/table/key-parts.ts';
import type { TraceData } from '../../shared/table/records/scripts.ts';
import { catchUp, startTriggers } from '../../shared/triggers/start-triggers.ts';
import { createRandom } from '../city/random.ts';
import { write } from '../store/fixture.ts';
import { noFiles } from '../support/no-files.ts';
import { eventPut, triggerPut } from '../support/trigger-events.ts';

/* Changes of objects become runs of triggers once each, in order, whatever fails on the way. */

const instance = 1;

/** Ends waits at once. */
const timers: Timers = {
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
  soon: (name, _, run) => {
    if (name === 'changes') setImmediate(run);
  },
  clear: () => undefined,
};

interface Faults {
  /** Of operations that fail, before or after they have an effect. */
  readonly share: number;
}

/**
 * Makes some reads and writes fail, and lifts the bounds on runs: no queue is ever long, and each reading of the clock is
 * in a new minute.
 */
function servicesOn(store: LocalStore, { share }: Faults): Services {
  const random = createRandom(7);
  const fail = () => {
    if (random.chance(share)) throw new Error('not now');
  };
  const faulty: Store = {
    ...store,
    query: async (query) => {
      fail();
      const isQueue = query.pk === runQueueEntity.partition(instance);
      return isQueue ? { items: [], positions: [], more: false } : store.query(query);
    },
    write: async (transaction) => {
      const isLetter = transaction.writes.some(({ key }) => key.pk === 'DEADLETTERS');
      if (!isLetter) fail();
      await store.write(transaction);
      if (!isLetter) fail(); // the response is lost
    },
  };
  let minutes = 0;
  const clock = {
    micros: () => {
      minutes += 1;
      return minutes * 60_000_000;
    },
    steadyMs: () => minutes,
  };
  const services = { store: faulty, clock, ids: openIds(), log: () => undefined, files: noFiles };
  return services as Partial<Services> as Services; // the part of a platform that the consumer needs
}

async function open(share: number) {
  const store = await openTemporaryStore({ now: () => 0, watches: startTriggers.watches });
  const background = startBackground({
    feed: store.feed,
    services: servicesOn(store, { share }),
    timers,
    calls: { endedBefore: async () => true },
    consumers: [startTriggers],
    kinds: [catchUp, { name: 'watch-run', step: async () => 'done' }],
  });
  const traces = async (id = 1) =>
    (await readRange(store, {
      pk: traceEntity.partition(instance, 'trigger', id),
    })) as readonly Stored<TraceData>[];
  return { store, background, traces };
}

const revisionsOf = (traces: readonly Stored<TraceData>[], object: number) =>
  traces
    .map(
      ({ data: { args } }) =>
        ('value' in args ? args.value : {}) as { id: number; revision: number },
    )
    .filter(({ id }) => id === object)
    .map(({ revision }) => revision);

describe('changes become runs', () => {
  it('once each, in order, while many operations fail', async () => {
    const { store, background, traces } = await open(0.03);
    await write(store, triggerPut(1));
    const [objects, changes] = [100, 100];

    for (let revision = 1; revision <= changes; revision += 1) {
      const events = Array.from({ length: objects }, (_, object) => eventPut(object + 1, revision));
      await write(store, ...events);
      if (revision % 2 === 0) await background.idle(); // more would be blocked
    }

    const found = await traces();
    expect(found).toHaveLength(objects * changes);
    const expected = Array.from({ length: changes }, (_, n) => n + 1);
    for (let object = 1; object <= objects; object += 1) {
      expect(revisionsOf(found, object)).toEqual(expected);
    }
    const events = await readRange(store, { pk: triggerEventEntity.partition(instance) });
    expect(events).toEqual([]);
    await background.stop();
    await store.close();
  });

  it('except one that cannot be processed, which becomes a dead letter, and can be replayed', async () => {
    const { store, background, traces } = await open(0);
    await write(store, triggerPut(1), triggerPut(2));
    const lost = { file: `traces/${instance}/${'a'.repeat(40)}`, length: 9 };

    await write(
      store,
      eventPut(5, 1),
      eventPut(5, 2, { triggers: [2, 1], args: lost }),
      eventPut(6, 1),
    );
    await background.idle();
    await write(store, eventPut(5, 3));
    await background.idle();

    const found = await traces();
    expect(revisionsOf(found, 5)).toEqual([1, 3]);
    expect(revisionsOf(found, 6)).toEqual([1]);
    const { items } = await deadLetterEntity.list(store, [], { limit: 10 });
    expect(items.map(({ data }) => data)).toMatchObject([
      { consumer: 'triggers', key: { sk: '0000000005#0000000002#0' } },
    ]);
    const [letter] = items;
    const replay = (files: FileStore) => {
      const { id = '' } = letter?.data ?? {};
      const at = new Date(dueOf(letter?.key ?? { pk: '', sk: '' })).toISOString();
      const services = { ...servicesOn(store, { share: 0 }), files };
      return handleDeadLetter(services, [startTriggers], { action: 'replay', id, at });
    };
    await expect(replay(noFiles)).rejects.toThrow();
    expect(await triggerEventEntity.listAll(store, [instance, 5])).toEqual([]);
    expect((await deadLetterEntity.list(store, [], { limit: 10 })).items).toHaveLength(1);
    await replay({
      ...noFiles,
      get: async () => ({ bytes: Buffer.from('{"id":5}'), contentType: 'application/json' }),
      put: async () => undefined,
      copy: async () => true,
    });
    expect(await traces()).toHaveLength(4);
    expect(await traces(2)).toHaveLength(1);
    expect((await deadLetterEntity.list(store, [], { limit: 10 })).items).toEqual([]);
    await background.stop();
    await store.close();
  });

  it('of up to a hundred triggers at once', async () => {
    const { store, background, traces } = await open(0);
    const ids = Array.from({ length: 100 }, (_, n) => n + 1);
    for (const id of ids) await write(store, triggerPut(id));

    await write(store, eventPut(5, 1, { triggers: ids }));
    await background.idle();

    for (const id of ids) expect(await traces(id)).toHaveLength(1);
    await background.stop();
    await store.close();
  });
});
