import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ListPlatformApplicationsCommand, SNSClient } from '@aws-sdk/client-sns';
import { describe, expect, test } from 'vitest';
import { api, routes } from '../../functions/api.ts';
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
const router = createRouter(routes);
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', { scope: 'file' }, async ({}, { onCleanup }) => {
  const deployment = await deployOnMoto(process.env.DYNAMODB_ENDPOINT ?? '', secret);
  onCleanup(async () => void (await deployment.close()));
  return { deployment, walked: new Set<string>(), keys: {}, scan: undefined } as Given;
});
it.beforeAll(({ given: _ }) => undefined, 300_000); // the deployment takes its time

describe('the journey of the bundles', () => {
  it.for(journey)(
    '$call returns $status',
    async ({ call, body, status, answer: response, ...request }, { given }) => {
      const found = await send(given, call, {
        ...request,
        body: fillBody(body, { code, scan: given.scan }),
      });

      expect(found).toEqual({ status, body: response ?? found.body });
      given.keys.owner ??= found.body?.account_key;
      given.keys.app ??= found.body?.api_key;
      given.scan ??= found.body?.scan?.value;
    },
  );
});

const base = '/v1.1/instances/my-walk/';

describe('an instance', () => {
  it.beforeAll(async ({ given }) => {
    const made = await send(given, 'POST /v1.1/instances/', {
      as: 'owner',
      body: { name: 'my-walk' },
    });
    expect(made).toMatchObject({ status: 201, body: { name: 'my-walk' } });
    const schema = [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'year', type: 'integer', filter_index: true },
      { name: 'scan', type: 'file' },
    ];
    await owner(given, 'POST', 'classes/', { name: 'book', schema });
  });

  it('filters and sorts objects by an index', async ({ given }) => {
    for (const year of [1818, 1897, 1932]) {
      await owner(given, 'POST', 'classes/book/objects/', { title: `of ${year}`, year });
    }
    const query = `query=${encodeURIComponent('{"year":{"_gt":1850}}')}&order_by=-title`;

    const { objects } = await owner(given, 'GET', 'classes/book/objects/', undefined, query);

    expect(objects.map(({ year }: { year: number }) => year)).toEqual([1932, 1897]);
  });

  it('takes a file that a client uploads to the bucket by a form', async ({ given }) => {
    const upload = await owner(given, 'POST', 'classes/book/uploads/', { filename: 'a.txt' });
    const form = new FormData();
    for (const [name, value] of Object.entries<string>(upload.fields)) form.append(name, value);
    form.append('file', new Blob(['text of a file'], { type: 'text/plain' }), 'a.txt');
    const uploaded = await fetch(upload.url, { method: 'POST', body: form });
    expect([uploaded.status, upload.url]).toEqual([
      204,
      expect.stringContaining(given.deployment.bucket),
    ]);

    const made = await owner(given, 'POST', 'classes/book/objects/', { scan: upload.file });

    const Key = made.scan.value.replace('https://files.example.com', 'public');
    const s3 = new S3Client(given.deployment.place);
    const file = await s3.send(new GetObjectCommand({ Bucket: given.deployment.bucket, Key }));
    expect(await file.Body?.transformToString()).toBe('text of a file');
    await owner(given, 'DELETE', `classes/book/objects/${made.id}/`);
    await tick(given);
    await expect(
      s3.send(new GetObjectCommand({ Bucket: given.deployment.bucket, Key })),
    ).rejects.toThrow('key does not exist');
  });

  it('sends a push by an application and an endpoint of SNS', async ({ given }) => {
    const config = { development_api_key: serviceAccount };
    await owner(given, 'PUT', 'push_notifications/gcm/config/', config);
    const device = { registration_id: 'token-1', label: 'phone' };
    await owner(given, 'POST', 'push_notifications/gcm/devices/', device);
    const content = {
      environment: 'development',
      registration_ids: ['token-1'],
      data: { text: 'hello' },
    };
    const { id } = await owner(given, 'POST', 'push_notifications/gcm/messages/', { content });

    await tick(given);

    const message = await owner(given, 'GET', `push_notifications/gcm/messages/${id}/`);
    expect(message.status).toBe('delivered');
    const sns = new SNSClient(given.deployment.place);
    const { PlatformApplications } = await sns.send(new ListPlatformApplicationsCommand());
    expect(PlatformApplications).toEqual([
      expect.objectContaining({
        PlatformApplicationArn: expect.stringMatching(/app\/GCM\/.*_gcm_development$/),
      }),
    ]);
  });

  it('publishes a message, which a poll and the history return', async ({ given }) => {
    await owner(given, 'POST', 'channels/', { name: 'news', custom_publish: true });
    const payload = { text: 'hello' };
    await owner(given, 'POST', 'channels/news/publish/', { payload });

    const polled = await owner(given, 'GET', 'channels/news/poll/', undefined, 'last_id=0');
    const history = await owner(given, 'GET', 'channels/news/history/');
    const later = await send(given, `GET ${base}channels/news/poll/`, {
      as: 'owner',
      query: `last_id=${polled.id}`,
    });

    expect([polled.payload, history.objects.length]).toEqual([payload, 1]);
    expect(later.status).toBe(204);
  });

  it('keeps triggers, schedules and endpoints of scripts', async ({ given }) => {
    const script = { runtime_name: 'nodejs_v8', source: 'console.log(1)', label: 'one' };
    const { id } = await owner(given, 'POST', 'snippets/scripts/', script);
    const trigger = { label: 't', class: 'book', signal: 'post_create', script: id };
    await owner(given, 'POST', 'triggers/', trigger);
    await owner(given, 'POST', 'schedules/', { label: 's', interval_sec: 86_400, script: id });
    await owner(given, 'POST', 'endpoints/scripts/', { name: 'greet', script: id });

    for (const list of ['triggers/', 'schedules/', 'endpoints/scripts/']) {
      const { objects } = await owner(given, 'GET', list);
      expect(objects, list).toEqual([expect.objectContaining({ script: id })]);
    }
    const { objects } = await owner(given, 'GET', 'triggers/1/traces/');
    expect(objects).toEqual([]);
  });

  it('has a function for each script, until the script is deleted', async ({ given }) => {
    const lambda = new LambdaClient(given.deployment.place);
    const client = createClient(given.deployment.place);
    const store = openStore({ table: given.deployment.table, client, now: Date.now });
    const by = { clock: openClock(), ids: openIds() };
    // the stream, which nothing delivers here, would request the same
    const deploy = async () => {
      const job = deploymentOf(by, { instance: 2, script: 1 });
      await store.write({ id: newId(), change, writes: [job] });
      await tick(given);
      const { Functions = [] } = await lambda.send(new ListFunctionsCommand());
      return Functions.filter(({ FunctionName = '' }) => FunctionName.includes('-scr-'));
    };

    const [made, ...others] = await deploy();
    expect([made?.Runtime, others]).toEqual(['nodejs24.x', []]);
    await owner(given, 'PATCH', 'snippets/scripts/1/', { source: 'console.log(2)' });
    const [updated] = await deploy();
    expect(updated?.CodeSha256).not.toBe(made?.CodeSha256);
    const FunctionName = made?.FunctionName ?? '';
    const found = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    expect(found.State).toBe('Active');
    await owner(given, 'DELETE', 'snippets/scripts/1/');
    expect(await deploy()).toEqual([]);
    await store.close();
  });

  it('is deleted with everything in it', async ({ given }) => {
    expect((await send(given, `DELETE ${base}`, { as: 'owner' })).status).toBe(204);
    await tick(given);

    expect((await send(given, `GET ${base}`, { as: 'owner' })).status).toBe(404);
  });
});

