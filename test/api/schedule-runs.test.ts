import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { scheduleJob } from '../../shared/schedules/schedule-record.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { scheduleEntity } from '../../shared/table/entities/scripts.ts';
import { type ApiResponse, expected } from '../support/api.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { column, time } from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';
import { useWorld, world } from '../support/world-fixture.ts';

/** Runs of schedules at their times, under a clock that tests set. */

const clock = openMovedClock('2026-03-27T12:00:00Z');
useWorld({ clock });

const call = (method: string, path: string, body?: unknown) =>
  world.call(world.owner, method, path, body);

async function makeScript(source = 'console.log(JSON.stringify([ARGS, META]))'): Promise<number> {
  const body = { runtime_name: 'nodejs_v8', source };
  return expected(await call('POST', 'snippets/scripts/', body), 201).id;
}

async function make(body: object): Promise<number> {
  const script = await makeScript();
  return expected(await call('POST', 'schedules/', { script, ...body }), 201).id;
}

const show = async (id: number): Promise<ApiResponse['body']> =>
  expected(await call('GET', `schedules/${id}/`), 200);
const traces = async (id: number): Promise<readonly ApiResponse['body'][]> =>
  expected(await call('GET', `schedules/${id}/traces/`), 200).objects;

/** Sets the clock, and has the background look for due jobs: its timers use the time of the machine. */
async function pass(seconds: number): Promise<void> {
  clock.forward(seconds);
  const nothing = { instance: 0, schedule: 0, time: '' };
  await maintain(world.api.platform, [newJob(world.api.platform, scheduleJob, nothing)]);
}

/** The same, and waits for the end of the runs. */
async function passTime(seconds: number): Promise<void> {
  await pass(seconds);
  await world.api.platform.idle();
}

