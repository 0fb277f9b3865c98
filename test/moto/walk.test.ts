import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ListPlatformApplicationsCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api } from '../../functions/api.ts';
import { wholeMap } from '../../lib/grants.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import { deploymentOf } from '../../shared/platforms/aws/scripts/script-function.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import { keyText } from '../../shared/values/keys/credentials.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { bodyOf } from '../aws-emulator/lambda.ts';
import { change, newId } from '../store/fixture.ts';
import { fillBody, journey } from '../support/journey.ts';
import { serviceAccount } from '../support/push.ts';
import { deployOnMoto, type MotoDeployment } from './deployment.ts';

/* All families, each served by its bundle, in an order as clients use them. Runs of scripts need what moto has not. */

const secret = '5e'.repeat(32);
const code = keyText(
  { kind: 'setUp', version: 1, scope: 0, record: 0, generation: 1 },
  Buffer.from(secret, 'hex'),
);
const routers = api.map(({ name, routes }) => ({ name, router: createRouter(routes) }));
const walked = new Set<string>();
const keys: Record<string, string> = {};
let deployment: MotoDeployment;

beforeAll(async () => {
  deployment = await deployOnMoto(process.env.DYNAMODB_ENDPOINT ?? '', secret);
}, 300_000);

afterAll(() => deployment.close());

interface Call {
  readonly as?: string | undefined;
  readonly query?: string | undefined;
  readonly body?: unknown;
}

/** Sends a request to the function of its family. */
async function send(call: string, { as, query, body }: Call = {}) {
  const [method = '', path = ''] = call.split(' ');
  const family = routers.find(({ router }) => router(path) !== undefined)?.name ?? wholeMap;
  const lambda = await deployment.functionOf(family);
  const key = as && keys[as];
  const event = clientEvent({ method, path, key, body, ...(query !== undefined && { query }) });
  const result = await lambda.invoke(event);
  if (result.statusCode < 400) walked.add(family);
  return { status: result.statusCode, body: bodyOf(result) };
}

/** Runs jobs that are due, as each minute does. */
async function tick(): Promise<void> {
  const background = await deployment.functionOf('background');
  await background.invoke({}, { leftMs: 300_000 });
}

let scan: string | undefined;

describe('the journey of the bundles', () => {
  test.each(journey)(
    '$call returns $status',
    async ({ call, body, status, answer: response, ...request }) => {
      const found = await send(call, { ...request, body: fillBody(body, { code, scan }) });

      expect(found).toEqual({ status, body: response ?? found.body });
      keys.owner ??= found.body?.account_key;
      keys.app ??= found.body?.api_key;
      scan ??= found.body?.scan?.value;
    },
  );
});

const base = '/v1.1/instances/my-walk/';

/** Sends a request of the owner to the instance, which must succeed; returns the body. */
async function owner(method: string, path: string, body?: unknown, query?: string) {
  const found = await send(`${method} ${base}${path}`, { as: 'owner', body, query });
  expect(found, `${method} ${path}`).toMatchObject({
    status: expect.toSatisfy((status) => status < 300),
  });
  return found.body;
}

