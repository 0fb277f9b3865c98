import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { readEnvironment } from '../../shared/platforms/local/environment.ts';
import { isOpenToScripts, listenOnSocket } from '../../shared/platforms/local/files/unix-socket.ts';
import { readMetricsAccess } from '../../shared/platforms/local/metrics/access.ts';
import { probeIsolation } from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import { type Headers, type Place, portOf, runScript, send } from '../support/plain-calls.ts';
import { readPrometheusText } from '../support/prometheus-text.ts';
import { endProcesses, type ServerProcess } from '../support/server-process.ts';
import { serverTest } from '../support/server-test.ts';

/* Who may read the metrics of a server, and what they show of it. */

const test = serverTest('groundwork-metrics-')
  .extend('path', { scope: 'file' }, ({ root }) => join(root, 'metrics.sock'))
  .extend('short', { scope: 'file' }, ({ root }) => writeShort(root));
afterEach(endProcesses);

const hasBubblewrap = (await probeIsolation({ network: true })).level === 'bubblewrap';
if (!hasBubblewrap) process.stdout.write('skipped: a socket for metrics, which needs bubblewrap\n');

const token = createHash('sha256').update('metrics').digest('hex');
const withToken = { GROUNDWORK_METRICS_TOKEN: token };
const bearer = { Authorization: `Bearer ${token}` };

describe('without a setting', () => {
  test('there are no metrics, for a client of this machine and for a script', async ({ start }) => {
    const server = await start();

    const { status, text } = await get(portOf(server));
    const key = await makeAccount(server);
    const { body } = await runScript(server, key, reading, { ...portOf(server), socketPath: '/x' });

    expect([status, text]).toEqual([404, '{"detail":"Not found."}']);
    const missing = { status: 404, hasMetrics: false };
    const none = { code: expect.stringMatching(/^(EACCES|ENOENT)$/) };
    expect(body.found).toEqual([missing, missing, missing, none]);
  });
});

