import {
  CloudWatchLogsClient,
  FilterLogEventsCommand,
  type FilterLogEventsCommandInput,
} from '@aws-sdk/client-cloudwatch-logs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { logRequest } from '../../shared/core/http/request-log.ts';
import { openLog } from '../../shared/platforms/aws/log/log.ts';
import { linePattern } from '../../shared/platforms/aws/log/request-line.ts';
import { openRequestReader } from '../../shared/platforms/aws/log/request-log.ts';
import { openPlatform } from '../../shared/platforms/aws/platform.ts';
import type { RequestRange, RequestRecord } from '../../shared/ports/request-log.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';
import { awsEnvironment } from '../support/aws-platform.ts';
import { openMovedClock } from '../support/moved-clock.ts';

const now = Date.parse('2026-11-18T10:00:00Z');
const minute = 60_000;
const metrics = { namespace: 'N', family: 'objects', isByFamily: false };
const endless = { isDue: () => false, pause: () => Promise.resolve(), isSpent: () => false };

const record: RequestRecord = {
  atMicros: now * 1000,
  instance: 12,
  requestId: 'JKJaXmPLvHcESHA=',
  method: 'GET',
  route: '/v1.1/instances/{instance}/classes/{class}/objects/',
  ids: 'class=book',
  parameters: 'fields,other',
  status: 200,
  durationMicros: 4321,
  requestBytes: 7,
  responseBytes: 8,
  caller: 'account',
  callerId: 3,
};

const range: RequestRange = {
  filter: {
    statusClass: undefined,
    errorsOnly: false,
    methods: undefined,
    route: undefined,
    requestId: undefined,
  },
  sinceMicros: (now - 24 * 60 * minute) * 1000,
  untilMicros: now * 1000,
  descending: true,
  beyond: undefined,
  limit: 3,
};

/** Returns the line that a function writes for a record, at some time before now. */
function lineOf(agoMs: number, more: Partial<RequestRecord> = {}): string {
  let line = '';
  const write = (text: string) => {
    line = text;
  };
  const log = openLog({ level: 'info', metrics, tableRequests: () => 1, write });
  const made = { ...record, ...more };
  const request = {
    id: made.requestId,
    method: made.method,
    path: '/v1.1/instances/blog/classes/book/objects/',
    served: { family: 'objects', route: made.route },
  } as Parameters<typeof logRequest>[1];
  logRequest(log, request, { status: made.status }, made.durationMicros, made);
  const timestamp = new Date(now - agoMs).toISOString();
  return line.replace(/"timestamp":"[^"]*"/, `"timestamp":"${timestamp}"`);
}

/** A log group: lines with their ages in milliseconds, the newest first. */
type Lines = readonly (readonly [agoMs: number, line: string])[];

/** Opens a reader of groups, whose pages have two lines each. */
function open(groups: Readonly<Record<string, Lines>>, clock = openMovedClock()) {
  const client = new CloudWatchLogsClient({ region: 'eu-west-1' });
  const asked: FilterLogEventsCommandInput[] = [];
  mockClient(client)
    .on(FilterLogEventsCommand)
    .callsFake((input: FilterLogEventsCommandInput) => {
      asked.push(input);
      const { logGroupName = '', startTime = 0, endTime = 0, startFromHead, nextToken } = input;
      const lines = (groups[logGroupName] ?? [])
        .map(([agoMs, message]) => ({ timestamp: now - agoMs, message }))
        .filter(({ timestamp }) => timestamp >= startTime && timestamp <= endTime);
      const ordered = startFromHead ? lines.toReversed() : lines;
      const from = Number(nextToken ?? 0);
      const more = from + 2 < ordered.length ? { nextToken: String(from + 2) } : {};
      return { events: ordered.slice(from, from + 2), ...more };
    });
  const read = openRequestReader({ groups: Object.keys(groups), clock, client });
  return {
    asked,
    read: (more: Partial<RequestRange> = {}) => read(12, { ...range, ...more }, endless),
  };
}

/** Returns lines of requests with these ages in minutes, which are also their ids. */
const linesOf = (...ages: readonly number[]): Lines =>
  ages.map((age) => [age * minute, lineOf(age * minute, { requestId: String(age) })]);

const idsOf = ({ records }: { readonly records: readonly RequestRecord[] }) =>
  records.map(({ requestId }) => requestId);

test('a record is read from the line of its request as it was', async () => {
  const { read } = open({ a: [[0, lineOf(0)]] });

  expect(await read()).toEqual({ records: [record], stoppedMicros: undefined });
});

test('a line has each fact once', () => {
  const line = JSON.parse(lineOf(0));

  expect(line).toMatchObject({ instance: 12, requestBytes: 7, ids: 'class=book', status: 200 });
  expect(line).not.toHaveProperty('atMicros');
  expect(line).not.toHaveProperty('durationMicros');
});

