import { describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { runPending } from '../../shared/scripts/script-runs.ts';
import { putItem } from '../../shared/store/writes.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { runQueueEntity, triggerRateEntity } from '../../shared/table/entities/scripts.ts';
import { maxOpenTriggerRuns, maxTriggerRunsPerMinute } from '../../shared/values/bounds.ts';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { instanceId } from '../support/stored-records.ts';
import {
  makeScript,
  makeTrigger,
  printedBy,
  printInputs,
  settleTriggers,
  tracesOf,
} from '../support/triggers.ts';

/** The order of runs of triggers, their bounds, and further attempts. */

const clock = openMovedClock();

const it = newWorldTest('shop', { clock }).extend('given', { auto: true }, ({ world }) =>
  setUp(world),
);

/** Prints when it starts and ends, and the argument `pages`; takes a random time. */
const timed = `
  const started = Date.now();
  setTimeout(() => {
    console.log(JSON.stringify({ pages: ARGS.pages, started, ended: Date.now() }));
  }, Math.random() * 30);`;

describe('runs of one trigger', () => {
  it('follow each other for one object, in the order of its changes', async ({ world }) => {
    await makeScript(world, timed);
    const trigger = await makeTrigger(world, { signal: 'update' });
    const books = await Promise.all([1, 2, 3].map((n) => makeBook(world, { pages: n * 100 })));

    await Promise.all(
      books.map(async (id, at) => {
        for (let n = 1; n <= 15; n += 1) await change(world, id, (at + 1) * 100 + n);
      }),
    );

    const runs: readonly Run[] = await printedBy(world, trigger);
    expect(runs).toHaveLength(45);
    for (const at of [1, 2, 3]) {
      const own = runs.filter(({ pages }) => Math.floor(pages / 100) === at);
      own.sort((a, b) => a.started - b.started || a.ended - b.ended);
      expect(own.map(({ pages }) => pages % 100)).toEqual(
        Array.from({ length: 15 }, (_, n) => n + 1),
      );
      for (const [n, run] of own.entries()) {
        expect(run.started).toBeGreaterThanOrEqual(own[n - 1]?.ended ?? 0);
      }
    }
  });

  // the time of a deployment's functions stands still, or is that of the next tick
  it.skipIf(isOn('roles'))(
    'of different objects, or of another trigger, do not wait for each other',
    async ({ world }) => {
      await makeScript(world, 'setTimeout(() => console.log("{}"), ARGS.pages === 1 ? 1500 : 0)');
      const first = await makeTrigger(world, { signal: 'create' });
      const other = await makeTrigger(world, {
        signal: 'update',
        script: await makeScript(world, ''),
      });
      const slow = await makeBook(world, { pages: 1 });
      const fast = await makeBook(world, { pages: 2 });
      await change(world, slow, 3);

      await settleTriggers(world);

      const ended = async (trigger: number) =>
        (await tracesOf(world, trigger)).map(
          ({ executed_at, duration }) => Date.parse(executed_at) + duration,
        );
      const [slowEnd = 0, fastEnd = 0] = await ended(first);
      const [otherEnd = 0] = await ended(other);
      expect(fast).toBe(slow + 1);
      expect(Math.min(slowEnd - fastEnd, slowEnd - otherEnd)).toBeGreaterThan(200);
    },
  );

  it('continue after one that fails or times out', async ({ world }) => {
    const source = 'if (ARGS.pages === 1) throw new Error("x"); if (ARGS.pages === 2) for (;;);';
    await makeScript(world, source, { timeout: 0.3 });
    const trigger = await makeTrigger(world, { signal: 'update' });
    const id = await makeBook(world);
    for (const pages of [1, 2, 3]) await change(world, id, pages);

    const traces = await tracesOf(world, trigger);

    expect(traces.map(({ status }) => status)).toEqual(['failure', 'timeout', 'success']);
  });
});

it.skipIf(isOn('roles'))(
  'a run that gets no slot in its time is pending again',
  async ({ api, world }) => {
    await makeScript(world, 'setTimeout(() => console.log(ARGS.pages), 700)');
    const trigger = await makeTrigger(world, { signal: 'update' });
    const id = await makeBook(world);
    for (const pages of [1, 2]) await change(world, id, pages);
    const instance = await instanceId(api.platform.store, world.instance);
    const traces = async () =>
      (await traceEntity.listAll(api.platform.store, [instance, 'trigger', trigger])).map(
        ({ data }) => data,
      );
    await expect.poll(traces).toMatchObject([{ status: 'processing' }, { status: 'pending' }]);
    const [, { id: trace } = { id: 0 }] = await traces();
    const run = () => Promise.resolve({ status: 'queue_timeout' as const });

    await runPending(
      { ...api.platform, scripts: { ...api.platform.scripts, run } },
      { instance, kind: 'trigger', parent: trigger, trace },
    );

    expect((await traces())[1]).toMatchObject({ status: 'pending', executed_at: null });
    expect(await printedBy(world, trigger)).toEqual([1, 2]);
  },
);

describe('a blocked run says why:', () => {
  const blocked = (stderr: string) => ({
    status: 'blocked',
    duration: null,
    result: { stdout: '', stderr },
  });

  it('scripts that run because of each other', async ({ world }) => {
    const source = `
      const at = META.api_url + '/v1.1/instances/' + META.instance;
      fetch(at + '/classes/book/objects/' + ARGS.id + '/', {
        method: 'PATCH',
        headers: { 'X-API-KEY': META.token, 'Content-Type': 'application/json' },
        body: JSON.stringify({ pages: { _increment: 1 } }),
      }).then((answer) => console.log(answer.status));`;
    await makeScript(world, source, { allow_full_access: true });
    const trigger = await makeTrigger(world, { signal: 'update' });
    const id = await makeBook(world, { pages: 0 });

    await change(world, id, 1);

    const traces = await tracesOf(world, trigger);
    expect(traces.map(({ status }) => status)).toEqual([...Array(8).fill('success'), 'blocked']);
    expect(traces[8]).toMatchObject(blocked('More than 8 scripts ran because of each other.'));
    expect((await call(world, 'GET', `classes/book/objects/${id}/`)).body.pages).toBe(9);
  });

  it.skipIf(isOn('roles'))('too many runs in a minute', async ({ api, world }) => {
    await makeScript(world, printInputs);
    const trigger = await makeTrigger(world, { signal: 'create' });
    await makeBook(world, { pages: 1 });
    await settleTriggers(world);
    const { platform } = api;
    const instance = await instanceId(platform.store, world.instance);
    const used = await triggerRateEntity.read(platform.store, instance);
    expect(used?.data.runs).toBe(1);
    const minute = used?.data.minute ?? 0;
    const data = { minute, runs: maxTriggerRunsPerMinute - 1 };
    await maintain(platform, [putItem(triggerRateEntity, triggerRateEntity.key(instance), data)]);

    await makeBook(world, { pages: 2 });
    await settleTriggers(world);
    await makeBook(world, { pages: 3 });
    await settleTriggers(world);
    clock.forward(60);
    await makeBook(world, { pages: 4 });

    const traces = await tracesOf(world, trigger);
    expect(traces.map(({ status }) => status)).toEqual([
      'success',
      'success',
      'blocked',
      'success',
    ]);
    const stderr = `More than ${maxTriggerRunsPerMinute} runs of triggers in a minute.`;
    expect(traces[2]).toMatchObject(blocked(stderr));
  });

  it('too many runs that have not ended', async ({ api, world }) => {
    await makeScript(world, printInputs);
    const trigger = await makeTrigger(world, { signal: 'create' });
    const { platform } = api;
    const instance = await instanceId(platform.store, world.instance);
    const entry = { kind: 'trigger', parent: 99, trace: 1 } as const;
    const key = (n: number) => runQueueEntity.key(instance, `other${n}`, '1');
    const ids = Array.from({ length: maxOpenTriggerRuns - 1 }, (_, n) => n);
    for (const n of ids) await maintain(platform, [putItem(runQueueEntity, key(n), entry)]);

    const requests = [1, 2, 3].map((pages) => ({
      method: 'POST',
      path: `${world.base}classes/book/objects/`,
      body: { pages },
    }));
    expected(await call(world, 'POST', 'batch/', { requests }), 200);
    await api.platform.idle();

    const { objects } = expected(
      await call(world, 'GET', `triggers/${trigger}/traces/?ordering=asc`),
      200,
    );
    const statuses = objects.map(({ status }: { status: string }) => status).sort();
    expect(statuses).toEqual(['blocked', 'blocked', 'success']);
    const stderr = `More than ${maxOpenTriggerRuns} runs of triggers have not ended.`;
    const last = objects.find(({ status }: { status: string }) => status === 'blocked');
    expect(last).toMatchObject(blocked(stderr));
  });
});

describe('further attempts', () => {
  it.for([
    [undefined, 1],
    [0, 1],
    [2, 3],
    [6, 1],
    ['2', 1],
    [1.5, 1],
  ] as const)('with %j retries: %i runs', async ([retries, runs], { world }) => {
    await makeScript(world, 'console.log(JSON.stringify([ARGS, META])); throw 1', { retries });
    const trigger = await makeTrigger(world, { signal: 'create' });

    await makeBook(world, { pages: 7 });
    for (let n = 0; n < 4; n += 1) {
      await settleTriggers(world);
      clock.forward(20);
      expected(await call(world, 'POST', 'snippets/scripts/1/run/'), 200); // a new job looks at the clock
    }

    const traces = await tracesOf(world, trigger);
    expect(traces.map(({ status }) => status)).toEqual(Array(runs).fill('failure'));
    expect(new Set(traces.map(({ result }) => result.stdout)).size).toBe(1);
    expect(JSON.parse(traces[0].result.stdout)).toMatchObject([{ pages: 7 }, { executor: 1 }]);
  });
});

async function setUp(world: World) {
  await world.dataClass('book', [{ name: 'pages', type: 'integer' }]);
}

const call = (world: World, method: string, path: string, body?: unknown, as = world.owner) =>
  world.call(as, method, path, body);

const makeBook = async (world: World, body: object = {}) =>
  expected(await call(world, 'POST', 'classes/book/objects/', body), 201).id as number;

const change = async (world: World, id: number, pages: number) =>
  expected(await call(world, 'PATCH', `classes/book/objects/${id}/`, { pages }), 200);

interface Run {
  readonly pages: number;
  readonly started: number;
  readonly ended: number;
}
