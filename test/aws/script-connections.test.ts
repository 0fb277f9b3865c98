import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { openRuns } from '../../shared/platform/aws/scripts/runs.ts';
import { openScripts } from '../../shared/platform/aws/scripts/scripts.ts';
import { openClock } from '../../shared/platform/clock.ts';
import { openIds } from '../../shared/platform/ids.ts';
import { openTemporaryStore } from '../../shared/platform/local/store/store.ts';

/* The client of Lambda on a real connection: it must not repeat requests that may have arrived. */

let server: Server | undefined;
let requests = 0;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: RequestListener): Promise<LambdaClient> {
  requests = 0;
  server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      requests += 1;
      answer(request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on one
  return clientTo(port);
}

function clientTo(port: number): LambdaClient {
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  return new LambdaClient({
    region: 'eu-west-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials,
    maxAttempts: 1,
  });
}

async function run(client: LambdaClient, waitMs: number) {
  const store = await openTemporaryStore({ now: Date.now });
  const services = { store, clock: openClock(), ids: openIds(), log: () => undefined };
  const place = async () => ({ prefix: 'groundwork-prod', deployment: 'one' });
  const scripts = openScripts({ ...services, place, client });
  const outcome = await scripts.run({
    instance: 1,
    owner: 1,
    script: 1,
    version: 1,
    runtime: 'node',
    source: async () => '',
    args: {},
    config: {},
    meta: {},
    timeoutMs: 1000,
    waitMs,
    isAwaited: true,
  });
  await scripts.settled();
  await store.close();
  return outcome;
}

test('a connection that breaks after the request was sent ends the run, and nothing is repeated', async () => {
  const client = await listen((request) => request.socket.destroy());

  const outcome = await run(client, 5000);

  expect(outcome).toMatchObject({
    status: 'failure',
    stdout: '',
    stderr: expect.stringMatching('may or may not have run to its end'),
  });
  expect(requests).toBe(1);
});

test('without a listener nothing has run, and the run waits', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo; // it listens on one
  closed.close();
  await once(closed, 'close');

  expect(await run(clientTo(port), 150)).toEqual({ status: 'queue_timeout' });
});

test('Lambda is invoked again after the delay that it specifies', async () => {
  const client = await listen((_request, response) => {
    const headers = { 'x-amzn-errortype': 'TooManyRequestsException', 'retry-after': '60' };
    response.writeHead(429, headers).end('{"message":"Rate Exceeded."}');
  });

  expect(await run(client, 50_000)).toEqual({ status: 'queue_timeout' });
  expect(requests).toBe(1);
});

test('a request that no longer waits leaves the run as it is', async () => {
  const client = await listen(() => undefined);
  const services = { scripts: undefined } as never; // nothing runs here
  const runs = openRuns({ prefix: 'groundwork-prod', services, client });
  const request = { config: {}, script: { config: { timeout: 300 } } } as never;

  expect(await runs.wait(request, 200)).toBeUndefined();
  await vi.waitUntil(() => requests > 0, { timeout: 30_000 }); // the client may take longer to send it
  expect(requests).toBe(1);
});
