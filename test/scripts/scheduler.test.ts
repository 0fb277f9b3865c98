import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  limitsFor,
  openScheduler,
  type ProcessJob,
  slotsFor,
} from '../../shared/platforms/local/scripts/scheduler.ts';
import type { QueueLimits } from '../../shared/ports/limits/request-queue.ts';
import type { ReleaseSlot } from '../../shared/scripts/slots.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const megabyte = 2 ** 20;

/** Named runs that start and end. */
function openWorld(limits: QueueLimits) {
  const scheduler = openScheduler(limits);
  const [started, refused] = [[] as string[], {} as Record<string, string>];
  const running = new Map<string, { readonly work: ProcessJob; readonly leave: ReleaseSlot }>();
  const waiting = new Map<string, ProcessJob>();
  return {
    started,
    refused,
    running,
    waiting,
    come: async (name: string, given: Partial<ProcessJob> = {}) => {
      const work: ProcessJob = { ...usual, ...given };
      waiting.set(name, work);
      void scheduler.enter(work).then((outcome) => {
        waiting.delete(name);
        if (typeof outcome === 'string') refused[name] = outcome;
        else {
          started.push(name);
          running.set(name, { work, leave: outcome });
        }
      });
      await vi.advanceTimersByTimeAsync(0);
    },
    end: async (...names: readonly string[]) => {
      for (const name of names) {
        running.get(name)?.leave();
        running.delete(name);
      }
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

const usual: ProcessJob = {
  kind: 'script',
  owner: 1,
  instance: 1,
  isAwaited: true,
  bytes: 100,
  waitMs: 30_000,
  timeoutMs: 30_000,
};
const sleeps = { timeoutMs: 300_000 };

describe('slots', () => {
  test.each([
    ['little memory results in four, without spares', 200, 4, false],
    ['less memory than none results in four', -500, 4, false],
    ['as many as fit', 448, 7, false],
    ['as many as fit with a spare of each runtime', 640, 6, true],
    ['never more than 64', 100_000, 64, true],
  ])('%s', (_name, megabytes, slots, keepsSpares) => {
    expect(slotsFor(megabytes * megabyte, 64 * megabyte)).toEqual({ slots, keepsSpares });
  });

  test('an owner has at most half of them, even if nothing else runs', async () => {
    const world = openWorld(limitsFor(4));

    for (const name of ['a', 'b', 'c']) await world.come(name, sleeps);

    expect(world.started).toEqual(['a', 'b']);
  });

  test('two owners with sleeping scripts leave one slot for another owner', async () => {
    const world = openWorld(limitsFor(4));
    for (const owner of [1, 2]) {
      for (const n of [1, 2]) await world.come(`${owner}.${n}`, { ...sleeps, owner });
    }

    await world.come('bystander', { owner: 3 });

    expect(world.started).toEqual(['1.1', '1.2', '2.1', 'bystander']);
  });

  test('the last slot is not for runs that may occupy it for minutes', async () => {
    const world = openWorld(limitsFor(4));
    for (const owner of [1, 2, 3]) await world.come(`${owner}`, { ...sleeps, owner });

    await world.come('long', { ...sleeps, owner: 4 });
    await world.come('short', { owner: 4 });

    expect(world.started).toEqual(['1', '2', '3', 'short']);
  });

  test('an instance has eight runs, and its renders are counted separately', async () => {
    const world = openWorld(limitsFor(64));
    for (let n = 0; n < 9; n += 1) await world.come(`script ${n}`);

    await world.come('render', { kind: 'template' });

    expect(world.started).toEqual([...Array(8).keys()].map((n) => `script ${n}`).concat('render'));
  });

  test('a slot that was released twice is free once', async () => {
    const world = openWorld(limitsFor(4));
    await world.come('a');
    const leave = world.running.get('a')?.leave;

    leave?.();
    leave?.();
    for (const [at, name] of ['b', 'c', 'd', 'e', 'f'].entries()) {
      await world.come(name, { owner: 10 + at });
    }

    expect(world.started).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('turns', () => {
  test('owners take turns, regardless of their number of instances', async () => {
    const world = openWorld({ ...limitsFor(2), reservedMs: 0 });
    await world.come('first');
    for (const instance of [1, 2, 3]) await world.come(`a${instance}`, { instance });
    for (const instance of [7, 8]) await world.come(`b${instance}`, { owner: 2, instance });

    for (const name of ['first', 'a1', 'b7', 'a2', 'b8']) await world.end(name);

    expect(world.started).toEqual(['first', 'a1', 'b7', 'a2', 'b8', 'a3']);
  });

  test('awaited runs of an instance go first', async () => {
    const world = openWorld({ ...limitsFor(2), reservedMs: 0 });
    await world.come('first');
    await world.come('direct', { isAwaited: false });
    await world.come('awaited');

    await world.end('first');

    expect(world.started).toEqual(['first', 'awaited']);
  });
});

describe('queues', () => {
  test('an owner with three instances fills its own queue, and no other', async () => {
    const world = openWorld(limitsFor(4));
    for (let n = 0; n < 1_100; n += 1) await world.come(`a${n}`, { instance: n % 3, ...sleeps });
    for (const n of [1, 2]) await world.come(`x${n}`, { owner: 9, ...sleeps });

    await world.come('bystander', { owner: 2, ...sleeps });

    expect(Object.values(world.refused)).toEqual(Array(98).fill('full'));
    expect(world.refused).not.toHaveProperty('bystander');
  });

  test('the waiting runs of an owner use at most its share of memory', async () => {
    const world = openWorld(limitsFor(4));
    const bytes = 16 * megabyte;

    for (let n = 0; n < 8; n += 1) await world.come(`${n}`, { bytes });

    expect(world.refused).toEqual({ 6: 'full', 7: 'full' });
  });

  test('when ten thousand wait, owners above their share are rejected', async () => {
    const world = openWorld({ ...limitsFor(4), queueInShares: 12, queuePerOwner: 10 });
    for (let n = 0; n < 14; n += 1) await world.come(`a${n}`, sleeps);
    for (let n = 0; n < 8; n += 1) await world.come(`b${n}`, { owner: 2, ...sleeps });

    await world.come('a', sleeps);

    expect(world.refused).toEqual({ a12: 'full', a13: 'full', b7: 'full', a: 'full' });
  });

  test('a run that has waited too long is rejected, and its turn is passed to the next', async () => {
    const world = openWorld(limitsFor(2));
    await world.come('a');
    await world.come('late', { waitMs: 500 });
    await world.come('next');

    await vi.advanceTimersByTimeAsync(600);
    await world.end('a');

    expect(world.refused).toEqual({ late: 'late' });
    expect(world.started).toEqual(['a', 'next']);
  });
});

/** A new run, the end of a run by its position, or time that passes. */
type Step = Omit<ProcessJob, 'bytes'> | { readonly end: number } | { readonly passMs: number };

test.each([4, 6])(
  'of %i slots no limit is exceeded and no run waits that could start, in any sequence',
  async (slots) => {
    const limits = { ...limitsFor(slots), perInstance: 2, queuePerInstance: 50 };
    const step: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          owner: fc.nat(5),
          instance: fc.nat(2),
          kind: fc.constantFrom<ProcessJob['kind']>('script', 'template'),
          isAwaited: fc.boolean(),
          timeoutMs: fc.constantFrom(1_000, 300_000),
          waitMs: fc.constantFrom(50, 60_000),
        }),
      },
      fc.record({ end: fc.nat(5) }),
      fc.record({ passMs: fc.constantFrom(10, 100) }),
    );
    const check = async (steps: readonly Step[]) => {
      const world = openWorld(limits);
      let last = 0;
      for (const each of steps) {
        if ('end' in each) await world.end([...world.running.keys()][each.end] ?? '');
        else if ('passMs' in each) await vi.advanceTimersByTimeAsync(each.passMs);
        else {
          last += 1;
          await world.come(String(last), { ...each, instance: each.owner * 10 + each.instance });
        }
        const works = [...world.running.values()].map(({ work }) => work);
        const perOwner = countBy(works, ({ owner }) => String(owner));
        const perQueue = countBy(works, ({ instance, kind }) => `${instance} ${kind}`);
        expect(works.length).toBeLessThanOrEqual(limits.capacity);
        expect(Math.max(0, ...perOwner.values())).toBeLessThanOrEqual(limits.perOwner);
        expect(Math.max(0, ...perQueue.values())).toBeLessThanOrEqual(limits.perInstance);
        const free = limits.capacity - works.length;
        const couldRun = [...world.waiting.values()].filter((work) => {
          const ofOwner = perOwner.get(String(work.owner)) ?? 0;
          const ofQueue = perQueue.get(`${work.instance} ${work.kind}`) ?? 0;
          const mayTakeLast = ofOwner === 0 && work.timeoutMs <= limits.reservedMs;
          const hasRoom = ofOwner < limits.perOwner && ofQueue < limits.perInstance;
          return hasRoom && (free > 1 || (free === 1 && mayTakeLast));
        });
        expect(couldRun).toEqual([]);
      }
      while (world.running.size > 0) await world.end([...world.running.keys()][0] ?? '');
      expect(world.started.length + Object.keys(world.refused).length).toBe(last); // no run was lost
      await world.come('afterwards');
      expect(world.started).toContain('afterwards');
    };

    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), check), { numRuns: 200 });
  },
);

function countBy(
  works: readonly ProcessJob[],
  keyOf: (work: ProcessJob) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const work of works) counts.set(keyOf(work), (counts.get(keyOf(work)) ?? 0) + 1);
  return counts;
}
