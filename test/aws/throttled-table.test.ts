import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import {
  DeleteItemCommand,
  GetItemCommand,
  ThrottlingException,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import type { GatewayResponse } from '../../shared/platforms/aws/gateway.ts';
import { createHandler } from '../../shared/platforms/aws/handler.ts';
import { withSharedPatience } from '../../shared/platforms/aws/sdk/patience.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import { type Pacing, realPacing } from '../../shared/platforms/aws/store/retry.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';
import { type Store, StoreBusy } from '../../shared/store/store.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import type { Api } from '../support/api.ts';
import { type FilledWorld, openFilledWorld, type Place, places } from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';

/*
 * Requests to a table that throttles. Before, the store of one machine serves them, so that the handler's process has
 * its caches filled, as one that has served for a while.
 */

const maxRequests = 5;
const maxMs = 1500;

const client = createClient({
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});
const table = mockClient(client);
const throttled = new ThrottlingException({
  message: 'slow down',
  $metadata: { httpStatusCode: 400 },
});

const it = apiTest().extend('given', { scope: 'file' }, ({ api }) => setUp(api));
it.beforeEach(({ given }) => {
  table.reset();
  table.onAnyCommand().rejects(throttled);
  Object.assign(given, { throttling: { healthy: 0 }, waitedMs: 0 });
});
it.afterEach(({ given }) => {
  given.throttling = undefined;
});

/** All but log-ins by other services, which come before the table. */
const touching = places.filter(({ template }) => !template.endsWith('/auth/{backend}/'));
const operations = touching.flatMap((place) =>
  Object.keys(place.route.operations).map((method) => ({
    name: `${method} ${place.name}`,
    place,
    method,
  })),
);

it('every operation is 429, or 503 if it only reads, in time and with few requests', async ({
  given,
}) => {
  const wrong: string[] = [];
  for (const { name, place, method } of operations) {
    table.resetHistory();
    given.waitedMs = 0;
    const { statusCode, headers } = await given.handler(eventAt(given.world, place, method));
    const requests = table.calls().length;
    const isBusy = statusCode === (method === 'GET' ? 503 : 429) && headers['retry-after'] === '1';
    const isBounded = requests > 0 && requests <= maxRequests && given.waitedMs <= maxMs;
    if (!isBusy || !isBounded)
      wrong.push(`${name}: ${statusCode}, ${requests}, ${given.waitedMs} ms`);
  }

  expect(operations.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

describe('a batch of 20', () => {
  const objects = '/v1.1/instances/blog-1/classes/book/objects/';
  const send = ({ world, handler }: Given, item: (at: number) => object, to = handler) => {
    const requests = Array.from({ length: 20 }, (_, at) => item(at));
    const path = '/v1.1/instances/blog-1/batch/';
    return to(clientEvent({ method: 'POST', path, key: world.owner, body: { requests } }));
  };
  const create = () => ({ method: 'POST', path: objects, body: {} });
  const read = { method: 'GET', path: `${objects}1/` };
  const mixed = (at: number) => (at % 2 ? read : create());
  const codes = ({ body = '', isBase64Encoded }: GatewayResponse): readonly number[] =>
    JSON.parse(isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body).map(
      ({ code }: { code: number }) => code,
    );

  it.for<[string, (at: number) => object]>([
    ['of creates', create],
    ['of different requests', mixed],
  ])('%s is rejected as a whole when its caller cannot be read', async ([_, item], { given }) => {
    const { statusCode, headers } = await send(given, item);

    expect([statusCode, headers['retry-after']]).toEqual([429, '1']);
    expect(table.calls()).toHaveLength(maxRequests);
  });

  it.for<[string, (at: number) => object, number[]]>([
    ['of creates', create, [429]],
    ['of different requests', mixed, [429, 503]],
  ])(
    '%s is rejected item by item when the table throttles after that',
    async ([_, item, known], { given }) => {
      given.throttling = { healthy: 1 };

      const result = await send(given, item);

      expect(result.statusCode).toBe(200);
      expect([...new Set(codes(result))]).toEqual(known);
      expect(codes(result)).toHaveLength(20);
      expect(table.calls().length).toBeLessThanOrEqual(maxRequests);
    },
  );

  it('sends little more than each write once when only these are throttled', async ({ given }) => {
    given.throttling = { healthy: 0, isOfWrites: true };

    const result = await send(given, create);

    expect(new Set(codes(result))).toEqual(new Set([429]));
    expect(table.calls().length).toBeLessThan(20 + maxRequests);
    expect(given.waitedMs).toBeLessThan(maxMs);
  });

  it('takes no longer than it may', async ({ given }) => {
    const startMs = performance.now();

    const { statusCode } = await send(given, create, given.slowHandler);

    expect(statusCode).toBe(429);
    expect(performance.now() - startMs).toBeLessThan(maxMs);
  });
});

describe('a write of a request', () => {
  const write = {
    action: 'delete',
    key: { pk: 'P', sk: 'S' },
    condition: { kind: 'present' },
  } as const;
  const change = { actor: {}, cause: 'client', depth: 0 } as const;
  const deleteIt = ({ store }: Given) =>
    store.write({ id: '0123456789abcdef0123', change, writes: [write] });
  const lost = Object.assign(new Error('no response'), { name: 'TimeoutError' });

  it('is not reported as not executed when a response was lost before', async ({ given }) => {
    table.onAnyCommand().rejectsOnce(lost).rejects(throttled);

    await expect(withSharedPatience(() => deleteIt(given))).rejects.toMatchObject({
      name: 'StoreUnavailable',
    });
  });

  it('is not reported so either when the read that asks for its outcome is throttled', async ({
    given,
  }) => {
    const conflict = new TransactionCanceledException({
      message: 'cancelled',
      $metadata: { httpStatusCode: 400 },
      CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
    });
    table.on(TransactWriteItemsCommand).rejectsOnce(lost).rejects(conflict);
    const put = { action: 'put', key: { pk: 'P', sk: 'U' }, kind: 'thing', data: {} } as const;
    const writes = [write, { ...put, condition: { kind: 'none' } }] as const;

    const written = withSharedPatience(() =>
      given.store.write({ id: '0123456789abcdef0123', change, writes }),
    );

    await expect(written).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });

  it('is tried again in parts of a table that executes others', async ({ given }) => {
    table.on(DeleteItemCommand).rejectsOnce(throttled).rejectsOnce(throttled).resolves({});
    table.on(GetItemCommand).resolves({});

    await withSharedPatience(async () => {
      await deleteIt(given);
      await given.store.get([write.key]);
      table.on(DeleteItemCommand).rejects(throttled);
      await expect(deleteIt(given)).rejects.toBeInstanceOf(StoreBusy);
      await expect(given.store.get([write.key])).rejects.toBeInstanceOf(StoreBusy); // nothing more is sent
    });

    expect(table.commandCalls(DeleteItemCommand)).toHaveLength(3 + maxRequests);
    expect(table.commandCalls(GetItemCommand)).toHaveLength(1);
  });

  it('outside of requests is tried for longer', async ({ given }) => {
    await expect(deleteIt(given)).rejects.toBeInstanceOf(StoreBusy);

    expect(table.calls().length).toBeGreaterThanOrEqual(2 * maxRequests);
  });
});

type Given = Awaited<ReturnType<typeof setUp>>;

interface State {
  /** What the table throttles: requests after this number of healthy ones, and only writes if so. */
  throttling?: { healthy: number; isOfWrites?: boolean } | undefined;
  waitedMs: number;
}

/** A process of the handler, whose caches are filled, and one whose waits take their time. */
async function setUp(api: Api) {
  const { platform } = api;
  const state: State = { waitedMs: 0 };
  /** Waits take no time, and are as long as they can be. */
  const pacing: Pacing = {
    elapsedMs: () => state.waitedMs,
    random: () => 0.999,
    sleep: async (ms) => {
      state.waitedMs += ms;
    },
  };
  const open = (pace: Pacing) => openStore({ table: 'T', client, now: Date.now, pacing: pace });
  const handlerOf = (pace: Pacing) =>
    createHandler(routes, { ...platform, store: switching(state, platform.store, open(pace)) });
  const world = await openFilledWorld(api, 'blog-1', 'marker');
  const [handler, slowHandler] = [handlerOf(pacing), handlerOf(realPacing)];
  for (const place of places) await handler(eventAt(world, place, 'GET'));
  return Object.assign(state, { world, handler, slowHandler, store: open(pacing) });
}

/** The store of one machine, until the table takes its place. */
function switching(state: State, healthy: Store, busy: Store): Store {
  const store = (isWrite = false) => {
    const { throttling } = state;
    if (throttling === undefined || (throttling.isOfWrites && !isWrite)) return healthy;
    throttling.healthy -= 1;
    return throttling.healthy >= 0 ? healthy : busy;
  };
  return {
    get: (keys) => store().get(keys),
    query: (query) => store().query(query),
    write: (transaction) => store(true).write(transaction),
    next: (counter, count) => store().next(counter, count),
    close: () => Promise.resolve(),
  };
}

function eventAt(world: FilledWorld, place: Place, method: string): APIGatewayProxyEventV2 {
  const credentials = world.caller(place);
  const { key = '', user = '' } =
    typeof credentials === 'string' ? { key: credentials } : (credentials ?? {});
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const body = hasBody ? (world.sample(place) ?? logIn) : undefined;
  const event = clientEvent({ method, path: world.path(place), key, body });
  if (user) event.headers['x-user-key'] = user;
  return event;
}

/** A body with which log-ins are attempted; other requests ignore it. */
const logIn = {
  ...{ email: 'a@example.com', username: 'a', password: 'secret', access_token: 'a' },
  ...{ code: `1.${'a'.repeat(43)}`, code_verifier: 'a' },
};
