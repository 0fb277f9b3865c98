import { test as base, expect, vi } from 'vitest';
import { shardDigit, shardsPerOwner } from '../../shared/jobs/job-owners.ts';
import { type JobContext, type JobType, newJob, runDue } from '../../shared/jobs/jobs.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Store } from '../../shared/store/store.ts';
import { write } from '../store/fixture.ts';
import { temporaryStore } from '../support/temporary.ts';

/* One tenant with many jobs: which shards they fill, and how long the jobs of others wait behind them. */

const flood = 1;
const others = [2, 3, 4, 5];

const ids = openIds();
const clock = openClock();

const test = base
  .extend('store', temporaryStore({ now: () => clock.micros() / 1000 }))
  .extend('given', ({ store }) => setUp(store));

const shardsOf = (owner: number) =>
  new Set(
    Array.from({ length: 16 }, (_, first) => shardDigit(String(owner), `${first.toString(16)}0`)),
  );

test('the jobs of a tenant are in a quarter of the shards, which it has all in common with few', () => {
  const tenants = Array.from({ length: 2000 }, (_, at) => at + 1);
  const perShard = new Map<string, number>();
  const sets = new Map<string, number>();
  for (const tenant of tenants) {
    const own = shardsOf(tenant);
    expect(own.size).toBe(shardsPerOwner);
    for (const shard of own) perShard.set(shard, (perShard.get(shard) ?? 0) + 1);
    const set = [...own].toSorted().join('');
    sets.set(set, (sets.get(set) ?? 0) + 1);
  }

  expect(perShard.size).toBe(16);
  expect(Math.min(...perShard.values())).toBeGreaterThan(350); // 500 are expected
  expect(Math.max(...sets.values())).toBeLessThan(tenants.length / 20);
});

test('a thousand due jobs of a tenant delay the later ones of others by a few jobs', async ({
  given: { order, job, context, plan },
}) => {
  const now = Date.now();
  for (let at = 0; at < 1000; at += 1) await plan(flood, at % 16, now - 60_000 + at);
  const common = others.filter((each) =>
    [...shardsOf(each)].some((shard) => shardsOf(flood).has(shard)),
  );
  expect(common.length).toBeGreaterThan(0);
  for (const each of others) for (let at = 0; at < 4; at += 1) await plan(each, at, now - 1000);

  await runDue({ kinds: [job], context, isEnding: () => false });

  expect(order).toHaveLength(1000 + 4 * others.length);
  const last = order.findLastIndex((instance) => instance !== flood);
  expect(last).toBeLessThan(150);
});

test('a job that is planned while a tenant has a thousand due ones waits for a few of them', async ({
  given: { order, job, context, plan },
}) => {
  const now = Date.now();
  const shard = [...shardsOf(flood)].find((each) => shardsOf(2).has(each));
  const common = shard === undefined ? 0 : Number.parseInt(shard, 16);
  const digit = (owner: number) =>
    [0, 1, 2, 3].find((first) => shardDigit(String(owner), `${first}0`) === common.toString(16)) ??
    0;
  for (let at = 0; at < 600; at += 1) await plan(flood, digit(flood), now - 60_000 + at);
  let planned = false;
  const counting: JobType = {
    ...job,
    step: async (services, task) => {
      if (order.length >= 20 && !planned) {
        planned = true;
        await plan(2, digit(2), now - 1);
      }
      return job.step(services, task);
    },
  };

  await runDue({ kinds: [counting], context, isEnding: () => false });

  expect(order).toHaveLength(601);
  expect(order.indexOf(2)).toBeLessThan(20 + 150);
});

test('jobs that are due while all places are taken start as well', async ({
  store,
  given: { context },
}) => {
  const now = Date.now();
  const waiting: (() => void)[] = [];
  const slow: JobType = {
    name: 'slow',
    step: async () => {
      if (waiting.length < 4) await new Promise<void>((resolve) => waiting.push(resolve));
      return 'done';
    },
  };
  const chosen = { random: () => `0${ids.random().slice(1)}` };
  for (let at = 0; at < 30; at += 1) {
    await write(store, newJob({ clock, ids: chosen }, slow, { instance: 1 }, now - 1000 + at));
  }
  const ended = runDue({ kinds: [slow], context, isEnding: () => false });
  await expect.poll(() => waiting.length).toBe(4);
  for (const go of waiting) go();
  await ended;

  expect(await runDue({ kinds: [slow], context, isEnding: () => false })).toBeUndefined();
});

test('jobs that wait for a server of others delay none of a shard', async ({
  given: { order, job, context, plan },
}) => {
  let end = () => {};
  const hangs = new Promise<void>((resolve) => {
    end = resolve;
  });
  const waiting: JobType = {
    name: 'wait',
    slowMs: 0,
    step: async () => {
      await hangs;
      return 'done';
    },
  };
  const [shard = 0] = shardsOf(flood);
  const at = Number.parseInt(String(shard), 16);
  const now = Date.now();
  for (let n = 0; n < 44; n += 1) await plan(flood, at, now - 60_000 + n, waiting);
  await plan(flood, at, now - 1000);
  const kinds = [job, waiting];
  const run = runDue({ kinds, context, isEnding: () => false });

  await vi.waitFor(() => expect(order).toEqual([flood]), 3000);
  end();
  await run;
});

/** A job that notes in `order` whose it is. */
function setUp(store: Store) {
  const order: number[] = [];
  const job: JobType = {
    name: 'count',
    step: async (_, { instance }) => {
      order.push(Number(instance));
      return 'done';
    },
  };
  const services = { store, clock, ids, log: () => undefined };
  const context = services as unknown as JobContext; // steps of this test use nothing else
  /** Plans a job in a shard. */
  async function plan(instance: number, shard: number, due: number, type = job): Promise<void> {
    const chosen = { random: () => shard.toString(16) + ids.random().slice(1) };
    const put = newJob({ clock, ids: chosen }, type, { instance }, due);
    await write(store, put);
  }
  return { order, job, context, plan };
}
