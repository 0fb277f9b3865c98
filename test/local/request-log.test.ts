import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { openRequestLog } from '../../shared/platforms/local/request-log/request-log.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { RequestRange, RequestRecord } from '../../shared/ports/request-log.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';

afterAll(endProcesses);

const hour = 3600;
const limits = {
  segmentBytes: 2000,
  segmentMicros: hour * 1e6,
  instanceBytes: 40_000,
  totalBytes: 200_000,
  keptMicros: 24 * hour * 1e6,
};
const endless = { isDue: () => false, pause: () => Promise.resolve(), isSpent: () => false };
const none = { statusClass: undefined, errorsOnly: false, methods: undefined };
const all: RequestRange = {
  filter: { ...none, route: undefined, requestId: undefined },
  sinceMicros: 0,
  untilMicros: Number.MAX_SAFE_INTEGER,
  descending: true,
  beyond: undefined,
  limit: 100_000,
};

/** Opens a log on a new folder, or on one of an earlier log. */
async function open(folder = join(temporaryFolder(), 'requests')) {
  const clock = openMovedClock('2026-11-18T10:00:00Z');
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const requests = await openRequestLog({ folder, clock, log, limits });
  onTestFinished(() => requests.close());
  const write = requests.taking(log);
  let count = 0;
  return {
    ...requests,
    folder,
    clock,
    logged,
    /** Adds records whose ids are their numbers. */
    add: (instance: number, times = 1) => {
      for (let n = 0; n < times; n += 1) {
        count += 1;
        const record = { ...sample, instance, requestId: String(count), atMicros: clock.micros() };
        write({ level: 'info', message: 'request' }, record);
      }
    },
    ids: async (instance: number, range: Partial<RequestRange> = {}) => {
      const { records } = await requests.read(instance, { ...all, ...range }, endless);
      return records.map(({ requestId }) => Number(requestId));
    },
    files: () => readdirSync(folder),
    bytes: () =>
      readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
  };
}

const sample: Omit<RequestRecord, 'instance' | 'requestId' | 'atMicros'> = {
  method: 'GET',
  route: '/v1.1/instances/{instance}/classes/{class}/objects/{id}/',
  ids: 'class=book,id=7',
  parameters: 'fields,other',
  status: 200,
  durationMicros: 1234,
  requestBytes: 0,
  responseBytes: 321,
  caller: 'account',
  callerId: 12,
};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-requests-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a record is read as it was written', async () => {
  const { add, read } = await open();
  add(1);

  const { records } = await read(1, all, endless);

  expect(records).toEqual([
    { ...sample, instance: 1, requestId: '1', atMicros: expect.any(Number) },
  ]);
});

test('records of several files come in order, in both directions', async () => {
  const { add, ids, files } = await open();
  for (let n = 1; n <= 40; n += 1) {
    add(1);
    await ids(1);
  }

  const newest = await ids(1, { limit: 3 });
  const oldest = await ids(1, { limit: 3, descending: false });

  expect(files().length).toBeGreaterThan(2);
  expect([newest, oldest]).toEqual([
    [40, 39, 38],
    [1, 2, 3],
  ]);
});

test('a busy instance pushes out its own lines alone, within its bytes', async () => {
  const { add, ids, bytes } = await open();
  add(2, 5);
  for (let n = 0; n < 100; n += 1) {
    add(1, 15);
    await ids(1);
  }

  const [quiet, busy] = [await ids(2), await ids(1)];

  expect(quiet).toEqual([5, 4, 3, 2, 1]);
  expect(busy.length).toBeGreaterThan(100);
  expect(busy.length).toBeLessThan(400);
  expect(busy[0]).toBe(1505);
  expect(bytes()).toBeLessThan(limits.instanceBytes + 2000);
});

test('all instances together stay below the total: the largest lose their oldest lines', async () => {
  const { add, ids, files } = await open();
  add(100);
  for (let instance = 1; instance <= 12; instance += 1) {
    for (let n = 0; n < 10; n += 1) {
      add(instance, 15);
      await ids(instance);
    }
  }

  const kept = await Promise.all(Array.from({ length: 12 }, (_, at) => ids(at + 1)));

  expect(await ids(100)).toEqual([1]);
  expect(files().length * 4096).toBeLessThan(limits.totalBytes + 4096);
  expect(kept.every((each) => each.length > 0)).toBe(true);
});

