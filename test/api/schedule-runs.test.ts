import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { scheduleJob } from '../../shared/schedules/schedule-record.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { scheduleEntity } from '../../shared/table/entities/scripts.ts';
import type { World } from '../support/api.ts';
import { type ApiResponse, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { column, time } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';

/** Runs of schedules at their times, under a clock that tests set. */

const clock = openMovedClock('2026-03-27T12:00:00Z');

const it = worldTest({ clock });

describe('a schedule', () => {
  it('runs its script at its time, and has the next one', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    const { created_at, scheduled_next, script } = await show(world, id);

    await passTime(world, 59);
    const before = await traces(world, id);
    await passTime(world, 1);
    const [trace, ...others] = await traces(world, id);
    const after = await show(world, id);

    expect(created_at < scheduled_next).toBe(true);
    expect([before, others]).toEqual([[], []]);
    expect(trace).toMatchObject({ status: 'success', executed_at: time, result: { stderr: '' } });
    const [args, meta] = JSON.parse(trace.result.stdout);
    expect(args).toEqual({});
    expect(meta).toMatchObject({
      executed_by: 'schedule',
      executor: id,
      instance: world.instance,
      async: 0,
    });
    expect(Object.keys(meta).sort()).toEqual([
      'api_host',
      'api_url',
      'async',
      'executed_by',
      'executor',
      'instance',
    ]);
    expect([after.script, after.missed]).toEqual([script, 0]);
    expect(Date.parse(after.scheduled_next) - Date.parse(scheduled_next)).toBe(60_000);
    expect(await world.read(`schedules/${id}/traces/${trace.id}/`)).toEqual(trace);
  });

  it('with an interval keeps its times, however late it runs', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    const first = Date.parse((await show(world, id)).scheduled_next);

    await passTime(world, 60 + 17);
    await passTime(world, 60);

    const { scheduled_next, missed } = await show(world, id);
    expect([(await traces(world, id)).length, missed]).toEqual([2, 0]);
    expect(Date.parse(scheduled_next) - first).toBe(120_000);
  });

  it('runs once after a pause, and counts the times that it missed', async ({ world }) => {
    const id = await make(world, { interval_sec: 30 });
    const daily = await make(world, { crontab: '0 0 * * *' });

    await passTime(world, 7 * 86_400);

    const [of, ofDaily] = [await show(world, id), await show(world, daily)];
    expect([(await traces(world, id)).length, of.missed]).toEqual([1, 1000]); // no more are counted
    expect([(await traces(world, daily)).length, ofDaily.missed]).toEqual([1, 6]);
    const now = clock.micros() / 1000;
    expect(Date.parse(of.scheduled_next)).toBeGreaterThan(now);
    expect(Date.parse(of.scheduled_next)).toBeLessThanOrEqual(now + 30_000);
  });

  it('of a week runs once after weeks of idleness', async ({ world }) => {
    const id = await make(world, { crontab: '0 9 * * mon', timezone: 'Europe/Warsaw' });

    await passTime(world, 22 * 86_400);

    const { missed, scheduled_next } = await show(world, id);
    expect([(await traces(world, id)).length, missed]).toEqual([1, 2]);
    expect(Date.parse(scheduled_next)).toBeGreaterThan(clock.micros() / 1000);
  });

  it('runs at its old time when the clock was set back, and not again', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    const { scheduled_next } = await show(world, id);
    await passTime(world, 60);

    await passTime(world, -3600);
    const [runs, next] = [(await traces(world, id)).length, (await show(world, id)).scheduled_next];
    await passTime(world, 3600 + 60);

    expect(runs).toBe(1);
    expect(Date.parse(next) - Date.parse(scheduled_next)).toBe(60_000);
    expect([(await traces(world, id)).length, (await show(world, id)).missed]).toEqual([2, 0]);
  });

  it('does not run at its old time after a change', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });

    expected(await world.own('PATCH', `schedules/${id}/`, { interval_sec: 3600 }), 200);
    const stored = await remains(world, id);
    await passTime(world, 61);
    const early = await traces(world, id);
    await passTime(world, 3600);

    expect([early.length, (await traces(world, id)).length]).toEqual([0, 1]);
    expect(stored).toEqual(['work', 'schedule']);
    expect(await remains(world, id)).toEqual(['work', 'schedule', 'trace']);
  });

  it('runs the current script', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    const script = await makeScript(world, 'console.log("other")');

    expected(await world.own('PATCH', `schedules/${id}/`, { script }), 200);
    await passTime(world, 60);

    expect(column({ body: { objects: await traces(world, id) } } as ApiResponse, 'result')).toEqual(
      [{ stdout: 'other', stderr: '' }],
    );
  });

  it('is run again by a retry of its trace, outside its times', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    await passTime(world, 60);
    const before = await show(world, id);
    const [{ id: trace, result }] = await traces(world, id);

    const retry = await world.own('POST', `schedules/${id}/traces/${trace}/retry/`);
    await world.api.platform.idle();
    const [again, ...others] = await traces(world, id);

    expect([retry.status, retry.body.status]).toEqual([200, 'pending']);
    expect([again.status, again.result, others.length]).toEqual(['success', result, 1]);
    expect(await show(world, id)).toEqual(before);
  });

  it('has traces that are only read', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    await passTime(world, 60);

    const wrong = await world.own('GET', `schedules/${id}/traces/99/`);
    const posted = await world.own('POST', `schedules/${id}/traces/`);

    expect([wrong.status, posted.status]).toEqual([404, 405]);
  });
});

