import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ChangeConsumer, Services } from '../../shared/jobs/change-feed.ts';
import { countRuns, openCounts } from '../../shared/platforms/local/counts/counts.ts';
import { countDurations } from '../../shared/platforms/local/counts/durations.ts';
import { startConsumers } from '../../shared/platforms/local/jobs/change-feed.ts';
import { openTimers } from '../../shared/platforms/local/jobs/timers.ts';
import { catalogue, type MetricsSnapshot } from '../../shared/platforms/local/metrics/catalogue.ts';
import { openExposition } from '../../shared/platforms/local/metrics/exposition.ts';
import { openMonitoring } from '../../shared/platforms/local/metrics/monitoring.ts';
import { openReadings } from '../../shared/platforms/local/metrics/readings.ts';
import {
  openInstanceCounts,
  openRequestCounts,
} from '../../shared/platforms/local/metrics/requests.ts';
import { openMetricsSocket } from '../../shared/platforms/local/metrics/socket.ts';
import { openMemoryBudget } from '../../shared/platforms/local/server/bodies/memory-budget.ts';
import type { Feed } from '../../shared/platforms/local/store/feed.ts';
import { openStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openRequestQueue } from '../../shared/ports/limits/request-queue.ts';
import type { LogEntry, Meter } from '../../shared/ports/ports.ts';
import type { ScriptOutcome, ScriptRun, ScriptRunner } from '../../shared/ports/script-runner.ts';
import { putItem } from '../../shared/store/writes.ts';
import { deadLetterEntity, jobEntity } from '../../shared/table/entities/jobs.ts';
import { put, write } from '../store/fixture.ts';
import { startApi } from '../support/api.ts';
import { readPrometheusText } from '../support/prometheus-text.ts';

/* What is counted for metrics, and how it is shown. */

test('a duration is counted up to its bound, inclusive', () => {
  const durations = countDurations([0.1, 1]);

  for (const seconds of [0.05, 0.1, 0.2, 3]) durations.add(seconds);

  expect(durations.read()).toEqual({ bounds: [0.1, 1], counts: [2, 1, 1], sum: 3.35 });
});

const line = (fields: object): LogEntry => ({
  level: 'info',
  message: 'request',
  status: 200,
  durationMs: 2,
  path: '/',
  ...fields,
});

test('each line of a request is counted by family and status, and labels are of no request', () => {
  const log = vi.fn();
  const requests = openRequestCounts(['objects']);
  const counting = requests.counting(log);
  const entries = [
    line({ family: 'objects' }),
    line({ family: 'objects', status: 503 }),
    line({ family: 'objects', status: 999 }),
    line({ path: '/files/x' }),
    line({ path: '/hostile/path', status: 404 }),
    line({ family: 'hostile family' }),
    line({ message: 'mail', family: 'objects' }),
  ];

  for (const entry of entries) counting(entry);

  const counted = [...requests.read()].map(([family, status, durations]) => {
    const { counts } = durations.read();
    return [family, status, counts.reduce((sum, count) => sum + count, 0)];
  });
  expect(counted.filter(([, , count]) => count !== 0)).toEqual([
    ['objects', '2xx', 1],
    ['objects', '5xx', 1],
    ['files', '2xx', 1],
    ['none', '2xx', 1],
    ['none', '4xx', 1],
  ]);
  expect(counted).toHaveLength(3 * 4);
  expect(log.mock.calls.flat()).toEqual(entries);
});

test('at most 10,000 instances are counted at a time, and the busy ones stay', () => {
  const countRequest = vi.fn();
  const instances = openInstanceCounts();
  const meter = instances.counting({ countRequest } as unknown as Meter);
  for (let n = 0; n < 5; n += 1) meter.countRequest(20_000);

  for (let id = 1; id <= 10_001; id += 1) meter.countRequest(id);

  const [busiest, ...others] = instances.busiest(Infinity);
  expect(busiest).toEqual([20_000, 5]);
  expect(others.length).toBeLessThan(10_000);
  expect(instances.busiest(100)).toHaveLength(100);
  expect(countRequest).toHaveBeenCalledTimes(10_006);
});

test('mails, pushes and backups are counted by result', () => {
  const counts = openCounts();

  counts.countMail('sent');
  counts.countMail('sent');
  counts.countMail('unconfirmed');
  counts.countPush('apns', 'unregistered');
  counts.countBackup('done');
  counts.backedUp(1_700_000_000_000);

  const { mails, pushes, backups, lastBackupMs } = counts.read();
  expect([...mails.read()]).toEqual([
    [['sent'], 2],
    [['retried'], 0],
    [['unconfirmed'], 1],
    [['failed'], 0],
  ]);
  expect([...pushes.read()].filter(([, count]) => count > 0)).toEqual([
    [['apns', 'unregistered'], 1],
  ]);
  expect([...pushes.read()]).toHaveLength(8);
  expect([...backups.read()][0]).toEqual([['done'], 1]);
  expect(lastBackupMs).toBe(1_700_000_000_000);
});

