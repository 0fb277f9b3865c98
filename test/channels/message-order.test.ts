import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openEvents } from '../../functions/channel-polls/stream-events.ts';
import { publishEvents } from '../../shared/channels/publish-events.ts';
import { createPublisher } from '../../shared/channels/publisher.ts';
import { readHistory } from '../../shared/channels/read-history.ts';
import { readRoom } from '../../shared/channels/read-room.ts';
import type { Services } from '../../shared/jobs/change-feed.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Messages } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { createItem } from '../../shared/store/writes.ts';
import { channelEventEntity } from '../../shared/table/entities/channels.ts';
import { countRoundTrips } from '../support/counting-store.ts';
import { makeScattered } from '../support/scattered-store.ts';
import { temporaryStore } from '../support/temporary.ts';

/*
 * The law of channels: a reader that follows ids sees every message of its room exactly once, whatever happens between
 * the steps of a publication.
 */

const it = test.extend('inner', temporaryStore({ now: Date.now, watches: [] }));
const clock = openClock();
const ids = openIds();

const change = { actor: {}, cause: 'client', depth: 0 } as const;
const reference = { instance: 1, channel: 3, room: '"lobby' };
const other = { ...reference, room: '"kitchen' };

it('shows every message once to each reader, with 50 publishers in 5 processes', async ({
  inner,
}) => {
  const store = makeScattered(inner, 10);
  const count = 50 * 3;

  const [published, ...followed] = await Promise.all([
    publishAll(store, { processes: 5, clients: 50, each: 3 }),
    follow(store, count),
    follow(store, count),
  ]);

  expect(published).toHaveLength(count);
  for (const seen of followed) expect(seen).toEqual(published);
});

it('holds where each client has a process of its own', async ({ inner }) => {
  const store = makeScattered(inner, 3);
  const count = 20 * 2;

  const [published, seen] = await Promise.all([
    publishAll(store, { processes: 20, clients: 20, each: 2 }),
    follow(store, count),
  ]);

  expect(seen).toEqual(published);
});

it('shares transactions between the clients of a process', async ({ inner }) => {
  let writes = 0;
  const store: Store = {
    ...inner,
    write: (transaction) => {
      writes += 1;
      return inner.write(transaction);
    },
  };
  const publish = openProcess(store);

  const all = await Promise.all(
    Array.from({ length: 100 }, (_, n) => publish(reference, draft(n))),
  );

  expect(all.map((message) => message?.payload.n)).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  );
  expect(writes).toBeLessThan(10);
});

it('publishes a message once whose own write was done before, and others all the same', async ({
  inner,
}) => {
  const publish = openProcess(inner);
  const key = { pk: 'EVENT', sk: '1' };
  const event = { action: 'delete', key, condition: { kind: 'present' } } as const;

  const made = await Promise.all([
    publish(reference, draft(1)),
    publish(reference, { ...draft(2), writes: [event] }),
    publish(reference, draft(3)),
  ]);

  expect(made.map((message) => message?.payload.n)).toEqual([1, undefined, 3]);
});

it('publishes one message for an event that is delivered twice', async ({ inner }) => {
  const key = channelEventEntity.key(1, 5, { id: 21, revision: 2, action: 'update' });
  const data = {
    place: reference,
    ...draft(1),
    action: 'update',
    metadata: { type: 'object' },
  } as const;
  const writes = [createItem(channelEventEntity, key, data)];
  await inner.write({ id: 'e1', change, writes });
  const after = { key, kind: channelEventEntity.kind, version: 'e1', data };
  const delivered = [{ key, kind: after.kind, after, change, position: '1' }];
  const services = { messages: { publish: openProcess(inner) } } as unknown as Services; // nothing else is used

  await publishEvents.consume(delivered, services);
  await publishEvents.consume(delivered, services);

  const { messages } = await readRoom({ store: inner, clock }, reference, { after: 0, limit: 9 });
  expect(messages.map(({ action, payload }) => [action, payload])).toEqual([['update', { n: 1 }]]);
  expect(await inner.get([key])).toEqual([undefined]);
});

it('passes over events that are delivered again in a few steps, however many', async ({
  inner,
}) => {
  const delivered = await putEvents(inner, 60);
  const { store, calls } = counting(inner, () => false);
  const services = { messages: { publish: openProcess(store) } } as unknown as Services; // nothing else is used
  await publishEvents.consume(delivered, services);
  calls.writes = 0;

  await publishEvents.consume(delivered, services);

  expect(calls.writes).toBeLessThanOrEqual(4);
  expect(await payloads(inner)).toHaveLength(60);
});

it('publishes no event before an earlier one of its room that failed', async ({ inner }) => {
  const delivered = await putEvents(inner, 70);
  const { store } = counting(inner, (call) => call === 1);
  const services = { messages: { publish: openProcess(store) } } as unknown as Services; // nothing else is used

  await expect(publishEvents.consume(delivered, services)).rejects.toThrow('throttled');
  await publishEvents.consume(delivered, services);

  expect(await payloads(inner)).toEqual(delivered.map((_, n) => n));
});

