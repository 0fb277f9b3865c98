import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, describe, expect, vi } from 'vitest';
import { readEnvironment } from '../../shared/platforms/local/environment.ts';
import { openLog } from '../../shared/platforms/local/log/log.ts';
import { readableLine } from '../../shared/platforms/local/log/readable.ts';
import { openSecrets, temporarySecrets } from '../../shared/platforms/local/secrets.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { temporaryFolder } from '../support/temporary.ts';

const test = base.extend('folder', temporaryFolder('groundwork-ports-'));

describe('log', () => {
  function logAt(level: 'error' | 'info' | 'debug') {
    const written: string[] = [];
    const { log, flush } = openLog({ level, write: (text) => written.push(text) });
    log({ level: 'debug', message: 'd' });
    log({ level: 'info', message: 'i', requestId: 'r', path: 'a\nb' });
    log({ level: 'error', message: 'e' });
    flush();
    const entries = written.join('').trimEnd().split('\n');
    return entries.map((line) => JSON.parse(line) as { message: string; time: string });
  }

  test.each([
    ['error', ['e']],
    ['info', ['i', 'e']],
    ['debug', ['d', 'i', 'e']],
  ] as const)('level %s', (level, expected) => {
    expect(logAt(level).map(({ message }) => message)).toEqual(expected);
  });

  test('a line contains the fields of its entry and the time', () => {
    expect(logAt('info')[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'info',
      message: 'i',
      requestId: 'r',
      path: 'a\nb',
    });
  });

  test('an error is written at once, with the buffered lines', () => {
    const written: string[] = [];
    const { log } = openLog({ level: 'info', write: (text) => written.push(text) });

    log({ level: 'info', message: 'i' });
    const before = written.length;
    log({ level: 'error', message: 'e' });

    expect([before, written.length]).toEqual([0, 1]);
  });

  test('others are written without a flush', async () => {
    const written: string[] = [];
    const { log } = openLog({ level: 'info', write: (text) => written.push(text) });

    log({ level: 'info', message: 'i' });
    await vi.waitUntil(() => written.length > 0, { timeout: 30_000 });

    expect(written).toHaveLength(1);
  });
});

