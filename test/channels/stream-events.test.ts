import { expect, test } from 'vitest';
import { openEvents } from '../../functions/channel-polls/stream-events.ts';
import { createPublisher } from '../../shared/channels/publisher.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import { temporaryStore } from '../support/temporary.ts';

/** The pieces in which the messages of a stream are read. */

const it = test.extend('store', temporaryStore({ now: Date.now, watches: [] }));

const subscription = (channel: number) => ({
  channel: `chat-${channel}`,
  room: undefined,
  reference: { instance: 1, channel, room: '"' },
});

it('are of a bounded size, and contain each message once', async ({ store }) => {
  const services = { store, clock: openClock(), ids: openIds() };
  const publish = createPublisher(services, () => undefined);
  const rooms = [subscription(3), subscription(4)];
  const payload = { text: 'x'.repeat(60_000) };
  const draft = { action: 'custom', author: {}, metadata: {}, payload } as const;
  await Promise.all(
    rooms.flatMap(({ reference }) => Array.from({ length: 10 }, () => publish(reference, draft))),
  );

  const events = openEvents(services, rooms, { after: [0, 0], isContinued: false });
  const pieces: string[] = [];
  do pieces.push(await events.next());
  while (pieces.at(-1) !== '');

  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000);
  const ids = [...pieces.join('').matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
});