describe('with a token', () => {
  test('the port serves metrics to those who have it, and not to a script', async ({ start }) => {
    const server = await start({ variables: withToken });
    const key = await makeAccount(server);
    const { body } = await runScript(server, key, reading, { ...portOf(server), socketPath: '/x' });
    const place = portOf(server);
    // after it listens, a server runs a script of each runtime: they are in the queue as well
    await expect.poll(server.output, { timeout: 20_000 }).toContain('Scripts: JavaScript');

    const responses = await Promise.all([
      get(place),
      get(place, { Authorization: `Bearer ${token}x` }),
      get(place, { Authorization: `Basic ${token}` }),
      get(place, { Authorization: token }),
      get(place, {}, { path: `/metrics?token=${token}` }),
      get(place, bearer, { method: 'POST' }),
      get(place, bearer, { path: '/metrics/' }),
      get(place, bearer, { method: 'HEAD' }),
      get(place, { Authorization: `bearer ${token}` }),
      get(place, bearer),
    ]);

    expect(responses.map(({ status }) => status)).toEqual([
      401, 401, 401, 401, 401, 405, 404, 200, 200, 200,
    ]);
    const { type, text = '' } = responses.at(-1) ?? {};
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(responses.filter((response) => response.text.includes('groundwork_'))).toHaveLength(2);
    const denied = { status: 401, hasMetrics: false };
    const none = { code: expect.stringMatching(/^(EACCES|ENOENT)$/) };
    expect(body.found).toEqual([denied, denied, denied, none]);
    const run = { runtime: 'node', origin: 'endpoint', result: 'success' };
    expect(sampleOf(text, 'script_runs_total', run)).toBe(1);
    expect(sampleOf(text, 'http_requests_total', { family: 'account', status: '2xx' })).toBe(1);
    expect(
      sampleOf(text, 'http_requests_total', { family: 'metrics', status: '4xx' }),
    ).toBeGreaterThan(5);
    expect(sampleOf(text, 'store_commit_duration_seconds_count')).toBeUndefined();
    expect(sampleOf(text, 'http_connections')).toBeGreaterThan(0);
    expect(sampleOf(text, 'http_requests_running')).toBeGreaterThan(0);
    expect(sampleOf(text, 'queue_waiting', { queue: 'bodies' })).toBe(0);
    expect(sampleOf(text, 'queue_running', { queue: 'processes' })).toBe(0);
    expect(text).not.toContain(register.email);
    expect(text).not.toContain('instance="');
  });

  test('the token may be in a file, and the log has a line for each request but no token', async ({
    start,
    root,
  }) => {
    const file = join(root, 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const server = await start({
      variables: { GROUNDWORK_METRICS_TOKEN_FILE: file, GROUNDWORK_LOG: 'info' },
    });

    const { status } = await get(portOf(server), bearer);
    await server.end('SIGTERM');

    expect(status).toBe(200);
    expect(server.complaints()).toMatch(
      /"path":"\/metrics","family":"metrics","route":"\/metrics"/,
    );
    expect(server.complaints()).not.toContain(token);
  });

  const inFile = (path: string) => ({ GROUNDWORK_METRICS_TOKEN_FILE: path });
  const wrongLength = /_TOKEN takes 32 to 256 char/;
  test.for<[string, (short: string) => Readonly<Record<string, string>>, RegExp]>([
    ['a short one', () => ({ GROUNDWORK_METRICS_TOKEN: token.slice(0, 31) }), wrongLength],
    ['one with a space', () => ({ GROUNDWORK_METRICS_TOKEN: `${token} x` }), wrongLength],
    ['a missing file', () => inFile('/x'), /_FILE cannot be read: ENOENT/],
    ['a short one in a file', inFile, /takes a file with 32 to 256/],
    ['two', () => ({ ...withToken, ...inFile('/x') }), /exclude each other/],
    ['a relative path', () => atSocket('m.sock'), /takes the absolute path/],
  ])('%s is rejected, and not repeated', ([, variables, message], { short }) => {
    const read = () => readMetricsAccess(readEnvironment(variables(short)).metrics);

    expect(read).toThrow(message);
    expect(read).not.toThrow(token.slice(0, 31));
  });

  test('a short one keeps the server from starting', async ({ start }) => {
    const error = start({ variables: { GROUNDWORK_METRICS_TOKEN: 'short' } });

    await expect(error).rejects.toThrow(/ended with 1: .*_TOKEN takes 32 to 256 characters/);
  });
});

describe('instances', () => {
  test.for<[string, number | undefined]>([
    ['no', undefined],
    ['yes', 2],
  ])('are named if the setting is %s', async ([setting, expected], { start }) => {
    const server = await start({
      variables: { ...withToken, GROUNDWORK_METRICS_INSTANCES: setting },
    });
    const key = { 'X-API-KEY': await makeAccount(server) };
    await send(portOf(server), '/v1.1/instances/', { name: 'library' }, key);
    for (let n = 0; n < 2; n += 1) {
      await send(portOf(server), '/v1.1/instances/library/classes/', undefined, key);
    }

    const { text } = await get(portOf(server), bearer);

    expect(sampleOf(text, 'instance_requests_total', { instance: 'library' })).toBe(expected);
    expect(text.includes('library')).toBe(expected !== undefined);
  });
});

describe.runIf(hasBubblewrap)('at a socket', () => {
  test('metrics are for the user of the server only, and not for a script; the port has none', async ({
    start,
    path,
  }) => {
    const server = await start({ variables: atSocket(path) });
    const { mode } = statSync(path);
    const key = await makeAccount(server);
    const args = { ...portOf(server), socketPath: path };
    const { body } = await runScript(server, key, reading, args);

    const responses = await Promise.all([
      get({ socketPath: path }),
      get({ socketPath: path }, {}, { method: 'POST' }),
      get({ socketPath: path }, {}, { path: '/v1.1/instances/' }),
      get(portOf(server)),
    ]);

    expect(mode & 0o777).toBe(0o600);
    expect(responses.map(({ status }) => status)).toEqual([200, 405, 404, 404]);
    expect(readPrometheusText(responses[0]?.text ?? '').size).toBeGreaterThan(40);
    const missing = { status: 404, hasMetrics: false };
    const none = { code: expect.stringMatching(/^(EACCES|ENOENT)$/) };
    expect(body.found).toEqual([missing, missing, missing, none]);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test('the token is needed there too, if there is one', async ({ start, path }) => {
    const server = await start({ variables: { ...atSocket(path), ...withToken } });

    const responses = await Promise.all([
      get({ socketPath: path }),
      get({ socketPath: path }, bearer),
      get(portOf(server), bearer),
    ]);

    expect(responses.map(({ status }) => status)).toEqual([401, 200, 200]);
  });

  test('an idle client does not delay the end', async ({ start, path }) => {
    const server = await start({ variables: atSocket(path) });
    const idle = connect(path);
    await once(idle, 'connect');

    const startedMs = performance.now();
    expect(await server.end('SIGTERM')).toBe(0);

    expect(performance.now() - startedMs).toBeLessThan(4000);
    idle.destroy();
  });

  test('the socket of a killed server is replaced', async ({ start, path }) => {
    const first = await start({ variables: atSocket(path) });
    await first.end('SIGKILL');
    expect(existsSync(path)).toBe(true);

    const second = await start({ variables: atSocket(path) });
    const { status } = await get({ socketPath: path });
    await second.end('SIGTERM');

    expect(status).toBe(200);
  });

  test('the socket of a running server is not', async ({ start, path }) => {
    const first = await start({ variables: atSocket(path) });

    await expect(start({ variables: atSocket(path) })).rejects.toThrow(
      /metrics\.sock is in use by another process/,
    );

    expect((await get({ socketPath: path })).status).toBe(200);
    await first.end('SIGTERM');
  });

  test('nor is the server at a place that scripts see', async ({ start }) => {
    const error = start({ variables: atSocket('/usr/lib/m.sock') });

    await expect(error).rejects.toThrow(/scripts could open the socket .*TOKEN_FILE/);
  });

  test.for<[string, (short: string) => string, RegExp]>([
    ['a long path', () => `/tmp/${'x'.repeat(96)}`, /the path of the socket \/tmp\/x+ is too long/],
    ['a missing folder', () => '/missing/metrics.sock', /no folder for the socket \/missing/],
    ['a file', (short) => short, /short is no socket/],
  ])('%s is rejected', async ([, at, message], { short }) => {
    await expect(listenOnSocket(createServer(), at(short))).rejects.toThrow(message);
    expect(statSync(short).size).toBe(6);
  });

  test('a path of 100 bytes is not too long', async ({ root }) => {
    const at = join(root, 'x'.repeat(100 - root.length - 1));
    const server = createServer();

    await listenOnSocket(server, at);

    expect(statSync(at).mode & 0o777).toBe(0o600);
    server.close();
  });
});

test('scripts without bubblewrap could open the socket, so that it needs a token', async ({
  start,
  root,
}) => {
  const options = { args: ['--sandbox', 'flags', '--weak-sandbox'] };
  const variables = atSocket(join(root, 'flags.sock'));

  await expect(start({ ...options, variables })).rejects.toThrow(/scripts could open the socket/);
  const server = await start({ ...options, variables: { ...variables, ...withToken } });

  expect((await get({ socketPath: join(root, 'flags.sock') })).status).toBe(401);
  expect(await isOpenToScripts(join(root, 'flags.sock'), async () => true)).toBe(true);
  await server.end('SIGTERM');
});

function writeShort(root: string): string {
  writeFileSync(join(root, 'short'), 'short\n');
  return join(root, 'short');
}

const atSocket = (path: string) => ({ GROUNDWORK_METRICS_SOCKET: path });

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/** Requests metrics. */
async function get(place: Place, headers: Headers = {}, more: object = {}): Promise<Answer> {
  const call = request({ ...place, path: '/metrics', headers, agent: false, ...more });
  call.end();
  const [response] = await once(call, 'response');
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode, type: response.headers['content-type'], text };
}

const sampleOf = (text: string, name: string, labels: object = {}) =>
  readPrometheusText(text)
    .get(`groundwork_${name}`)
    ?.samples.find((sample) => JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;

const register = { email: 'ann@example.com', password: 'a password' };
async function makeAccount(server: ServerProcess): Promise<string> {
  const { status, body } = await send(portOf(server), '/v1.1/account/register/', register);
  expect(status).toBe(201);
  return body.account_key;
}

/** A script that requests the metrics of its server in all ways that it has. */
const reading = `
const { request } = require('http');
const get = (headers) => new Promise((resolve, reject) => {
  const place = { host: '127.0.0.1', port: ARGS.port, path: '/metrics' };
  const call = request({ ...place, headers }, (answer) => {
    let text = '';
    answer.on('data', (part) => { text += part; }).on('end', () => {
      resolve({ status: answer.statusCode, hasMetrics: text.includes('groundwork_') });
    });
  });
  call.on('error', reject).end();
});
const open = (path) => new Promise((resolve) => {
  require('net').connect(path)
    .on('connect', () => resolve({ reached: true }))
    .on('error', ({ code }) => resolve({ code }));
});
(async () => {
  const found = [
    await get({}),
    await get({ Authorization: 'Bearer guessed' }),
    await get({ 'X-Forwarded-For': '127.0.0.1', Host: 'localhost' }),
    await open(ARGS.socketPath),
  ];
  setResponse(new HttpResponse(200, { found }));
})();
`;
