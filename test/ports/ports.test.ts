import { describe, expect, test } from 'vitest';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';

describe('clock', () => {
  function clockAt(wall: number) {
    const time = { wall, steady: 0 };
    const clock = openClock({ wallMs: () => time.wall, steadyMs: () => time.steady });
    return { time, clock };
  }

  test('returns microseconds between the ticks of the machine', () => {
    const { time, clock } = clockAt(1000);
    time.steady = 0.25;

    expect([clock.micros(), clock.micros()]).toEqual([1_000_250, 1_000_251]);
  });

  test.each([
    ['set forward', 9000, 9_000_000],
    ['set back', 500, 1_000_001],
  ])('follows a machine that is %s and never runs backwards', (_name, wall, expected) => {
    const { time, clock } = clockAt(1000);
    clock.micros();
    time.wall = wall;

    expect(clock.micros()).toBe(expected);
  });

  test('returns the time of the machine', () => {
    const clock = openClock();
    const tolerated = 20; // milliseconds of allowed difference from the machine's clock

    const before = Date.now();
    const shown = clock.micros() / 1000;
    const after = Date.now();

    expect(shown).toBeGreaterThanOrEqual(before - tolerated);
    expect(shown).toBeLessThanOrEqual(after + tolerated);
  });
});

test('ids are 24 hex digits and differ, also beyond one pool', () => {
  const ids = openIds();

  const made = Array.from({ length: 2000 }, () => ids.random());

  expect(new Set(made).size).toBe(2000);
  expect(made.filter((id) => !/^[0-9a-f]{24}$/.test(id))).toEqual([]);
});