test('lines of all groups come together, the newest first, as many as wanted', async () => {
  const { read, asked } = open({ a: linesOf(1, 4, 5), b: linesOf(2, 3), c: [] });

  expect(idsOf(await read())).toEqual(['1', '2', '3']);
  expect(asked.every(({ startFromHead }) => startFromHead === false)).toBe(true);
  expect(new Set(asked.map(({ startTime }) => startTime)).size).toBe(1);
});

test('older parts are searched when the newer ones have too few, and a page leads on', async () => {
  const { read } = open({ a: linesOf(1, 600, 1000), b: linesOf(100, 1439, 1500) });

  const first = await read({ limit: 2 });
  const { atMicros } = first.records.at(-1) ?? record;
  const rest = await read({ beyond: { atMicros, pk: 0 }, limit: 9 });
  const oldest = await read({ descending: false, limit: 2 });

  expect(idsOf(first)).toEqual(['1', '100']);
  expect(idsOf(rest)).toEqual(['600', '1000', '1439']);
  expect(idsOf(oldest)).toEqual(['1439', '1000']);
});

test('lines of other instances, of no instance and damaged ones are not shown', async () => {
  const { read } = open({
    a: [
      [0, lineOf(0, { instance: 13 })],
      [1, '{"message":"request","instance":12}'],
      [2, 'no JSON'],
      [3, lineOf(3, { requestId: 'own' })],
    ],
  });

  expect(idsOf(await read())).toEqual(['own']);
});

test('filters narrow the pattern, and are applied to each record', async () => {
  const filter = {
    ...range.filter,
    statusClass: 4,
    methods: ['PUT'],
    requestId: 'a=',
    route: '/x/',
  };
  const { read, asked } = open({ a: [[0, lineOf(0)]] });

  expect(await read({ filter })).toEqual({ records: [], stoppedMicros: undefined });
  expect(asked[0]?.filterPattern).toBe(
    '{ ($.message = "request") && ($.instance = 12) && ($.status >= 400) && ($.method = "PUT") && ($.requestId = "a=") }',
  );
  expect(linePattern(1, { ...range.filter, errorsOnly: true })).toContain('($.status >= 400)');
  expect(linePattern(1, { ...range.filter, methods: ['PUT', 'DELETE'] })).toContain(
    '($.method = "PUT" || $.method = "DELETE")',
  );
});

test('a search ends after its time, and says how far it came', async () => {
  const clock = openMovedClock();
  const { read, asked } = open({ a: linesOf(1), b: linesOf(2) }, clock);
  let waits = 0;
  const slow = { ...clock, steadyMs: () => (waits++ > 3 ? 60_000 : 0) };
  const limited = open({ a: linesOf(1), b: linesOf(2) }, slow);

  const { records, stoppedMicros } = await limited.read();

  expect(records).toHaveLength(2);
  expect(stoppedMicros).toBe((now - 15 * minute) * 1000);
  expect(idsOf(await read())).toEqual(['1', '2']);
  expect(asked.length).toBeLessThan(10);
});

test('a search that does not even finish its first part is a 503', async () => {
  let waits = 0;
  const slow = { ...openMovedClock(), steadyMs: () => (waits++ > 1 ? 60_000 : 0) };
  const { read } = open({ a: linesOf(1), b: linesOf(2) }, slow);

  const error = await read().catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 503 });
});

test('a search sends at most 150 requests', async () => {
  const { read, asked } = open({ a: linesOf(...Array.from({ length: 400 }, (_, at) => at / 100)) });

  const error = await read({ filter: { ...range.filter, route: '/none/' } }).catch((e) => e);

  expect(error).toMatchObject({ status: 503 });
  expect(asked.length).toBe(150);
});

test('an error of CloudWatch is thrown with its action', async () => {
  const client = new CloudWatchLogsClient({ region: 'eu-west-1' });
  mockClient(client).on(FilterLogEventsCommand).rejects(new Error('denied'));
  const read = openRequestReader({ groups: ['a'], clock: openMovedClock(), client });

  await expect(read(12, range, endless)).rejects.toThrow('denied');
});

test.each([
  ['on', 'info', undefined],
  ['on', 'debug', undefined],
  ['on', 'error', 'The request log of this deployment is switched off.'],
  ['off', 'info', 'The request log of this deployment is switched off.'],
] as const)('with the settings %s and %s it says: %s', (requestLog, logLevel, reason) => {
  const platform = openPlatform({ ...awsEnvironment, requestLog, logLevel });

  expect(platform.requestLog.offReason).toBe(reason);
});