describe('a run that takes longer than the interval', () => {
  const waiting: ServerResponse[] = [];
  const listener = createServer((_, response) => {
    waiting.push(response);
  });
  beforeAll(() => once(listener.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => {
    listener.closeAllConnections();
    listener.close();
  });

  it('is not overlapped, and the times in it are missed; a change does not matter', async ({
    world,
  }) => {
    const { port } = listener.address() as AddressInfo; // it listens
    const script = await makeScript(world, `fetch('http://127.0.0.1:${port}/')`);
    const id = (await world.create('schedules/', { script, interval_sec: 60 })).id;
    await pass(world, 60);
    await once(listener, 'request');

    for (const missed of [1, 2]) {
      await pass(world, 60);
      while ((await show(world, id)).missed < missed) await new Promise(setImmediate);
    }
    expected(await world.own('PATCH', `schedules/${id}/`, { interval_sec: 30 }), 200);
    await pass(world, 30);
    while ((await show(world, id)).missed < 3) await new Promise(setImmediate);
    const during = column({ body: { objects: await traces(world, id) } } as ApiResponse, 'status');
    for (const response of waiting) response.end();
    await world.api.platform.idle();
    listener.on('request', (_, response) => response.end());
    await passTime(world, 30);

    const after = column({ body: { objects: await traces(world, id) } } as ApiResponse, 'status');
    expect([during, after]).toEqual([['processing'], ['success', 'success']]);
    expect((await show(world, id)).missed).toBe(3);
  });
});

describe('nothing remains', () => {
  it('of a deleted schedule', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    await passTime(world, 60);

    expected(await world.own('DELETE', `schedules/${id}/`), 204);
    await passTime(world, 120);

    expect(await remains(world, id)).toEqual([]);
  });

  it('of a deleted schedule that never ran, at once', async ({ world }) => {
    const id = await make(world, { crontab: '0 0 1 1 *' });

    expected(await world.own('DELETE', `schedules/${id}/`), 204);

    expect(await remains(world, id)).toEqual([]);
  });

  it('of the schedules of a deleted script', async ({ world }) => {
    const id = await make(world, { interval_sec: 60 });
    const other = await make(world, { interval_sec: 60 });
    await passTime(world, 60);

    const { script } = await show(world, id);
    expected(await world.own('DELETE', `snippets/scripts/${script}/`), 204);
    await passTime(world, 120);

    expect(await remains(world, id)).toEqual([]);
    expect(await remains(world, other)).toEqual(['work', 'schedule', 'trace', 'trace']);
  });

  it('of a deleted instance, whose schedules do not run', async ({ world }) => {
    const name = 'short-lived';
    const at = `/v1.1/instances/${name}/`;
    const send = async (path: string, body: object, status: number) =>
      expected(await world.api.send({ as: world.owner, path, body }), status);
    await send('/v1.1/instances/', { name }, 201);
    const { id: script } = await send(`${at}snippets/scripts/`, { runtime_name: 'nodejs' }, 201);
    const made = await send(`${at}schedules/`, { script, interval_sec: 60 }, 201);
    const { store } = world.api.platform;
    const instance = await instanceId(store, name);
    await passTime(world, 60);
    const runs = (await traceEntity.listAll(store, [instance, 'schedule', made.id])).length;

    const { owner: as } = world;
    expected(await world.api.send({ as, method: 'DELETE', path: at }), 204);
    await passTime(world, 60);
    await passTime(world, 60);

    const all = await traceEntity.listAll(store, [instance, 'schedule', made.id]);
    const partition = await store.query({ pk: scheduleEntity.partition(instance), limit: 10 });
    expect([runs, all, partition.items]).toEqual([1, [], []]);
  });
});

async function makeScript(
  world: World,
  source = 'console.log(JSON.stringify([ARGS, META]))',
): Promise<number> {
  const body = { runtime_name: 'nodejs_v8', source };
  return (await world.create('snippets/scripts/', body)).id;
}

async function make(world: World, body: object): Promise<number> {
  const script = await makeScript(world);
  return (await world.create('schedules/', { script, ...body })).id;
}

const show = (world: World, id: number): Promise<ApiResponse['body']> =>
  world.read(`schedules/${id}/`);

const traces = async (world: World, id: number): Promise<readonly ApiResponse['body'][]> =>
  (await world.read(`schedules/${id}/traces/`)).objects;

/** Sets the clock, and has the background look for due jobs: its timers use the time of the machine. */
async function pass(world: World, seconds: number): Promise<void> {
  clock.forward(seconds);
  const nothing = { instance: 0, schedule: 0, time: '' };
  await maintain(world.api.platform, [newJob(world.api.platform, scheduleJob, nothing)]);
}

/** The same, and waits for the end of the runs. */
async function passTime(world: World, seconds: number): Promise<void> {
  await pass(world, seconds);
  await world.api.platform.idle();
}

/** Returns the jobs and other items that are stored for a schedule. */
async function remains(world: World, id: number): Promise<readonly string[]> {
  const { store } = world.api.platform;
  const instance = await instanceId(store, world.instance);
  const jobs = await Promise.all(jobShards.map((shard) => jobEntity.listAll(store, [shard])));
  const ofSchedule = jobs
    .flat()
    .filter(({ data: { task } }) => task.instance === instance && task.schedule === id);
  const record = await scheduleEntity.read(store, instance, id);
  const all = await traceEntity.listAll(store, [instance, 'schedule', id]);
  return [...ofSchedule, ...(record === undefined ? [] : [record]), ...all].map(({ kind }) => kind);
}
