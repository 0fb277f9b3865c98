import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { endpointRoute } from '../../shared/core/resource/endpoint.ts';
import { newJob, runDue } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { createHandler } from '../../shared/platforms/aws/handler.ts';
import { openWakeUps } from '../../shared/platforms/aws/jobs/wake-ups.ts';
import { type AwsPlatform, openPlatform } from '../../shared/platforms/aws/platform.ts';
import { openFunctionControl } from '../../shared/platforms/aws/scripts/function-control.ts';
import { openStartRun } from '../../shared/platforms/aws/scripts/invoke-later.ts';
import { openSecrets } from '../../shared/platforms/aws/secrets.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { runScript } from '../../shared/scripts/script-runs.ts';
import type { Store } from '../../shared/store/store.ts';
import { objectFiles } from '../../shared/values/file-keys.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { awsEnvironment, scriptRun, startedRun } from '../support/aws-platform.ts';
import { ownedKey } from '../support/has-file.ts';

/*
 * AWS refuses one action of a port: the operator finds one line that names it, and the client gets a server error. It
 * is never taken for load, for something that does not exist, or for an error of the client.
 */

const file = ownedKey(`public/1/2/${'a'.repeat(40)}`);
const clients = {
  DynamoDB: mockClient(DynamoDBClient),
  KMS: mockClient(KMSClient),
  Lambda: mockClient(LambdaClient),
  S3: mockClient(S3Client),
  SESv2: mockClient(SESv2Client),
  'Secrets Manager': mockClient(SecretsManagerClient),
  SNS: mockClient(SNSClient),
  SQS: mockClient(SQSClient),
};
type Service = keyof typeof clients;

// files after this one share the process
afterAll(() => Object.values(clients).map((client) => client.restore()));

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', { auto: true }, ({}, { onCleanup }) => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  onCleanup(() => void vi.unstubAllEnvs());
  for (const client of Object.values(clients)) {
    client.reset();
    sendOf(client).resolves({});
  }
  const logged: LogEntry[] = [];
  const platform = {
    ...openPlatform(awsEnvironment),
    log: (entry: LogEntry) => logged.push(entry),
  };
  return { platform, logged };
});

const key = { pk: 'P', sk: 'S' };
const at = { key, condition: { kind: 'none' } } as const;
const put = { action: 'put', ...at, kind: 'thing', data: {} } as const;
const remove = { action: 'delete', ...at } as const;
const change = { actor: {}, cause: 'client', depth: 0 } as const;
const write = (store: Store, ...writes: readonly (typeof put | typeof remove)[]) =>
  store.write({ id: '0123456789abcdef0123', change, writes });
const scope = { instance: 1, provider: 'gcm', environment: 'development' } as const;
const message = { action: 'custom', author: {}, metadata: {}, payload: {} } as const;
const room = { instance: 1, channel: 2, room: '' };
const terms = { contentType: 'text/plain', bytes: new Uint8Array() };

