import { test as base, describe, expect } from 'vitest';
import { openMessages } from '../../shared/platforms/local/messages.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Settings } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { listeners, longestPollMs, shortPollMs } from '../../shared/values/bounds.ts';
import { type Ending, openEnding } from '../../shared/values/ending.ts';
import { temporaryStore } from '../support/temporary.ts';

/** Waiting for messages in the one process of a machine, and how many may wait. */

const it = base
  .extend('store', temporaryStore({ now: Date.now, watches: [] }))
  .extend('messages', ({ store }) => open(store));

const reference = { instance: 1, channel: 3, room: '"' };
const other = { ...reference, room: '"kitchen' };
const draft = { action: 'custom', author: {}, metadata: {}, payload: {} } as const;
describe('a wait', () => {
  const never = { ms: 60_000, ending: undefined };

  it('ends with a message of one of its rooms', async ({ messages }) => {
    const positions = [reference, other].map((each) => ({ reference: each, after: 0 }));
    const waiting = messages.wait(positions, never);

    await messages.publish(other, draft);
    await waiting;

    expect(messages.waiting).toBe(0);
  });

  it('ends at once when the room has a message after its position', async ({ messages }) => {
    await messages.publish(reference, draft);

    await messages.wait([{ reference, after: 0 }], never);

    expect(messages.waiting).toBe(0);
  });

  it('wakes all that wait, and none of another room', async ({ messages }) => {
    let woken = 0;
    const wait = (of: typeof reference, ending?: Ending) =>
      messages.wait([{ reference: of, after: 0 }], { ms: 60_000, ending });
    const ending = openEnding();
    const all = Array.from({ length: 200 }, () => wait(reference).then(() => (woken += 1)));
    const others = wait(other, ending);

    await messages.publish(reference, draft);
    await Promise.all(all);

    expect([woken, messages.waiting]).toEqual([200, 1]);
    ending.end('client gone');
    await others;
    expect(messages.waiting).toBe(0);
  });

  it('wakes many in several turns, so that other requests have theirs', async ({ messages }) => {
    const all = Array.from({ length: 300 }, () =>
      messages.wait([{ reference, after: 0 }], never).then(() => turns),
    );
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);

    await messages.publish(reference, draft);
    const woken = await Promise.all(all);
    clearImmediate(next);

    const perTurn = woken.map((each) => woken.filter((other) => other === each).length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(200);
  });

  it('ends when its time is up', async ({ messages }) => {
    await messages.wait([{ reference, after: 0 }], { ms: 5, ending: undefined });

    expect(messages.waiting).toBe(0);
  });
});

describe('requests that wait', () => {
  it('have room for each instance, and then wait for a moment', async ({ messages }) => {
    const own = { owner: 'account 1', instance: '1' };
    const all = await Promise.all(
      Array.from({ length: listeners.perInstance }, () => messages.admit(own, 'stream')),
    );

    const further = await messages.admit(own, 'stream');
    const stranger = await messages.admit({ owner: 'account 2', instance: '2' }, 'stream');
    await all[0]?.release();
    await all[0]?.release(); // has no further effect
    const next = await messages.admit(own, 'stream');
    const last = await messages.admit(own, 'stream');

    const waits = [all[0], further, stranger, next, last].map((each) => each?.waitMs);
    expect(waits).toEqual([longestPollMs, shortPollMs, longestPollMs, longestPollMs, shortPollMs]);
    expect([further.openMs, stranger.openMs]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});

function open(store: Store) {
  const settings: Partial<Settings> = {};
  return openMessages({
    store,
    clock: openClock(),
    ids: openIds(),
    settings: settings as Settings, // nothing else of it is used
  });
}