test('runs are counted by language, origin and result; those that did not start have no duration', async () => {
  const counts = openCounts();
  const outcomes: ScriptOutcome[] = [
    { status: 'success', executedAtMs: 0, durationMs: 20, stdout: '', stderr: '' },
    { status: 'queue_timeout' },
  ];
  const run = async () => outcomes.shift() ?? { status: 'blocked' as const };
  const counted = countRuns<ScriptRunner>({ run, settled: async () => undefined }, counts);
  const requested = (executed_by: string) =>
    ({ runtime: 'python', meta: { executed_by } }) as unknown as ScriptRun;

  await counted.run(requested('trigger'));
  await counted.run(requested('webhook'));
  await counted.run(requested('a name of a tenant'));

  const { runs, runDurations } = counts.read();
  expect([...runs.read()]).toEqual([
    [['python', 'trigger', 'success'], 1],
    [['python', 'endpoint', 'queue_timeout'], 1],
    [['python', 'other', 'blocked'], 1],
  ]);
  expect(new Map(runDurations).get('python')?.read().sum).toBe(0.02);
});

test('a queue counts what it rejects', async () => {
  const alarms: (() => void)[] = [];
  const limits = { capacity: 1, queuePerOwner: 1, queuePerInstance: 1 };
  const queue = openRequestQueue(limits, (_, run) => {
    alarms.push(run);
    return () => undefined;
  });
  const request = { owner: 'a', instance: '1', waitMs: 10 };

  const release = await queue.enter(request);
  const late = queue.enter(request);
  const full = await queue.enter(request);
  expect([queue.waiting, queue.inside]).toEqual([1, 1]);
  alarms[0]?.();

  expect([await late, full]).toEqual(['late', 'full']);
  expect(queue.rejected).toEqual({ full: 1, late: 1 });
  if (typeof release === 'function') release();
  expect([queue.waiting, queue.inside]).toEqual([0, 0]);
});

test('dead letters, due jobs and the sizes of the store are read', async () => {
  const nowMs = 1_700_000_000_000;
  const store = await openTemporaryStore({ now: () => nowMs });
  const queue = openRequestQueue({ capacity: 1, queuePerOwner: 1, queuePerInstance: 1 });
  const readings = openReadings({
    store,
    clock: { ...openClock(), micros: () => nowMs * 1000 },
    background: { lag: () => ({ awaited: 1, others: 2 }) },
    passwords: { queue },
    scans: { queue },
    messages: { listeners: queue },
    processes: { size: () => 4, queue: () => queue },
  });
  await write(
    store,
    putItem(deadLetterEntity, deadLetterEntity.key(nowMs, 'a'), {} as never),
    putItem(deadLetterEntity, deadLetterEntity.key(nowMs, 'b'), {} as never),
    putItem(jobEntity, jobEntity.key(3, nowMs - 5000, 'x', 'c'), {} as never),
    putItem(jobEntity, jobEntity.key(5, nowMs + 1, 'x', 'd'), {} as never),
  );

  const { pendingBytes, applications } = readings().store;
  await vi.waitUntil(() => readings().store.pendingBytes === 0);
  const { deadLetters, jobs, lag, queues, processes, store: sizes } = readings();

  expect(deadLetters).toBe(2);
  expect(store.sortKeys(deadLetterEntity.partition(), 1)).toHaveLength(1);
  expect(jobs).toEqual({ count: 1, oldestMs: 5000 });
  expect(lag).toEqual({ awaited: 1, others: 2 });
  expect(queues.map(([name]) => name)).toEqual(['passwords', 'scans', 'listeners', 'processes']);
  expect(processes).toBe(4);
  expect(pendingBytes).toBeGreaterThan(0);
  expect([applications, sizes.applications]).toEqual([0, 1]);
  expect(sizes.usedBytes).toBeGreaterThan(0);
  expect(sizes.fileBytes).toBeGreaterThanOrEqual(sizes.usedBytes);
  expect(sizes.freeDiskBytes).toBeGreaterThan(0);
  expect(sizes.commits.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  await store.close();
});

test('metrics requested at the same time share one reading, and names are escaped', async () => {
  const api = await startApi();
  const takeSnapshot = vi.fn(
    async (): Promise<MetricsSnapshot> => ({
      version: '1',
      readings: api.platform.readings(),
      load: undefined,
      counted: api.platform.metrics.read(),
      requests: openRequestCounts(['objects']),
      instances: [['a "name"\\\n', 1]],
    }),
  );
  const expose = await openExposition(takeSnapshot);

  const [first, second] = await Promise.all([expose(), expose()]);

  expect(takeSnapshot).toHaveBeenCalledOnce();
  expect(second).toBe(first);
  const metrics = readPrometheusText(first.text);
  expect(metrics.get('groundwork_instance_requests_total')?.samples).toEqual([
    { name: 'groundwork_instance_requests_total', labels: { instance: 'a "name"\\\n' }, value: 1 },
  ]);
  expect([...metrics.keys()]).toEqual(
    expect.arrayContaining(catalogue.map(({ name }) => `groundwork_${name}`)),
  );
  const third = await expose();
  expect(readPrometheusText(third.text).size).toBe(metrics.size);
  expect(takeSnapshot).toHaveBeenCalledTimes(2);
  await api.close();
});

test('changes that no consumer has consumed are counted, also after a start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-lag-'));
  const watches = [{ kind: 'thing', actions: ['create' as const] }];
  const open = () => openStore({ path: folder, now: Date.now, watches });
  const consuming = (consume: ChangeConsumer['consume']): ChangeConsumer => ({
    name: 'all',
    watches,
    consume,
  });
  const loopOf = (feed: Feed, consume: ChangeConsumer['consume']) =>
    startConsumers({
      feed,
      consumers: [consuming(consume)],
      services: { log: () => undefined } as unknown as Services,
      timers: openTimers(),
    });
  const first = await open();
  for (let n = 0; n < 3; n += 1) await write(first, put({ pk: 'P', sk: String(n) }));
  const done = loopOf(first.feed, async () => undefined);
  await done.drained();
  expect(done.lag()).toEqual({ awaited: 0, others: 0 });
  await done.stop();
  for (let n = 3; n < 5; n += 1) await write(first, put({ pk: 'P', sk: String(n) }));
  await first.close();

  const second = await open();
  const waiting = loopOf(second.feed, () => new Promise(() => undefined));

  expect(waiting.lag()).toEqual({ awaited: 2, others: 2 });
  await second.close();
  rmSync(folder, { recursive: true });
});