/** Every operation of a port that sends a request, by the action that is refused. */
const operations: readonly (readonly [
  Service,
  string,
  string,
  (platform: AwsPlatform) => Promise<unknown>,
])[] = [
  ['DynamoDB', 'GetItem', 'read of an item', ({ store }) => store.get([key])],
  ['DynamoDB', 'BatchGetItem', 'read', ({ store }) => store.get([key, { ...key, sk: 'U' }])],
  ['DynamoDB', 'Query', 'query', ({ store }) => store.query({ pk: 'P', limit: 1 })],
  ['DynamoDB', 'PutItem', 'put', ({ store }) => write(store, put)],
  ['DynamoDB', 'DeleteItem', 'delete', ({ store }) => write(store, remove)],
  [
    'DynamoDB',
    'TransactWriteItems',
    'transaction',
    ({ store }) => write(store, put, { ...remove, key: { ...key, sk: 'U' } }),
  ],
  ['DynamoDB', 'UpdateItem', 'counter', ({ store }) => store.next(key)],
  [
    'DynamoDB',
    'PutItem',
    'slot of a poll',
    ({ messages }) => messages.admit({ owner: 'account 1', instance: '1' }, 'poll'),
  ],
  [
    'DynamoDB',
    'BatchGetItem',
    'wait for messages',
    ({ messages }) =>
      messages.wait(
        [room, { ...room, channel: 3 }].map((each) => ({ reference: each, after: 0 })),
        { ms: 10, ending: undefined },
      ),
  ],
  ['DynamoDB', 'UpdateItem', 'message', ({ messages }) => messages.publish(room, message)],
  ['Secrets Manager', 'GetSecretValue', 'current secret', ({ secrets }) => secrets.current()],
  ['Secrets Manager', 'GetSecretValue', 'secret', ({ secrets }) => secrets.get(1)],
  ['S3', 'PutObject', 'new file', ({ files }) => files.put(file.owner, file.key, terms)],
  ['S3', 'GetObject', 'file', ({ files }) => files.get(file.owner, file.key)],
  ['S3', 'HeadObject', 'size of a file', ({ files }) => files.size(file.owner, file.key)],
  ['S3', 'CopyObject', 'copy', ({ files }) => files.copy(file, file)],
  ['S3', 'DeleteObjects', 'deleted files', ({ files }) => files.remove(file.owner, [file.key])],
  ['S3', 'ListObjectsV2', 'deleted folder', ({ files }) => files.removeAll(objectFiles(1, 2))],
  [
    'SESv2',
    'SendEmail',
    'mail',
    ({ mailer }) => mailer.send({ to: 'a@example.com', subject: '', text: '' }),
  ],
  [
    'SNS',
    'CreatePlatformApplication',
    'new application',
    ({ push }) => push.openApplication(scope, { kind: 'legacyKey', key: 'k' }),
  ],
  [
    'SNS',
    'SetPlatformApplicationAttributes',
    'known application',
    ({ push }) => push.openApplication(scope, { kind: 'legacyKey', key: 'k' }, 'arn'),
  ],
  [
    'SNS',
    'DeletePlatformApplication',
    'old application',
    ({ push }) => push.closeApplication('arn'),
  ],
  [
    'SNS',
    'CreatePlatformEndpoint',
    'new device',
    ({ push }) => push.createEndpoint('arn', { token: 't', note: '' }),
  ],
  ['SNS', 'SetEndpointAttributes', 'device', ({ push }) => push.setEndpoint('arn', 't', true)],
  ['SNS', 'DeleteEndpoint', 'old device', ({ push }) => push.removeEndpoint('arn')],
  [
    'SNS',
    'Publish',
    'push',
    ({ push }) => push.publish('arn', { platform: 'GCM', payload: '{}', attributes: {} }),
  ],
  ['KMS', 'GenerateDataKey', 'sealed text', ({ vault }) => vault.seal('a', {})],
  ['KMS', 'Decrypt', 'opened text', ({ vault }) => vault.open('YQ==.YQ==', {})],
  ['Lambda', 'Invoke', 'run', ({ scripts }) => scripts.run(scriptRun)],
  [
    'Lambda',
    'Invoke',
    'started run',
    () => openStartRun('groundwork-prod')(startedRun, { number: 0, version: 'V' }),
  ],
  ['Lambda', 'GetFunction', 'function', () => openFunctionControl().find('f')],
  [
    'Lambda',
    'CreateFunction',
    'new function',
    () => openFunctionControl().create('f', {} as never, new Uint8Array()),
  ],
  [
    'Lambda',
    'UpdateFunctionCode',
    'code',
    () => openFunctionControl().updateCode('f', 'r', new Uint8Array()),
  ],
  [
    'Lambda',
    'UpdateFunctionConfiguration',
    'settings',
    () => openFunctionControl().updateSettings('f', 'r', {} as never),
  ],
  ['Lambda', 'DeleteFunction', 'old function', () => openFunctionControl().remove('f')],
  ['Lambda', 'ListFunctions', 'functions', () => openFunctionControl().list()],
  [
    'SQS',
    'SendMessageBatch',
    'wake-up',
    () => openWakeUps({ queue: 'https://example.com/q', now: () => 0 })([1000]),
  ],
];