/** Returns the jobs and other items that are stored for a schedule. */
async function remains(id: number): Promise<readonly string[]> {
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

describe('a schedule', () => {
  it('runs its script at its time, and has the next one', async () => {
    const id = await make({ interval_sec: 60 });
    const { created_at, scheduled_next, script } = await show(id);

    await passTime(59);
    const before = await traces(id);
    await passTime(1);
    const [trace, ...others] = await traces(id);
    const after = await show(id);

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
    expect(expected(await call('GET', `schedules/${id}/traces/${trace.id}/`), 200)).toEqual(trace);
  });

  it('with an interval keeps its times, however late it runs', async () => {
    const id = await make({ interval_sec: 60 });
    const first = Date.parse((await show(id)).scheduled_next);

    await passTime(60 + 17);
    await passTime(60);

    const { scheduled_next, missed } = await show(id);
    expect([(await traces(id)).length, missed]).toEqual([2, 0]);
    expect(Date.parse(scheduled_next) - first).toBe(120_000);
  });

  it('runs once after a pause, and counts the times that it missed', async () => {
    const id = await make({ interval_sec: 30 });
    const daily = await make({ crontab: '0 0 * * *' });

    await passTime(7 * 86_400);

    const [of, ofDaily] = [await show(id), await show(daily)];
    expect([(await traces(id)).length, of.missed]).toEqual([1, 1000]); // no more are counted
    expect([(await traces(daily)).length, ofDaily.missed]).toEqual([1, 6]);
    const now = clock.micros() / 1000;
    expect(Date.parse(of.scheduled_next)).toBeGreaterThan(now);
    expect(Date.parse(of.scheduled_next)).toBeLessThanOrEqual(now + 30_000);
  });

  it('of a week runs once after weeks of idleness', async () => {
    const id = await make({ crontab: '0 9 * * mon', timezone: 'Europe/Warsaw' });

    await passTime(22 * 86_400);

    const { missed, scheduled_next } = await show(id);
    expect([(await traces(id)).length, missed]).toEqual([1, 2]);
    expect(Date.parse(scheduled_next)).toBeGreaterThan(clock.micros() / 1000);
  });

  it('runs at its old time when the clock was set back, and not again', async () => {
    const id = await make({ interval_sec: 60 });
    const { scheduled_next } = await show(id);
    await passTime(60);

    await passTime(-3600);
    const [runs, next] = [(await traces(id)).length, (await show(id)).scheduled_next];
    await passTime(3600 + 60);

    expect(runs).toBe(1);
    expect(Date.parse(next) - Date.parse(scheduled_next)).toBe(60_000);
    expect([(await traces(id)).length, (await show(id)).missed]).toEqual([2, 0]);
  });

  it('does not run at its old time after a change', async () => {
    const id = await make({ interval_sec: 60 });

    expected(await call('PATCH', `schedules/${id}/`, { interval_sec: 3600 }), 200);
    const stored = await remains(id);
    await passTime(61);
    const early = await traces(id);
    await passTime(3600);

    expect([early.length, (await traces(id)).length]).toEqual([0, 1]);
    expect(stored).toEqual(['work', 'schedule']);
    expect(await remains(id)).toEqual(['work', 'schedule', 'trace']);
  });

  it('runs the current script', async () => {
    const id = await make({ interval_sec: 60 });
    const script = await makeScript('console.log("other")');

    expected(await call('PATCH', `schedules/${id}/`, { script }), 200);
    await passTime(60);

    expect(column({ body: { objects: await traces(id) } } as ApiResponse, 'result')).toEqual([
      { stdout: 'other', stderr: '' },
    ]);
  });

  it('is run again by a retry of its trace, outside its times', async () => {
    const id = await make({ interval_sec: 60 });
    await passTime(60);
    const before = await show(id);
    const [{ id: trace, result }] = await traces(id);

    const retry = await call('POST', `schedules/${id}/traces/${trace}/retry/`);
    await world.api.platform.idle();
    const [again, ...others] = await traces(id);

    expect([retry.status, retry.body.status]).toEqual([200, 'pending']);
    expect([again.status, again.result, others.length]).toEqual(['success', result, 1]);
    expect(await show(id)).toEqual(before);
  });

  it('has traces that are only read', async () => {
    const id = await make({ interval_sec: 60 });
    await passTime(60);

    const wrong = await call('GET', `schedules/${id}/traces/99/`);
    const posted = await call('POST', `schedules/${id}/traces/`);

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

  it('is not overlapped, and the times in it are missed; a change does not matter', async () => {
    const { port } = listener.address() as AddressInfo; // it listens
    const script = await makeScript(`fetch('http://127.0.0.1:${port}/')`);
    const id = expected(await call('POST', 'schedules/', { script, interval_sec: 60 }), 201).id;
    await pass(60);
    await once(listener, 'request');

    for (const missed of [1, 2]) {
      await pass(60);
      while ((await show(id)).missed < missed) await new Promise(setImmediate);
    }
    expected(await call('PATCH', `schedules/${id}/`, { interval_sec: 30 }), 200);
    await pass(30);
    while ((await show(id)).missed < 3) await new Promise(setImmediate);
    const during = column({ body: { objects: await traces(id) } } as ApiResponse, 'status');
    for (const response of waiting) response.end();
    await world.api.platform.idle();
    listener.on('request', (_, response) => response.end());
    await passTime(30);

    const after = column({ body: { objects: await traces(id) } } as ApiResponse, 'status');
    expect([during, after]).toEqual([['processing'], ['success', 'success']]);
    expect((await show(id)).missed).toBe(3);
  });
});

describe('nothing remains', () => {
  it('of a deleted schedule', async () => {
    const id = await make({ interval_sec: 60 });
    await passTime(60);

    expected(await call('DELETE', `schedules/${id}/`), 204);
    await passTime(120);

    expect(await remains(id)).toEqual([]);
  });

  it('of a deleted schedule that never ran, at once', async () => {
    const id = await make({ crontab: '0 0 1 1 *' });

    expected(await call('DELETE', `schedules/${id}/`), 204);

    expect(await remains(id)).toEqual([]);
  });

  it('of the schedules of a deleted script', async () => {
    const id = await make({ interval_sec: 60 });
    const other = await make({ interval_sec: 60 });
    await passTime(60);

    const { script } = await show(id);
    expected(await call('DELETE', `snippets/scripts/${script}/`), 204);
    await passTime(120);

    expect(await remains(id)).toEqual([]);
    expect(await remains(other)).toEqual(['work', 'schedule', 'trace', 'trace']);
  });

  it('of a deleted instance, whose schedules do not run', async () => {
    const name = 'short-lived';
    const at = `/v1.1/instances/${name}/`;
    const send = async (path: string, body: object, status: number) =>
      expected(await world.api.send({ as: world.owner, path, body }), status);
    await send('/v1.1/instances/', { name }, 201);
    const { id: script } = await send(`${at}snippets/scripts/`, { runtime_name: 'nodejs' }, 201);
    const made = await send(`${at}schedules/`, { script, interval_sec: 60 }, 201);
    const { store } = world.api.platform;
    const instance = await instanceId(store, name);
    await passTime(60);
    const runs = (await traceEntity.listAll(store, [instance, 'schedule', made.id])).length;

    const { owner: as } = world;
    expected(await world.api.send({ as, method: 'DELETE', path: at }), 204);
    await passTime(60);
    await passTime(60);

    const all = await traceEntity.listAll(store, [instance, 'schedule', made.id]);
    const partition = await store.query({ pk: scheduleEntity.partition(instance), limit: 10 });
    expect([runs, all, partition.items]).toEqual([1, [], []]);
  });
});