describe('an instance', () => {
  beforeAll(async () => {
    const made = await send('POST /v1.1/instances/', { as: 'owner', body: { name: 'my-walk' } });
    expect(made).toMatchObject({ status: 201, body: { name: 'my-walk' } });
    const schema = [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'year', type: 'integer', filter_index: true },
      { name: 'scan', type: 'file' },
    ];
    await owner('POST', 'classes/', { name: 'book', schema });
  });

  test('filters and sorts objects by an index', async () => {
    for (const year of [1818, 1897, 1932]) {
      await owner('POST', 'classes/book/objects/', { title: `of ${year}`, year });
    }
    const query = `query=${encodeURIComponent('{"year":{"_gt":1850}}')}&order_by=-title`;

    const { objects } = await owner('GET', 'classes/book/objects/', undefined, query);

    expect(objects.map(({ year }: { year: number }) => year)).toEqual([1932, 1897]);
  });

  test('takes a file that a client uploads to the bucket by a form', async () => {
    const upload = await owner('POST', 'classes/book/uploads/', { filename: 'a.txt' });
    const form = new FormData();
    for (const [name, value] of Object.entries<string>(upload.fields)) form.append(name, value);
    form.append('file', new Blob(['text of a file'], { type: 'text/plain' }), 'a.txt');
    const uploaded = await fetch(upload.url, { method: 'POST', body: form });
    expect([uploaded.status, upload.url]).toEqual([
      204,
      expect.stringContaining(deployment.bucket),
    ]);

    const made = await owner('POST', 'classes/book/objects/', { scan: upload.file });

    const Key = made.scan.value.replace('https://files.example.com', 'public');
    const s3 = new S3Client(deployment.place);
    const file = await s3.send(new GetObjectCommand({ Bucket: deployment.bucket, Key }));
    expect(await file.Body?.transformToString()).toBe('text of a file');
    await owner('DELETE', `classes/book/objects/${made.id}/`);
    await tick();
    await expect(s3.send(new GetObjectCommand({ Bucket: deployment.bucket, Key }))).rejects.toThrow(
      'key does not exist',
    );
  });

  test('sends a push by an application and an endpoint of SNS', async () => {
    const config = { development_api_key: serviceAccount };
    await owner('PUT', 'push_notifications/gcm/config/', config);
    const device = { registration_id: 'token-1', label: 'phone' };
    await owner('POST', 'push_notifications/gcm/devices/', device);
    const content = {
      environment: 'development',
      registration_ids: ['token-1'],
      data: { text: 'hello' },
    };
    const { id } = await owner('POST', 'push_notifications/gcm/messages/', { content });

    await tick();

    const message = await owner('GET', `push_notifications/gcm/messages/${id}/`);
    expect(message.status).toBe('delivered');
    const sns = new SNSClient(deployment.place);
    const { PlatformApplications } = await sns.send(new ListPlatformApplicationsCommand());
    expect(PlatformApplications).toEqual([
      expect.objectContaining({
        PlatformApplicationArn: expect.stringMatching(/app\/GCM\/.*_gcm_development$/),
      }),
    ]);
  });

  test('publishes a message, which a poll and the history return', async () => {
    await owner('POST', 'channels/', { name: 'news', custom_publish: true });
    const payload = { text: 'hello' };
    await owner('POST', 'channels/news/publish/', { payload });

    const polled = await owner('GET', 'channels/news/poll/', undefined, 'last_id=0');
    const history = await owner('GET', 'channels/news/history/');
    const later = await send(`GET ${base}channels/news/poll/`, {
      as: 'owner',
      query: `last_id=${polled.id}`,
    });

    expect([polled.payload, history.objects.length]).toEqual([payload, 1]);
    expect(later.status).toBe(204);
  });

  test('keeps triggers, schedules and endpoints of scripts', async () => {
    const script = { runtime_name: 'nodejs_v8', source: 'console.log(1)', label: 'one' };
    const { id } = await owner('POST', 'snippets/scripts/', script);
    const trigger = { label: 't', class: 'book', signal: 'post_create', script: id };
    await owner('POST', 'triggers/', trigger);
    await owner('POST', 'schedules/', { label: 's', interval_sec: 86_400, script: id });
    await owner('POST', 'endpoints/scripts/', { name: 'greet', script: id });

    for (const list of ['triggers/', 'schedules/', 'endpoints/scripts/']) {
      const { objects } = await owner('GET', list);
      expect(objects, list).toEqual([expect.objectContaining({ script: id })]);
    }
    const { objects } = await owner('GET', 'triggers/1/traces/');
    expect(objects).toEqual([]);
  });

  test('has a function for each script, until the script is deleted', async () => {
    const lambda = new LambdaClient(deployment.place);
    const client = createClient(deployment.place);
    const store = openStore({ table: deployment.table, client, now: Date.now });
    const by = { clock: openClock(), ids: openIds() };
    // the stream, which nothing delivers here, would request the same
    const deploy = async () => {
      const job = deploymentOf(by, { instance: 2, script: 1 });
      await store.write({ id: newId(), change, writes: [job] });
      await tick();
      const { Functions = [] } = await lambda.send(new ListFunctionsCommand());
      return Functions.filter(({ FunctionName = '' }) => FunctionName.includes('-scr-'));
    };

    const [made, ...others] = await deploy();
    expect([made?.Runtime, others]).toEqual(['nodejs24.x', []]);
    await owner('PATCH', 'snippets/scripts/1/', { source: 'console.log(2)' });
    const [updated] = await deploy();
    expect(updated?.CodeSha256).not.toBe(made?.CodeSha256);
    const FunctionName = made?.FunctionName ?? '';
    const found = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    expect(found.State).toBe('Active');
    await owner('DELETE', 'snippets/scripts/1/');
    expect(await deploy()).toEqual([]);
    await store.close();
  });

  test('is deleted with everything in it', async () => {
    expect((await send(`DELETE ${base}`, { as: 'owner' })).status).toBe(204);
    await tick();

    expect((await send(`GET ${base}`, { as: 'owner' })).status).toBe(404);
  });
});

test('every family has served a request', () => {
  expect([...walked].sort()).toEqual(api.map(({ name }) => name).sort());
});