it('every family has served a request', ({ given }) => {
  expect([...given.walked].sort()).toEqual(api.map(({ name }) => name).sort());
});

/** The functions, and what the requests so far have shown. */
interface Given {
  readonly deployment: MotoDeployment;
  /** Families that have served a request. */
  readonly walked: Set<string>;
  readonly keys: Record<string, string>;
  scan: string | undefined;
}

interface Call {
  readonly as?: string | undefined;
  readonly query?: string | undefined;
  readonly body?: unknown;
}

/** Sends a request to the function of its family. */
async function send(
  { deployment, keys, walked }: Given,
  call: string,
  { as, query, body }: Call = {},
) {
  const [method = '', path = ''] = call.split(' ');
  const family = router(path)?.route.family ?? wholeMap;
  const lambda = await deployment.functionOf(family);
  const key = as && keys[as];
  const event = clientEvent({ method, path, key, body, ...(query !== undefined && { query }) });
  const result = await lambda.invoke(event);
  if (result.statusCode < 400) walked.add(family);
  return { status: result.statusCode, body: bodyOf(result) };
}

/** Runs jobs that are due, as each minute does. */
async function tick({ deployment }: Given): Promise<void> {
  const background = await deployment.functionOf('background');
  await background.invoke({}, { leftMs: 300_000 });
}

/** Sends a request of the owner to the instance, which must succeed; returns the body. */
async function owner(given: Given, method: string, path: string, body?: unknown, query?: string) {
  const found = await send(given, `${method} ${base}${path}`, { as: 'owner', body, query });
  expect(found, `${method} ${path}`).toMatchObject({
    status: expect.toSatisfy((status) => status < 300),
  });
  return found.body;
}