test('lines are shown for 24 hours, and their files are deleted', async () => {
  const { add, ids, files, clock } = await open();
  add(1);
  await ids(1);
  clock.forward(23 * hour);
  add(1);
  const both = await ids(1);
  clock.forward(2 * hour);
  const second = await ids(1);
  clock.forward(24 * hour);
  const neither = await ids(1);

  expect([both, second, neither]).toEqual([[2, 1], [2], []]);
  expect(files()).toEqual([]);
});

test('a torn or damaged line is skipped, and a restart begins a file of its own', async () => {
  const first = await open();
  first.add(1, 2);
  await first.close();
  const [name = ''] = first.files();
  appendFileSync(join(first.folder, name), '17634\tGET\t20');
  const second = await open(first.folder);
  second.add(1);

  const ids = await second.ids(1);
  writeFileSync(join(first.folder, name), '\0\0\0\n\t\t\t\t\t\t\t\t\t\t\t\n');

  expect(ids).toEqual([1, 2, 1]);
  expect(await second.ids(1)).toEqual([1]);
});

test('lines that cannot be written are dropped, counted and logged once', async () => {
  const { add, ids, folder, logged } = await open();
  writeFileSync(folder, 'a file in place of the folder');
  for (let n = 0; n < 5; n += 1) {
    add(1, 2);
    await ids(2);
  }
  const faults = logged.filter(({ level }) => level === 'error');

  rmSync(folder);
  add(1);

  expect(faults).toMatchObject([{ message: 'lines of the request log were dropped', dropped: 2 }]);
  expect(await ids(1)).toEqual([11]);
});

test('lines in memory are bounded, for each instance and together', async () => {
  const { add, ids, close, logged } = await open();
  add(1, 20_000);
  add(2);

  await close();

  expect(logged.find(({ level }) => level === 'error')).toMatchObject({
    dropped: expect.any(Number),
  });
  expect(await ids(2)).toEqual([20_001]);
});

test('a read ends when its time is spent, and says how far it came', async () => {
  const { add, read } = await open();
  add(1, 30);
  let left = 10;
  const spent = { ...endless, isSpent: () => --left < 0 };

  const { records, stoppedMicros } = await read(1, all, spent);

  expect(records).toHaveLength(11);
  expect(stoppedMicros).toBe(records.at(-1)?.atMicros);
});

test('nothing is written where the log is off', async () => {
  const folder = temporaryFolder();
  const clock = openMovedClock('2026-11-18T10:00:00Z');
  const log = () => undefined;
  const requests = await openRequestLog({ folder, clock, log, logsRequests: false });

  expect(requests.taking(log)).toBe(log);
  expect(requests.offReason).toBe('The request log of this server is switched off.');
  await requests.close();
});

test('requests survive a restart and a kill, but not the setting `off`', async () => {
  const data = join(temporaryFolder(), 'data');
  const first = await startProcess(data);
  const body = { email: 'ann@example.com', password: 'a password' };
  const path = '/v1.1/account/register/';
  const { account_key: key } = (await openClient(first.url)({ path, body })).body;
  const base = '/v1.1/instances/shop-1/';
  const send = openClient(first.url, key);
  await send({ path: '/v1.1/instances/', body: { name: 'shop-1' } });
  await send({ path: `${base}classes/` });
  await first.end('SIGTERM');
  const second = await startProcess(data);
  await openClient(second.url, key)({ path: `${base}channels/` });
  const read = async (url: string) => openClient(url, key)({ path: `${base}request_log/` });
  const before = await read(second.url);
  await second.end('SIGKILL');
  const third = await startProcess(data);
  const after = await read(third.url);
  await third.end('SIGTERM');

  const fourth = await startProcess(data, { variables: { GROUNDWORK_REQUEST_LOG: 'off' } });
  const off = await read(fourth.url).catch((error: unknown) => error);

  const routesOf = (page: { body: { objects: readonly { route: string }[] } }) =>
    page.body.objects.map(({ route }) => route.replace(/^.*\{instance\}\//, ''));
  expect(routesOf(before)).toEqual(['channels/', 'classes/']);
  expect(routesOf(after).slice(-2)).toEqual(['channels/', 'classes/']);
  expect(String(off)).toContain('The request log of this server is switched off.');
  const files = readdirSync(join(data, 'requests')).map((name) =>
    readFileSync(join(data, 'requests', name), 'latin1'),
  );
  expect(files.join('')).not.toContain(key);
  expect(statSync(join(data, 'requests')).mode & 0o777).toBe(0o700);
});
