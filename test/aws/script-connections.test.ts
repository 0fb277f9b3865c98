import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { openScripts } from '../../shared/platforms/aws/scripts/scripts.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import { scriptRun } from '../support/aws-platform.ts';

/* The client of Lambda on a real connection: it must not repeat requests that may have arrived. */

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('lambda', ({}, { onCleanup }) => {
  const lambda = { requests: 0, listen };
  let answer: RequestListener = () => undefined;
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      lambda.requests += 1;
      answer(request, response);
    });
  });
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return lambda;

  async function listen(listener: RequestListener): Promise<LambdaClient> {
    answer = listener;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return clientTo((server.address() as AddressInfo).port); // it listens on one
  }
});

it('a connection that breaks after the request was sent ends the run, and nothing is repeated', async ({
  lambda,
}) => {
  const client = await lambda.listen((request) => request.socket.destroy());

  const outcome = await run(client, 5000);

  expect(outcome).toMatchObject({
    status: 'failure',
    stdout: '',
    stderr: expect.stringMatching('may or may not have run to its end'),
  });
  expect(lambda.requests).toBe(1);
});

it('without a listener nothing has run, and the run waits', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo; // it listens on one
  closed.close();
  await once(closed, 'close');

  expect(await run(clientTo(port), 150)).toEqual({ status: 'queue_timeout' });
});

it('Lambda is invoked again after the delay that it specifies', async ({ lambda }) => {
  const client = await lambda.listen((_request, response) => {
    const headers = { 'x-amzn-errortype': 'TooManyRequestsException', 'retry-after': '60' };
    response.writeHead(429, headers).end('{"message":"Rate Exceeded."}');
  });

  expect(await run(client, 50_000)).toEqual({ status: 'queue_timeout' });
  expect(lambda.requests).toBe(1);
});

it('Lambda is not told which invocation a request comes from: a chain of runs is no loop', async ({
  lambda,
}) => {
  const { AWS_LAMBDA_FUNCTION_NAME: name, _X_AMZN_TRACE_ID: trace } = process.env;
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'groundwork-prod-script-runs';
  process.env._X_AMZN_TRACE_ID = 'Root=1-5759e988-bd862e3fe1be46a994272793;Lineage=a87bd80c:16';
  try {
    const traces: unknown[] = [];
    const client = await lambda.listen((request, response) => {
      traces.push(request.headers['x-amzn-trace-id']);
      const headers = { 'x-amzn-errortype': 'TooManyRequestsException', 'retry-after': '60' };
      response.writeHead(429, headers).end('{}');
    });

    await run(client, 10);

    expect(traces).toEqual([undefined]);
  } finally {
    restore('AWS_LAMBDA_FUNCTION_NAME', name);
    restore('_X_AMZN_TRACE_ID', trace);
  }
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
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
  const scripts = openScripts({
    ...services,
    readDeployment: place,
    client,
    mostWaiting: 16,
    startRun: () => Promise.reject(new Error('no run waits without a process')),
  });
  const outcome = await scripts.run({ ...scriptRun, waitMs });
  await scripts.settled();
  await store.close();
  return outcome;
}