it('fills an event stream piece by piece', async ({ inner }) => {
  const publish = openProcess(inner);
  const large = 'x'.repeat(60_000);
  for (let n = 0; n < 9; n += 1) await publish(reference, { ...draft(n), payload: { large } });
  const subscription = { channel: 'chat', room: 'lobby', reference };
  const events = openEvents({ store: inner, clock }, [subscription, subscription], {
    after: [0, 0],
    isContinued: false,
  });

  const pieces: string[] = [];
  for (let piece = await events.next(); piece !== ''; piece = await events.next())
    pieces.push(piece);

  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000);
  expect(pieces.join('').match(/^data: /gm)).toHaveLength(18);
});

it('keeps the newest thousand messages, and tells a reader of older ones', async ({ inner }) => {
  const publish = openProcess(inner);
  for (let n = 0; n < 1250; n += 25) {
    await Promise.all(Array.from({ length: 25 }, (_, more) => publish(reference, draft(n + more))));
  }
  const services = { store: inner, clock };

  const oldest = await readRoom(services, reference, { after: 0, limit: 2 });
  const late = await readRoom(services, reference, { after: 10, limit: 2 });
  const current = await readRoom(services, reference, { after: 250, limit: 2 });
  const range = { above: undefined, below: undefined, descending: false, limit: 3 };
  const history = await readHistory(services, reference, range);

  const idsOf = ({ messages }: typeof oldest) => messages.map(({ id }) => id);
  expect([idsOf(oldest), oldest.isLost]).toEqual([[251, 252], false]);
  expect([idsOf(late), late.isLost]).toEqual([[251, 252], true]);
  expect([idsOf(current), current.isLost]).toEqual([[251, 252], false]);
  expect(history.map(({ pk }) => pk)).toEqual([251, 252, 253]);
});

it('readers at the same position that read together share their requests', async ({ inner }) => {
  await openProcess(inner)(reference, draft(1));
  const store = countRoundTrips(inner);
  const read = () => readRoom({ store, clock }, reference, { after: 0, limit: 1 });

  await read();
  const alone = store.calls;
  const parts = await Promise.all([read(), read(), read()]);
  const together = store.calls - alone;
  await read();

  expect(parts.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  expect([together, store.calls]).toEqual([alone, 3 * alone]); // a later reader reads again
});

function draft(n: number) {
  return { action: 'custom', author: {}, metadata: {}, payload: { n } } as const;
}

/** Publishers of a process. */
function openProcess(store: Store): Messages['publish'] {
  return createPublisher({ store, clock, ids }, () => undefined);
}

/** Publishes from many clients of several processes; returns the ids of the messages of the room. */
async function publishAll(
  store: Store,
  { processes, clients, each }: { processes: number; clients: number; each: number },
): Promise<readonly number[]> {
  const own = Array.from({ length: processes }, () => openProcess(store));
  const published = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const publish = own[client % processes] as Messages['publish'];
      const made: number[] = [];
      for (let n = 0; n < each; n += 1) {
        await publish(other, draft(n)); // takes ids between those of the room
        const message = await publish(reference, draft(n));
        if (message !== undefined) made.push(message.id);
      }
      return made;
    }),
  );
  return published.flat().sort((a, b) => a - b);
}

/** Follows a room until it has as many messages, and for a while longer. */
async function follow(store: Store, wanted: number): Promise<readonly number[]> {
  const seen: number[] = [];
  let idle = 0;
  while (seen.length < wanted || idle < 5) {
    const limit = 1 + Math.floor(Math.random() * 5);
    const part = await readRoom({ store, clock }, reference, { after: seen.at(-1) ?? 0, limit });
    seen.push(...part.messages.map(({ id }) => id));
    expect(part.isLost).toBe(false);
    idle = part.messages.length === 0 ? idle + 1 : 0;
    if (idle > 0) await pause(2);
  }
  return seen;
}

/** Puts events of updates of one object, and returns their deliveries. */
async function putEvents(inner: Store, count: number) {
  const all = Array.from({ length: count }, (_, n) => {
    const key = channelEventEntity.key(1, 5, { id: 21, revision: n + 1, action: 'update' });
    const data = {
      place: reference,
      ...draft(n),
      action: 'update',
      metadata: { type: 'object' },
    } as const;
    const after = { key, kind: channelEventEntity.kind, version: `e${n}`, data };
    return { key, kind: after.kind, after, change, position: String(n).padStart(3, '0') };
  });
  for (const [n, { key, after }] of all.entries()) {
    const writes = [createItem(channelEventEntity, key, after.data)];
    await inner.write({ id: `e${n}`, change, writes });
  }
  return all;
}

/** Returns a store whose write fails at some calls, and the number of calls. */
function counting(inner: Store, fails: (call: number) => boolean) {
  const calls = { writes: 0 };
  const store: Store = {
    ...inner,
    write: (transaction) => {
      calls.writes += 1;
      return fails(calls.writes)
        ? Promise.reject(new Error('throttled'))
        : inner.write(transaction);
    },
  };
  return { store, calls };
}

const payloads = async (inner: Store) =>
  (await readRoom({ store: inner, clock }, reference, { after: 0, limit: 99 })).messages.map(
    ({ payload }) => payload.n,
  );
