import { describe, expect, it } from 'vitest';
import { createBursts } from '../../shared/platforms/local/server/bursts.ts';

/** Responses that are sent together. */

describe('responses of one turn', () => {
  it('are sent at its end, in order', async () => {
    const burst = createBursts();
    const events: string[] = [];

    const both = ['a', 'b'].map((name) => burst().then(() => events.push(name)));
    await Promise.resolve();
    events.push('turn');
    await Promise.all(both);

    expect(events).toEqual(['turn', 'a', 'b']);
  });

  it('are sent eight at a time', async () => {
    const burst = createBursts();
    let sent = 0;

    const all = Array.from({ length: 20 }, () => burst().then(() => (sent += 1)));
    await new Promise(process.nextTick);
    const before = sent;
    await Promise.all(all);

    expect([before, sent]).toEqual([16, 20]);
  });

  it('do not wait for those of earlier turns', async () => {
    const burst = createBursts();
    await burst();

    await burst();
  });
});
