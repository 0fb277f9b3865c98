import { describe, expect, test } from 'vitest';
import { openMessages } from '../../shared/platforms/aws/messages/messages.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry, Messages } from '../../shared/ports/ports.ts';
import { type Store, StoreBusy } from '../../shared/store/store.ts';
import { type Ending, openEnding } from '../../shared/values/ending.ts';
import { makeFaulty } from '../support/faulty-store.ts';
import { type MovedClock, openMovedClock } from '../support/moved-clock.ts';

/** Messages of channels in a function: waiting without a process that is told, and slots for polls. */

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', async ({}, { onCleanup }) => {
  const clock = openMovedClock();
  const store = await openTemporaryStore({ now: () => clock.micros() / 1000, watches: [] });
  onCleanup(() => store.close());
  return setUp(store, clock);
});

const place = { instance: 1, channel: 3, room: '"' };
const draft = { action: 'custom', author: {}, metadata: {}, payload: {} } as const;
const share = { owner: 'account 1', instance: '1' };

describe('a wait', () => {
  it('reads the end of the room each second, until its time is up', async ({ given }) => {
    await wait(given.open(), 10_000);

    expect([given.nowMs, given.reads]).toEqual([10_000, 11]);
  });

  it('ends with a message of another process', async ({ given }) => {
    const other = given.open();
    given.onSleep = async () => {
      if (given.nowMs === 3000) await other.publish(place, draft);
    };

    await wait(given.open(), 10_000);

    expect(given.nowMs).toBe(3000);
  });

  it('ends with its request', async ({ given }) => {
    const ending = openEnding();
    given.onSleep = async () => ending.end('client gone');

    await wait(given.open(), 10_000, ending);

    expect(given.nowMs).toBe(1000);
  });
});

describe('a poll', () => {
  it('waits for long while slots are free, for less the more are taken, and never fails', async ({
    given,
  }) => {
    const messages = given.open([0, 0, 0.3, 0, 0.3, 0]);

    const all = [];
    for (let n = 0; n < 3; n += 1) all.push(await messages.admit(share, 'poll'));
    await all[0]?.release();
    const next = await messages.admit(share, 'poll');

    const waits = [...all, next].map(({ waitMs, openMs }) => [waitMs, openMs]);
    expect(waits).toEqual([
      [25_000, 0],
      [10_000, 0],
      [1000, 0],
      [25_000, 0],
    ]);
  });

  it('takes the slot of a dead process', async ({ given }) => {
    await given.open().admit(share, 'poll');

    given.clock.forward(36);

    expect((await given.open().admit(share, 'poll')).waitMs).toBe(25_000);
  });

  it('leaves slots to polls where it is a stream, which cannot remain open', async ({ given }) => {
    const messages = given.open();

    const stream = await messages.admit(share, 'stream');

    expect(stream.openMs).toBe(0);
    expect((await messages.admit(share, 'poll')).waitMs).toBe(25_000);
  });

  it('waits for a moment where the table is too busy', async ({ given }) => {
    given.faulty.write = () => Promise.reject(new StoreBusy(1));
    const messages = given.open();

    const { waitMs, release } = await messages.admit(share, 'poll');
    await release();

    expect(waitMs).toBe(1000);
    expect(given.logged).toEqual([]);
  });

  it('is not admitted where its slot cannot be written', async ({ given }) => {
    given.faulty.failNext('not applied');

    await expect(given.open().admit(share, 'poll')).rejects.toThrow();
  });
});

function setUp(store: Store, clock: MovedClock) {
  const logged: LogEntry[] = [];
  const given = {
    clock,
    faulty: makeFaulty(store),
    logged,
    reads: 0,
    /** Called in place of each pause of a wait. */
    onSleep: () => Promise.resolve(),
    nowMs: 0,
    open,
  };
  return given;

  /** @param chances numbers from 0 to 1, in the order of their use */
  function open(chances: readonly number[] = [0], pollSlots = 4): Messages {
    const left = [...chances];
    const counted: Store = {
      ...given.faulty,
      get: (keys) => {
        given.reads += 1;
        return given.faulty.get(keys);
      },
    };
    const timer = {
      now: () => given.nowMs,
      sleep: async (ms: number) => {
        given.nowMs += ms;
        await given.onSleep();
      },
    };
    const services = {
      store: counted,
      clock,
      ids: openIds(),
      log: (entry: LogEntry) => logged.push(entry),
    };
    return openMessages(
      services,
      { pollSlots, settings: {} },
      { timer, random: () => left.shift() ?? 0 },
    );
  }
}

function wait(messages: Messages, ms: number, ending?: Ending) {
  return messages.wait([{ reference: place, after: 0 }], { ms, ending });
}