describe('a readable line', () => {
  const at = new Date(2026, 0, 31, 12, 0, 0);
  const lineOf = (entry: LogEntry, hasColors = false) => readableLine(entry, at, hasColors);
  const request = {
    level: 'info',
    message: 'request',
    requestId: 'r',
    method: 'GET',
    path: '/v1/',
    family: 'root',
    route: '/v1/',
    status: 404,
    durationMs: 1.5,
  } as const;

  test.each([
    ['a request', request, '12:00:00 GET /v1/ 404 1.5 ms requestId=r\n'],
    [
      'a request with an error code',
      { ...request, code: 'not_found' },
      '12:00:00 GET /v1/ 404 1.5 ms code=not_found requestId=r\n',
    ],
    [
      'a message with fields',
      { level: 'info', message: 'm', n: 1, words: 'two words', absent: undefined, list: ['a'] },
      '12:00:00 m n=1 words="two words" list=["a"]\n',
    ],
    [
      'a text of several lines',
      { level: 'error', message: 'm', cause: 'Error: e\n    at f\n', id: 'i' },
      '12:00:00 m id=i\n  cause:\n    Error: e\n        at f\n',
    ],
    [
      'control characters',
      { ...request, path: '/\u009b2J', code: 'a\u001b[2J' },
      '12:00:00 GET /\\u009b2J 404 1.5 ms code=a\\u001b[2J requestId=r\n',
    ],
  ] as const)('of %s', (_name, entry, line) => {
    expect(lineOf(entry)).toBe(line);
  });

  test('has colours on a terminal', () => {
    const codesOf = (entry: LogEntry) => lineOf(entry, true).match(/\[\d+m/g);

    expect(codesOf(request)).toEqual(['[2m', '[0m', '[33m', '[0m', '[2m', '[0m']);
    expect(codesOf({ level: 'error', message: 'm' })).toContain('[31m');
    expect(codesOf({ ...request, status: 200 })).not.toContain('[33m');
  });
});

describe('secrets', () => {
  const nowMs = () => 0;

  test('are created once, for the owner only', async ({ folder }) => {
    const first = await openSecrets(folder, { isNew: true, nowMs });
    const second = await openSecrets(folder, { isNew: true, nowMs });
    const later = await openSecrets(folder, { isNew: false, nowMs });

    const made = await first.current();
    expect(made).toEqual({ version: 1, secret: expect.any(Uint8Array) });
    expect(made.secret).toHaveLength(32);
    expect(await second.current()).toEqual(made);
    expect(await later.get(1)).toEqual(made);
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  test('a version that the operator adds is loaded within a second of its first key', async ({
    folder,
  }) => {
    let now = 0;
    const secrets = await openSecrets(folder, { isNew: true, nowMs: () => now });
    const path = join(folder, 'secrets.json');
    const file = JSON.parse(readFileSync(path, 'utf8'));
    file.versions.push({ version: 2, secret: 'ab'.repeat(32) });
    writeFileSync(path, JSON.stringify({ ...file, current: 2 }));

    const early = await secrets.get(2);
    now = 1000;
    const late = await secrets.get(2);
    now = 61_000;

    expect(early).toBeUndefined();
    expect(late).toEqual({ version: 2, secret: Buffer.alloc(32, 0xab) });
    expect(await secrets.current()).toEqual(late);
  });

  test.for<[string, string | undefined, RegExp]>([
    ['is missing', undefined, /secrets\.json is missing: restore it/],
    ['is not JSON', '{', /secrets\.json is damaged: restore it/],
    ['lacks its current version', '{"current":2,"versions":[]}', /is damaged/],
    [
      'contains a short secret',
      '{"current":1,"versions":[{"version":1,"secret":"5ec4e7"}]}',
      /is damaged(?!.*5ec4e7)/,
    ],
  ])('a file that %s is rejected', async ([, text, message], { folder }) => {
    if (text !== undefined) writeFileSync(join(folder, 'secrets.json'), text);

    await expect(openSecrets(folder, { isNew: false, nowMs })).rejects.toThrow(message);
  });

  test('temporary ones differ each time', async () => {
    const [one, other] = await Promise.all([
      temporarySecrets().current(),
      temporarySecrets().current(),
    ]);

    expect(one.secret).not.toEqual(other.secret);
  });
});

describe('environment', () => {
  const usualMetrics = { metricsInstances: 'no' };
  const usualPushing = {
    addresses: {
      apns: 'https://api.push.apple.com',
      apnsSandbox: 'https://api.sandbox.push.apple.com',
      fcm: 'https://fcm.googleapis.com',
      googleToken: 'https://oauth2.googleapis.com/token',
    },
  };

  test('has defaults for all settings', () => {
    expect(readEnvironment({})).toEqual({
      logging: { level: 'info' },
      logsRequests: true,
      metrics: usualMetrics,
      pushing: usualPushing,
      maxInstances: 16,
      maxClasses: 100,
      location: 'eu1',
      passwordCost: 15,
      cacheBytes: 128 * 2 ** 20,
      heapGrowingPercent: 70,
      childBytes: expect.any(Number), // depends on this machine
      social: {},
    });
  });

  test('is read', () => {
    const variables = {
      GROUNDWORK_LOG: 'error',
      GROUNDWORK_REQUEST_LOG: 'off',
      GROUNDWORK_LOG_FORMAT: 'text',
      GROUNDWORK_URL: 'https://api.example.com/',
      GROUNDWORK_PROXIES: '2',
      GROUNDWORK_PROXY_SECRET: 's'.repeat(32),
      GROUNDWORK_MAX_INSTANCES: '3',
      GROUNDWORK_MAX_CLASSES: '4',
      GROUNDWORK_LOCATION: 'attic',
      GROUNDWORK_PASSWORD_COST: '10',
      GROUNDWORK_PASSWORD_MIN: '8',
      GROUNDWORK_INSTANCE_RATE: '100',
      GROUNDWORK_POLL_SECONDS: '50',
      GROUNDWORK_MAX_OBJECT_BYTES: '1000000',
      GROUNDWORK_MAX_FILE_BYTES: '2000000',
      GROUNDWORK_MAX_TRACE_BYTES: '0',
      GROUNDWORK_MAX_BACKUP_BYTES: '4000000',
      GROUNDWORK_MEMORY_MB: '512',
      GROUNDWORK_CACHE_MB: '16',
      GROUNDWORK_SMTP_URL: 'smtps://me:p%40ss@mail.example.com',
      GROUNDWORK_MAIL_FROM: 'Us <no-reply@example.com>',
      GROUNDWORK_OPERATOR_MAIL: 'ops@example.com',
      GROUNDWORK_FACEBOOK_APP_ID: 'our-app',
      GROUNDWORK_FACEBOOK_APP_SECRET: 'a-secret',
    };

    expect(readEnvironment(variables)).toEqual({
      logging: { level: 'error', format: 'text' },
      logsRequests: false,
      metrics: usualMetrics,
      pushing: usualPushing,
      smtp: {
        host: 'mail.example.com',
        port: 465,
        isSecure: true,
        isLoopback: false,
        auth: { user: 'me', pass: 'p@ss' },
      },
      mailFrom: 'Us <no-reply@example.com>',
      operatorMail: 'ops@example.com',
      url: 'https://api.example.com',
      proxies: 2,
      proxySecret: 's'.repeat(32),
      maxInstances: 3,
      maxClasses: 4,
      location: 'attic',
      passwordCost: 10,
      passwordMin: 8,
      instanceRate: 100,
      pollMs: 50_000,
      maxObjectBytes: 1_000_000,
      maxFileBytes: 2_000_000,
      maxTraceBytes: 0,
      maxBackupBytes: 4_000_000,
      cacheBytes: 16 * 2 ** 20,
      heapGrowingPercent: 30,
      childBytes: Math.floor(512 * 2 ** 20 * (1 - 0.7)),
      social: { facebook: { appId: 'our-app', appSecret: 'a-secret' } },
    });
  });

  test.each([
    ['GROUNDWORK_LOG', 'loud', 'GROUNDWORK_LOG takes one of error, info, debug'],
    ['GROUNDWORK_URL', 'api.example.com', 'GROUNDWORK_URL takes an address such as https://'],
    ['GROUNDWORK_PROXIES', '11', 'GROUNDWORK_PROXIES takes at most 10'],
    ['GROUNDWORK_MAX_CLASSES', '0', 'GROUNDWORK_MAX_CLASSES takes at least 1'],
    ['GROUNDWORK_PASSWORD_COST', '21', 'GROUNDWORK_PASSWORD_COST takes at most 20'],
    ['GROUNDWORK_INSTANCE_RATE', '59', 'GROUNDWORK_INSTANCE_RATE takes at least 60'],
    ['GROUNDWORK_POLL_SECONDS', '301', 'GROUNDWORK_POLL_SECONDS takes at most 300'],
    ['GROUNDWORK_MAX_OBJECT_BYTES', '1 GB', 'GROUNDWORK_MAX_OBJECT_BYTES takes a whole number'],
    ['GROUNDWORK_MAX_INSTANCES', 'x', 'GROUNDWORK_MAX_INSTANCES takes a whole number'],
    ['GROUNDWORK_MEMORY_MB', '511', 'GROUNDWORK_MEMORY_MB takes at least 512'],
    ['GROUNDWORK_CACHE_MB', '7', 'GROUNDWORK_CACHE_MB takes at least 8'],
    ['GROUNDWORK_FACEBOOK_APP_ID', 'x', 'GROUNDWORK_FACEBOOK_APP_SECRET takes a value'],
  ])('%s=%s is rejected', (name, value, message) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(message);
  });
});
