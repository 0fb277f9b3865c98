import { describe, expect, it } from 'vitest';
import {
  addToLog,
  inSequence,
  type LogEnd,
  type LogPosition,
  limitsOf,
  messageLifeMs,
} from '../../shared/channels/rules/room-log.ts';

const limits = { kept: 20, step: 5, trimmedMs: 1000 };
const day = messageLifeMs;

/** Adds messages one at a time; their ids are those of every second message of the instance. */
function fill(count: number, atMs = 1): { end: LogEnd; places: readonly LogPosition[] } {
  let end: LogEnd | undefined;
  const places: LogPosition[] = [];
  for (let n = 1; n <= count; n += 1) {
    const added = addToLog(end, { ids: [2 * n], atMs }, limits);
    places.push(...added.positions);
    end = added.end;
  }
  if (end === undefined) throw new Error('nothing was added');
  return { end, places };
}

describe('an addition to a log', () => {
  it('numbers messages, each with the one before it', () => {
    const { positions: places, end } = addToLog(undefined, { ids: [3, 4], atMs: 7 }, limits);

    expect(places).toEqual([
      { id: 3, number: 1, previous: 0, previousAtMs: 0 },
      { id: 4, number: 2, previous: 3, previousAtMs: 7 },
    ]);
    expect(end).toEqual({ last: 4, lastAtMs: 7, count: 2, marks: [], trimmed: 0 });
  });

  it.each([
    [20, [10, 20, 30, 40], 0],
    [24, [10, 20, 30, 40], 0],
    [25, [20, 30, 40, 50], 10],
    [31, [30, 40, 50, 60], 20],
  ])('of %i messages has marks of those that are kept', (count, marks, trimmed) => {
    expect(fill(count).end).toMatchObject({ marks, trimmed });
  });

  it('trims as much at once as one by one', () => {
    const ids = Array.from({ length: 31 }, (_, n) => 2 * (n + 1));

    const { end, isTrimmed } = addToLog(undefined, { ids, atMs: 1 }, limits);

    expect([end, isTrimmed]).toEqual([fill(31).end, true]);
  });

  it('has marks for the limits of each channel', () => {
    for (const isEventLog of [false, true]) {
      const { kept, step } = limitsOf({ isEventLog });
      expect(kept % step).toBe(0);
    }
  });
});

describe('a reader', () => {
  const { end, places } = fill(10);
  const read = (after: number, found: readonly LogPosition[], nowMs = 2, last: LogEnd = end) => {
    const { messages, ...rest } = inSequence(found, { after, end: last, nowMs, limits });
    return { ids: messages.map(({ id }) => id), ...rest };
  };
  const [first, second, third, fourth] = places as [
    LogPosition,
    LogPosition,
    LogPosition,
    LogPosition,
  ];
  const whole = { isLost: false, hasGap: false };

  it('sees messages in order', () => {
    expect(read(0, [first, second])).toEqual({ ids: [2, 4], ...whole });
    expect(read(4, [third])).toEqual({ ids: [6], ...whole });
  });

  it('may have a position between two messages of its room', () => {
    expect(read(5, [third])).toEqual({ ids: [6], ...whole });
  });

  it('stops before a message whose previous one is not visible yet', () => {
    expect(read(0, [first, third])).toEqual({ ids: [2], isLost: false, hasGap: true });
    expect(read(2, [third, fourth])).toEqual({ ids: [], isLost: false, hasGap: true });
    expect(read(2, [])).toEqual({ ids: [], isLost: false, hasGap: true });
  });

  it('sees no gap at the end', () => {
    expect(read(20, [])).toEqual({ ids: [], ...whole });
  });

  it('learns that messages were trimmed or have expired', () => {
    const full = fill(30);
    const kept = full.places.slice(10, 12);
    expect(read(2, kept, 2, full.end)).toEqual({ ids: [22, 24], isLost: true, hasGap: false });
    expect(read(20, kept, 2, full.end)).toEqual({ ids: [22, 24], ...whole });
    expect(read(2, [third], day)).toEqual({ ids: [6], isLost: true, hasGap: false });
  });

  it('misses nothing when it begins with the oldest message', () => {
    const full = fill(30);
    expect(read(0, full.places.slice(10, 12), 2, full.end)).toEqual({ ids: [22, 24], ...whole });
    expect(read(0, [third], day)).toEqual({ ids: [6], ...whole });
  });

  it('learns that the log has begun anew', () => {
    expect(read(1, [first])).toEqual({ ids: [2], isLost: true, hasGap: false });
  });

  it('awaits no message that has expired', () => {
    expect(read(2, [], day + 2)).toEqual({ ids: [], ...whole });
  });
});