describe.each(operations)('%s refuses %s for a %s', (service, action, _, operate) => {
  it('the request is a server error with one line of the log', async ({ given }) => {
    refuse(service, action);
    const route = endpointRoute({
      name: 'Refused',
      path: '/refused/',
      access: { anonymous: 'G' },
      operations: {
        GET: {
          right: 'G',
          run: async () => ({ status: 200, body: { result: await operate(given.platform) } }),
        },
      },
    });
    const handler = createHandler([route], given.platform);

    const path = '/v1.1/refused/';
    const { statusCode, headers, body } = await handler(clientEvent({ method: 'GET', path }));

    expect([statusCode, JSON.parse(body ?? '')]).toEqual([
      500,
      { detail: 'Internal server error.' },
    ]);
    expect(headers['retry-after']).toBeUndefined();
    expect(errors(given)).toEqual([[service, action]]);
  });

  it('a job logs it once, and is tried again later', async ({ given }) => {
    refuse(service, action);
    const store = await openTemporaryStore({ now: Date.now });
    const context = {
      ...given.platform,
      store,
      settled: async () => undefined,
      endedBefore: async () => true,
    };
    const step = () => operate(given.platform).then(() => 'done' as const);
    const job = { name: 'refused', step };
    await maintain(context, [newJob(context, job, {})]);

    await runDue({ kinds: [job], context, isEnding: () => false });

    expect(errors(given)).toEqual([[service, action]]);
    await store.close();
  });
});

it('a script that cannot be invoked is logged once, and marked for the response', async ({
  given,
}) => {
  refuse('Lambda', 'Invoke');

  const trace = await runScript(given.platform, startedRun);

  expect(trace).toMatchObject({ status: 'failure', isServerError: true });
  expect(errors(given)).toEqual([['Lambda', 'Invoke']]);
});

it.for(['KMSAccessDeniedException', 'EC2AccessDeniedException'])(
  '%s, which has the status of a failed server, is no failure of a script either',
  async (name, { given }) => {
    const denied = Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 502 } });
    clients.Lambda.on(InvokeCommand).rejects(denied);

    await expect(given.platform.scripts.run(scriptRun)).rejects.toBe(denied);
  },
);

it('secrets that cannot be read again stay in use, and this is logged', async ({ given }) => {
  const SecretString = 'ab'.repeat(32);
  sendOf(clients['Secrets Manager']).resolves({ SecretString });
  const time = { now: 0 };
  const secrets = openSecrets({
    client: new SecretsManagerClient(),
    secret: 'arn',
    nowMs: () => time.now,
    log: (entry) => given.logged.push(entry),
  });
  const known = await secrets.current();
  refuse('Secrets Manager', 'GetSecretValue');
  time.now = 60_000;

  const found = [await secrets.current(), await secrets.current()];

  expect(found).toEqual([known, known]);
  expect(errors(given)).toEqual([['Secrets Manager', 'GetSecretValue']]);
});

/** Names of the error in each service. */
const refusals: Readonly<Partial<Record<Service, string>>> = {
  S3: 'AccessDenied',
  SNS: 'AuthorizationErrorException',
};
const refusalOf = (service: Service) => refusals[service] ?? 'AccessDeniedException';

/** Has AWS refuse all requests of one action. */
function refuse(service: Service, action: string): void {
  sendOf(clients[service]).callsFake(async ({ schema }) => {
    if (schema[2] !== action) return {};
    const name = refusalOf(service);
    throw Object.assign(new Error('denied'), { name, $metadata: { httpStatusCode: 403 } });
  });
}

interface Stub {
  resolves(output: object): void;
  callsFake(send: (command: { readonly schema: readonly unknown[] }) => Promise<object>): void;
}

/** Returns what takes the place of a client's `send`; its types are those of every command. */
function sendOf(client: { readonly send: unknown }): Stub {
  return client.send as Stub;
}

const errors = ({ logged }: { readonly logged: readonly LogEntry[] }) =>
  logged.filter(({ level }) => level === 'error').map(({ service, action }) => [service, action]);
