import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { keyText } from '../../shared/values/keys/credentials.ts';
import { startFakeAws } from '../aws-emulator/fake-aws.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { bodyOf, type Lambda, startLambda } from '../aws-emulator/lambda.ts';

/*
 * Counts of a function's process are written during its requests, and when Lambda signals its end.
 */

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('folder', { scope: 'file' }, ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-end-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    bundleHandler('batch', folder);
    return folder;
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above
  .extend('table', async ({}, { onCleanup }) => {
    const table = await openTable();
    onCleanup(() => table.aws.close());
    return table;
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above
  .extend('runtime', async ({}, { onCleanup }) => {
    const runtime = await openRuntime();
    onCleanup(() => {
      runtime.server.close();
      runtime.server.closeAllConnections();
    });
    return runtime;
  })
  .extend('start', ({ folder, table: { aws }, runtime: { server } }) => {
    const { port } = server.address() as AddressInfo; // it listens
    const own = { AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`, AWS_ENDPOINT_URL: aws.url };
    return (more: object = {}) =>
      startLambda(process.execPath, join(folder, bundleFile), { ...settings, ...own, ...more });
  });

it('counts are written during the first request after ten seconds', async ({ start, table }) => {
  const lambda = await start();
  const now = Date.now();
  const key = await use(lambda, now);
  const before = [...table.used];

  const event = clientEvent({ method: 'GET', path: '/v1.1/', key });
  await lambda.invoke(event, { nowMs: now + 11_000, steadyAheadMs: 11_000 });

  await vi.waitUntil(() => table.used.length > 0, { timeout: 50_000 });
  expect(table.used).toEqual([expect.objectContaining(three)]);
  expect(before).toEqual([]);
  await lambda.close();
});

it.for([
  {
    writeMs: 500,
    ended: 1,
    what: 'waits for the write of counts, before Lambda suspends the process',
  },
  { writeMs: 8000, ended: 0, what: 'does not wait longer than a second' },
])('a response $what', async ({ writeMs, ended }, { start, table }) => {
  const lambda = await start();
  const now = Date.now();
  const key = await use(lambda, now);
  table.writeMs = writeMs;

  const event = clientEvent({ method: 'GET', path: '/v1.1/', key });
  await lambda.invoke(event, { nowMs: now + 11_000, steadyAheadMs: 11_000 });

  expect([table.used.length, table.written]).toEqual([1, ended]);
  table.writeMs = 0;
  await lambda.close();
});

it('counts are written in one item, after the first write of an hour, which checks the instance', async ({
  start,
  table,
}) => {
  const lambda = await start();
  const now = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 60_000; // all within an hour
  const key = await use(lambda, now);
  const event = clientEvent({ method: 'GET', path: '/v1.1/instances/my-news/api_keys/', key });

  for (const writes of [1, 2, 3]) {
    const aheadMs = writes * 11_000;
    await lambda.invoke(event, { nowMs: now + aheadMs, steadyAheadMs: aheadMs });
    await vi.waitUntil(() => table.used.length === writes, { timeout: 50_000 });
  }

  expect(table.sizes).toEqual([2, 1, 1]);
  await lambda.close();
});

it('counts are written on the signal to end, and not before', async ({ start, table }) => {
  const lambda = await start();
  await use(lambda, Date.now());
  const before = [...table.used];

  await lambda.close(); // by SIGTERM, as Lambda does

  expect(before).toEqual([]);
  expect(table.used).toEqual([
    expect.objectContaining({ d: { S: '{"api":3,"run":0,"cbxMs":0}' } }),
  ]);
});

it('an extension without events is registered to get the signal', async ({ start, runtime }) => {
  const lambda = await start();
  await use(lambda);
  await lambda.close();

  expect(runtime.asked).toEqual([
    {
      method: 'POST',
      path: '/2020-01-01/extension/register',
      id: 'groundwork',
      body: '{"events":[]}',
    },
    { method: 'GET', path: '/2020-01-01/extension/event/next', id: 'an-id', body: '' },
  ]);
});

it('a function whose runs continue after a response asks for each invocation, when the last one has ended', async ({
  start,
  runtime,
}) => {
  const lambda = await start({ GROUNDWORK_KEEPS_RUNS: 'true' });
  for (const count of [1, 2]) {
    await vi.waitUntil(() => runtime.events.length === count, { timeout: 50_000 });
    runtime.events.at(-1)?.end('{"eventType":"INVOKE"}');
    await lambda.invoke(clientEvent({ method: 'GET', path: '/v1.1/' }));
  }
  await vi.waitUntil(() => runtime.events.length === 3, { timeout: 50_000 });

  await lambda.close();

  expect(runtime.asked.map(({ path, body }) => [path.replace(/^.*extension/, ''), body])).toEqual([
    ['/register', '{"events":["INVOKE"]}'],
    ['/event/next', ''],
    ['/event/next', ''],
    ['/event/next', ''],
  ]);
});

it('a function works where no extension is accepted, and logs it', async ({ start, runtime }) => {
  runtime.takesExtensions = false;
  const lambda = await start();
  await use(lambda);

  const logs = await lambda.close();

  const lines = logs
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ level }) => level === 'ERROR')).toEqual([
    expect.objectContaining({ message: 'no notice of the end of this process' }),
  ]);
});

/** A table that keeps what is written of usage. */
async function openTable() {
  const table = {
    used: [] as unknown[], // the written items of usage
    sizes: [] as number[], // number of items in each request that wrote usage
    written: 0, // number of items of usage whose write has ended
    writeMs: 0, // time that each write of usage takes
  };
  const aws = await startFakeAws({
    secret,
    allows: () => true,
    write: async ({ parts, apply }) => {
      const items = parts.flatMap(([, { Item }]) => (Item === undefined ? [] : [Item]));
      const usage = items.filter(({ pk }) => pk.S === 'INSTANCE#1#USAGE');
      table.used.push(...usage);
      if (usage.length > 0) table.sizes.push(parts.length);
      if (usage.length > 0) await sleep(table.writeMs);
      apply();
      table.written += usage.length;
    },
  });
  return Object.assign(table, { aws });
}

/** The interface of Lambda for extensions. */
async function openRuntime() {
  const runtime = {
    asked: [] as { method: string; path: string; id: unknown; body: string }[],
    takesExtensions: true,
    events: [] as ServerResponse[], // responses to requests for the next event: each is one invocation
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const id = headers['lambda-extension-name'] ?? headers['lambda-extension-identifier'];
    runtime.asked.push({ method, path: url, id, body: await text(request) });
    if (url.endsWith('/next')) {
      runtime.events.push(response); // as long as it is idle
      return;
    }
    const status = runtime.takesExtensions ? 200 : 403;
    response.writeHead(status, { 'Lambda-Extension-Identifier': 'an-id' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(runtime, { server });
}

const settings = {
  GROUNDWORK_TABLE: 'a-table',
  GROUNDWORK_SECRET: 'a-secret',
  GROUNDWORK_FILES: 'a-bucket',
  GROUNDWORK_FILES_URL: 'https://files.example.com',
  GROUNDWORK_PUSH: 'groundwork_test_',
  GROUNDWORK_API_URL: 'https://api.example.com',
  GROUNDWORK_SCRIPTS: 'groundwork-prod',
  GROUNDWORK_SCRIPT_ROLE: 'a-role',
  GROUNDWORK_METRICS: 'Groundwork/prod',
  GROUNDWORK_FAMILY: 'batch',
  GROUNDWORK_PASSWORD_COST: '10',
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'batch',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

/** In the form of the table. */
const three = { d: { S: '{"api":3,"run":0,"cbxMs":0}' } };

const secret = '5e'.repeat(32);
const setUp = keyText(
  { kind: 'setUp', version: 1, scope: 0, record: 0, generation: 1 },
  Buffer.from(secret, 'hex'),
);

/** Creates an instance and sends three requests to it; returns its owner's key. */
async function use(lambda: Lambda, nowMs?: number): Promise<string> {
  const call = async (method: string, path: string, key?: string, body?: unknown) => {
    const result = await lambda.invoke(clientEvent({ method, path, key, body }), { nowMs });
    if (result.statusCode >= 300) throw new Error(`${method} ${path}: ${result.statusCode}`);
    return bodyOf(result);
  };
  const account = { email: 'a@example.com', password: 'secret', invitation_key: setUp };
  const { account_key } = await call('POST', '/v1.1/account/register/', undefined, account);
  await call('POST', '/v1.1/instances/', account_key, { name: 'my-news' });
  for (let n = 0; n < 3; n += 1)
    await call('GET', '/v1.1/instances/my-news/api_keys/', account_key);
  return account_key;
}