test('the socket takes 16 clients at a time, and closes one that sends nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-socket-'));
  const [path, impatient] = [join(folder, 'm.sock'), join(folder, 'i.sock')];
  const options = { log: () => undefined, read: async () => ({ type: 'text/plain', text: '' }) };
  const ends = [
    await openMetricsSocket({ ...options, path }),
    await openMetricsSocket({ ...options, path: impatient, clientMs: 100 }),
  ];

  const clients = Array.from({ length: 17 }, () => connect(path).resume());
  const first = Promise.race(clients.map((client) => once(client, 'close')));
  await once(connect(impatient).resume(), 'close');
  await first;

  expect(clients.filter(({ closed }) => closed)).toHaveLength(1);
  for (const end of ends) await end();
  rmSync(folder, { recursive: true });
});

test('without a setting nothing is counted, and nothing is served', async () => {
  const log = vi.fn();
  const meter = { countRequest: vi.fn() } as unknown as Meter;
  const dispatch = vi.fn();

  const monitoring = openMonitoring(undefined, log, []);
  const open = await monitoring.open({} as never);

  expect(monitoring.log).toBe(log);
  expect(monitoring.counting(meter)).toBe(meter);
  expect(open.serving(dispatch)).toBe(dispatch);
  await open.listen();
  await open.close();
});

test('memory for bodies counts what it rejects', async () => {
  const size = { total: 10, perOwner: 10, perAddress: 10 };
  const budget = openMemoryBudget({ ...size, waitersPerAddress: 0 });
  const patient = openMemoryBudget(size);
  const claim = { bytes: 10, owner: undefined, address: '192.0.2.1' };
  vi.useFakeTimers();

  for (const each of [budget, patient]) await each.take(claim);
  const full = await budget.take(claim);
  const late = patient.take(claim);
  expect([patient.waiting, patient.inside]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(2000);
  vi.useRealTimers();

  expect([full, await late]).toEqual([undefined, undefined]);
  expect([budget.rejected, patient.rejected]).toEqual([
    { full: 1, late: 0 },
    { full: 0, late: 1 },
  ]);
});

test('metrics that cannot be read are a server error at the socket, and logged without a response text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-socket-'));
  const path = join(folder, 'm.sock');
  const log = vi.fn();
  const read = () => Promise.reject(new Error('secret'));
  const close = await openMetricsSocket({ path, log, read });

  const call = request({ socketPath: path, path: '/metrics', agent: false });
  call.end();
  const [response] = await once(call, 'response');
  let text = '';
  for await (const part of response) text += part;

  expect([response.statusCode, text]).toEqual([500, '{"detail":"Internal server error."}']);
  expect(log).toHaveBeenCalledExactlyOnceWith({
    level: 'error',
    message: 'metrics could not be read',
    cause: expect.stringContaining('secret'),
  });
  await close();
  rmSync(folder, { recursive: true });
});
