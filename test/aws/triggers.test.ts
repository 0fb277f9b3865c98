import type { DynamoDBRecord } from 'aws-lambda';
import { expect } from 'vitest';
import type { Services } from '../../shared/jobs/change-feed.ts';
import { createBackground } from '../../shared/platforms/aws/jobs/background.ts';
import { writeItem } from '../../shared/platforms/aws/store/item.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import { readRange } from '../../shared/store/entity.ts';
import { type Put, type Store, StoreBusy, type Stored } from '../../shared/store/store.ts';
import { deadLetterEntity } from '../../shared/table/entities/jobs.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import {
  runQueueEntity,
  triggerEventEntity,
  triggerRateEntity,
} from '../../shared/table/entities/scripts.ts';
import type { RunQueueData } from '../../shared/table/records/scripts.ts';
import { startTriggers } from '../../shared/triggers/start-triggers.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { change, write } from '../store/fixture.ts';
import { noFiles } from '../support/no-files.ts';
import { storeTest } from '../support/store-test.ts';
import { eventPut, triggerPut } from '../support/trigger-events.ts';

/* Events of triggers in the table's stream, where records may be repeated, late, and out of order. */

const it = storeTest;
it.beforeEach(({ store }) => write(store, triggerPut(1)));

it('records out of order start runs in the order of the changes', async ({ store }) => {
  const handle = open(store);
  const events = [1, 2, 3].flatMap((revision) => [eventPut(5, revision), eventPut(6, revision)]);
  await write(store, ...events);

  await handle(events.slice(3).reverse());
  await handle(events.slice(0, 3).reverse());

  expect(await queued(store, 5)).toEqual(expected(5));
  expect(await queued(store, 6)).toEqual(expected(6));
});

it('repeated and late records start nothing again, also in several functions at once', async ({
  store,
}) => {
  const events = [1, 2, 3].map((revision) => eventPut(5, revision));
  await write(store, ...events);
  const [first, other] = [open(store), open(store)];

  await Promise.all([first(events), other(events), first([...events].reverse())]);
  await other(events);

  expect(await queued(store, 5)).toEqual(expected(5));
  expect(await readRange(store, { pk: traceEntity.partition(1, 'trigger', 1) })).toHaveLength(3);
});

it('a busy table is no failure of an event, and takes no room for its runs', async ({ store }) => {
  const events = Array.from({ length: 20 }, (_, object) => eventPut(object + 1, 1));
  await write(store, ...events);
  const changes = events.map(({ key, kind }) => ({ key, kind, position: '1', change }));
  const state = { isBusy: true };
  const services = busyServices(store, state);

  for (let delivery = 0; delivery < 10; delivery += 1) {
    await expect(startTriggers.consume(changes, services)).rejects.toThrow(
      'the store was too busy',
    );
  }
  const left = await readRange(store, { pk: triggerEventEntity.partition(1) });
  state.isBusy = false;
  await startTriggers.consume(changes, services);

  expect(left.filter(({ data }) => 'failures' in data)).toEqual([]);
  expect((await deadLetterEntity.list(store, [], { limit: 10 })).items).toEqual([]);
  const traces = await readRange(store, { pk: traceEntity.partition(1, 'trigger', 1) });
  const statuses = traces.map(({ data }) => (data as { readonly status?: string }).status);
  expect(statuses).toEqual(events.map(() => 'pending'));
  expect((await triggerRateEntity.read(store, 1))?.data.runs).toBe(events.length);
});

function open(store: Store) {
  const metered = { store, clock: openClock(), ids: openIds(), log: () => undefined };
  const services = {
    ...metered,
    files: noFiles,
    meter: openMeter(metered),
  } as Partial<Services> as Services; // the part of a platform that the consumer needs
  const handler = createBackground({
    services,
    consumers: [startTriggers],
    kinds: [],
    wakeUps: async () => {},
    invokeLater: async () => {},
  });
  return (events: readonly Put[]) =>
    handler({ Records: events.map(record) }, { getRemainingTimeInMillis: () => 300_000 });
}

function record(event: Put, at: number): DynamoDBRecord {
  const image = writeItem(event, 'w1', change);
  return {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(at + 1), NewImage: image as never },
  };
}

/** Returns the order in which the runs of an object start. */
async function queued(store: Store, object: number): Promise<readonly string[]> {
  const queue = `0000000001#${String(object).padStart(10, '0')}`;
  const items = await readRange(store, runQueueEntity.range(1, queue));
  const traces = await Promise.all(
    items.map((item) =>
      traceEntity.read(store, 1, 'trigger', 1, (item as Stored<RunQueueData>).data.trace),
    ),
  );
  return traces.map((trace) => JSON.stringify(trace?.data.args));
}

function expected(object: number): readonly string[] {
  return [1, 2, 3].map((revision) => JSON.stringify({ value: { id: object, revision } }));
}

/** Services on a store that is too busy for the runs of triggers as long as `isBusy`. */
function busyServices(store: Store, state: { isBusy: boolean }): Services {
  const throttled: Store = {
    ...store,
    write: async (transaction) => {
      const isOfRuns = transaction.writes.some(({ key }) => key.pk.includes('TRACES'));
      if (state.isBusy && isOfRuns) throw new StoreBusy(1);
      await store.write(transaction);
    },
  };
  const clock = { ...openClock(), micros: () => 1_800_000_000_000_000 }; // one minute
  const services = { store: throttled, clock, ids: openIds(), log: () => undefined };
  return { ...services, files: noFiles } as Partial<Services> as Services; // what the consumer needs
}
