import { createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createHandler } from '../../shared/platforms/aws/handler.ts';
import { openWakeUps } from '../../shared/platforms/aws/jobs/wake-ups.ts';
import { openPlatform } from '../../shared/platforms/aws/platform.ts';
import { openFunctionControl } from '../../shared/platforms/aws/scripts/function-control.ts';
import { openStartRun } from '../../shared/platforms/aws/scripts/invoke-later.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { awsEnvironment } from '../support/aws-platform.ts';
import { ownedKey } from '../support/has-file.ts';

/* A service that accepts a request and never responds must not hold a function until the gateway gives up. */

const { owner, key } = ownedKey(`public/1/2/${'a'.repeat(40)}`);
const gatewayMs = 29_000;
const run = { instance: 1, kind: 'script', parent: 2, trace: 3 } as const;
const slot = { number: 0, version: 'V' };

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const platform = () => openPlatform(awsEnvironment);

/** One operation for each client, and its limit where it waits for a script, or sends its package. */
const clients: readonly (readonly [string, () => Promise<unknown>, number | 'short'])[] = [
  ['Secrets Manager', () => platform().secrets.current(), 'short'],
  ['S3', () => platform().files.get(owner, key), 'short'],
  ['SES', () => platform().mailer.send({ to: 'a@example.com', subject: '', text: '' }), 'short'],
  ['SNS', () => platform().push.removeEndpoint('arn'), 'short'],
  ['KMS', () => platform().vault.seal('a', {}), 'short'],
  ['SQS', () => openWakeUps({ queue: 'https://example.com/q', now: () => 0 })([1000]), 'short'],
  ['Lambda, for changes of functions', () => openFunctionControl().find('f'), 30_000],
  ['Lambda, for runs', () => openStartRun('groundwork-prod')(run, slot), 'short'],
];

test.each(clients)('the client of %s has time limits', async (_, send, limitMs) => {
  const requests = await requestsOf(send);

  const limits = requests[0];
  expect(limits).toMatchObject({ throwOnRequestTimeout: true });
  expect(limits?.connectionTimeout).toBeLessThanOrEqual(3000);
  expect(limits?.socketTimeout).toBe(limits?.requestTimeout);
  if (limitMs === 'short') {
    expect((limits?.requestTimeout ?? gatewayMs) * requests.length).toBeLessThan(gatewayMs);
  } else {
    expect([limits?.requestTimeout, requests.length]).toEqual([limitMs, 1]);
  }
});

test('the client of the table has time limits', async () => {
  const client = createClient();

  const [limits] = await requestsOf(() => client.send(new ListTablesCommand({})));

  expect(limits).toMatchObject({
    throwOnRequestTimeout: true,
    connectionTimeout: 1000,
    requestTimeout: 3000,
    socketTimeout: 3000,
  });
});

interface Limits {
  readonly connectionTimeout?: number;
  readonly requestTimeout?: number;
  readonly socketTimeout?: number;
  readonly throwOnRequestTimeout?: boolean;
}

/** Returns the limits of each request that an operation sends; none has a response. */
async function requestsOf(send: () => Promise<unknown>): Promise<readonly Limits[]> {
  const requests: Limits[] = [];
  const handler: Handler = Object.getPrototypeOf(createClient().config.requestHandler);
  vi.spyOn(handler, 'handle').mockImplementation(async function (this: Handler) {
    requests.push(await this.configProvider);
    throw Object.assign(new Error('no response'), { name: 'TimeoutError' });
  });
  await expect(send()).rejects.toThrow();
  return requests;
}

/** The handler of HTTP requests that all clients of the SDK share. */
interface Handler {
  handle(): Promise<never>;
  readonly configProvider: Promise<Limits>;
}

test('a request is a server error in time when the table, or the secret, never responds', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`);
  const logged: LogEntry[] = [];
  const opened = { ...platform(), log: (entry: LogEntry) => logged.push(entry) };
  const startMs = performance.now();

  const log = clientEvent({
    method: 'POST',
    path: '/v1.1/account/auth/',
    body: { email: 'a@example.com', password: 'secret' },
  });
  const key = `02${'01'.repeat(27)}`;
  const [byPassword, byKey] = await Promise.all([
    createHandler(routes, opened)(log),
    createHandler(routes, opened)(clientEvent({ method: 'GET', path: '/v1.1/account/', key })),
  ]);

  expect([byPassword.statusCode, byKey.statusCode]).toEqual([500, 500]);
  expect(performance.now() - startMs).toBeLessThan(gatewayMs);
  const errors = logged.filter(({ level }) => level === 'error');
  expect(errors.map(({ service, action }) => [service, action]).toSorted()).toEqual([
    ['DynamoDB', 'BatchGetItem'],
    ['Secrets Manager', 'GetSecretValue'],
  ]);
});
