import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Services } from '../../shared/jobs/change-feed.ts';
import { createBackground } from '../../shared/platform/aws/jobs/background.ts';
import { writeItem } from '../../shared/platform/aws/store/item.ts';
import { openClock } from '../../shared/platform/clock.ts';
import { openIds } from '../../shared/platform/ids.ts';
import { type LocalStore, openTemporaryStore } from '../../shared/platform/local/store/store.ts';
import {
  runQueueEntity,
  traceEntity,
  triggerEntity,
  triggerEventEntity,
} from '../../shared/store/entities.ts';
import { readRange } from '../../shared/store/entity.ts';
import type { RunQueueData } from '../../shared/store/records/scripts.ts';
import type { Put, Stored } from '../../shared/store/store.ts';
import { createItem, putItem } from '../../shared/store/writes.ts';
import { orderOf } from '../../shared/triggers/rules/signals.ts';
import { startTriggers } from '../../shared/triggers/start-triggers.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { change, write } from '../store/fixture.ts';
import { noFiles } from '../support/no-files.ts';

/* Events of triggers in the table's stream, where records may be repeated, late, and out of order. */

let store: LocalStore;
beforeEach(async () => {
  store = await openTemporaryStore({ now: Date.now });
  const data = {
    id: 1,
    label: '',
    description: '',
    signal: 'post_update',
    class: 'book',
    classNumber: 2,
    script: 1,
    created_at: '',
    updated_at: '',
  } as const;
  await write(store, putItem(triggerEntity, triggerEntity.key(1, 1), data));
});
afterEach(() => store.close());

function open() {
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

function event(object: number, revision: number): Put {
  const order = orderOf({ action: 'update', revision, isUnchanged: false }, '');
  return createItem(triggerEventEntity, triggerEventEntity.key(1, object, order), {
    class: 'book',
    action: 'update',
    triggers: [1],
    args: { value: { revision } },
    changes: [],
    depth: 0,
  });
}

/** Returns the order in which the runs of an object start. */
async function queued(object: number): Promise<readonly string[]> {
  const queue = `0000000001#${String(object).padStart(10, '0')}`;
  const items = await readRange(store, runQueueEntity.range(1, queue));
  const traces = await Promise.all(
    items.map((item) =>
      traceEntity.read(store, 1, 'trigger', 1, (item as Stored<RunQueueData>).data.trace),
    ),
  );
  return traces.map((trace) => JSON.stringify(trace?.data.args));
}

const expected = [1, 2, 3].map((revision) => JSON.stringify({ value: { revision } }));

it('records out of order start runs in the order of the changes', async () => {
  const handle = open();
  const events = [1, 2, 3].flatMap((revision) => [event(5, revision), event(6, revision)]);
  await write(store, ...events);

  await handle(events.slice(3).reverse());
  await handle(events.slice(0, 3).reverse());

  expect(await queued(5)).toEqual(expected);
  expect(await queued(6)).toEqual(expected);
});

it('repeated and late records start nothing again, also in several functions at once', async () => {
  const events = [1, 2, 3].map((revision) => event(5, revision));
  await write(store, ...events);
  const [first, other] = [open(), open()];

  await Promise.all([first(events), other(events), first([...events].reverse())]);
  await other(events);

  expect(await queued(5)).toEqual(expected);
  expect(await readRange(store, { pk: traceEntity.partition(1, 'trigger', 1) })).toHaveLength(3);
});
