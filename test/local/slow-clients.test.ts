import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { createHeadCheck } from '../../shared/core/pipeline/admission.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import type { ServerTimeouts } from '../../shared/platforms/local/server/patience.ts';
import { type LocalServer, startServer } from '../../shared/platforms/local/server/server.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { type Api, type Credentials, expected } from '../support/api.ts';
import {
  type FilledWorld,
  inOneVersion,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import {
  openSlowClient,
  type SlowClient,
  type SlowRequest,
  statusOf,
} from '../support/slow-client.ts';

/*
 * The law of slow clients. At every route of the map, and at every path that the server has beside it, a client that is
 * slow at any point of a request makes room for others, and is disconnected in the end. The soak run takes both versions
 * of a route.
 */

const test = apiTest()
  .extend('filled', { scope: 'file' }, ({ api }) => fill(api))
  .extend('given', ({ api, filled }, { onCleanup }) => {
    const given: Given = { ...filled, api, release: () => undefined, servers: [], clients: [] };
    onCleanup(async () => {
      given.release();
      for (const { socket } of given.clients) socket.destroy();
      await Promise.all(given.servers.map((server) => server.stop()));
    });
    return given;
  });

const kinds: readonly Kind[] = [
  { name: 'request line', request: ({ path }) => ({ start: `GET ${path}`, more: 'x' }) },
  {
    name: 'next request line',
    request: ({ path }) => ({ start: `${head('GET', '/health/')}\r\nGET ${path}`, more: 'x' }),
  },
  { name: 'head', request: ({ path }) => ({ start: head('POST', path, 'X-Slow: '), more: 'x' }) },
  {
    name: 'fields',
    request: ({ path }) => ({
      start: `${head('POST', path, multipart)}\r\n\r\n${part('policy')}\r\n\r\n`,
      more: 'x',
    }),
  },
  {
    name: 'body',
    request: ({ path, method }) => ({
      start: `${head(method, path, 'Content-Length: 1000')}\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body with a key',
    request: ({ path, method, key }) => ({
      start: `${head(method, path, key)}Content-Length: 1000\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body in chunks',
    request: ({ path, method, key }) => ({
      start: `${head(method, path, key)}Transfer-Encoding: chunked\r\n\r\n`,
      more: '1\r\n \r\n',
    }),
  },
  {
    name: 'body of a GET',
    request: ({ path }) => ({
      start: `${head('GET', path)}Connection: close\r\nContent-Length: 1000\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body of an unknown method',
    request: ({ path }) => ({
      start: `${head('PROPFIND', path)}Transfer-Encoding: chunked\r\n\r\n`,
      more: '1\r\n \r\n',
    }),
  },
  {
    name: 'body of a preflight',
    request: ({ path }) => ({
      start: `${head('OPTIONS', path)}Origin: http://a\r\nContent-Length: 1000\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body of an upgrade',
    request: ({ path }) => ({
      start: `${head('POST', path)}Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 9\r\n\r\n`,
      more: '',
    }),
  },
  {
    name: 'body after 100 Continue',
    request: ({ path, method, key }) => ({
      start: `${head(method, path, key)}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
      more: '',
    }),
  },
];

const response: Kind = {
  name: 'response',
  request: ({ path, key }) => ({
    start: `${head('GET', path, key)}X-Long: 1\r\nConnection: close\r\n\r\n`,
    more: '\r\n', // shows its end to a client that reads nothing
    readsNothing: true,
  }),
};

test('the paths beside the map are all known here', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const text = deciding.map((name) => readFileSync(root + name, 'utf8')).join('\n');

  const found = text.match(/\bis(For[A-Z]\w*|Probe)(?=\()/g);

  expect([...new Set(found)].sort()).toEqual(Object.keys(ownPaths).sort());
});

describe('a client that is slow with its', () => {
  const named = kinds.map((kind) => [kind.name, kind] as const);

  test.for(named)('%s makes room', ([, kind], { given }) =>
    replaceAll(given, requestsOf(given, kind)),
  );

  test.for(named)('%s is disconnected', ([, kind], { given }) =>
    outlast(given, requestsOf(given, kind)),
  );

  test('response makes room', async ({ given }) => {
    for (const each of batches(requestsOf(given, response))) await replaceAll(given, each);
  });

  test('response is disconnected', async ({ given }) => {
    for (const each of batches(requestsOf(given, response))) await outlast(given, each);
  });
});

describe('a connection with', () => {
  test('other slow bytes makes room', ({ given }) => replaceAll(given, others(given)));

  test('other slow bytes is closed', ({ given }) => outlast(given, others(given)));
});

interface Given extends Awaited<ReturnType<typeof fill>> {
  readonly api: Api;
  /** Ends requests for `/held/`. */
  release: () => void;
  readonly servers: LocalServer[];
  readonly clients: SlowClient[];
}

/** Returns a world with the path of a long file, and the start of a genuine form. */
async function fill(api: Api) {
  const world = await openFilledWorld(api, 'blog-1', 'slow');
  const upload = new FormData();
  upload.append('scan', new Blob(['x'.repeat(longBytes)]), 'scan.txt');
  const objects = '/v1.1/instances/blog-1/classes/book/';
  const call = { as: world.owner, method: 'POST' };
  const made = expected(await api.send({ ...call, path: `${objects}objects/`, body: upload }), 201);
  const body = { filename: 'a.txt' };
  const { fields } = expected(await api.send({ ...call, path: `${objects}uploads/`, body }), 201);
  const parts = Object.entries(fields).map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`);
  const form = `${parts.join('')}${part('file')}; filename="a.txt"\r\n\r\nsome`;
  return { world, file: new URL(made.scan.value).pathname, form };
}

/** Paths beside the map, by the predicate that finds them. */
const ownPaths: Readonly<Record<string, readonly string[]>> = {
  isForFiles: ['/files/', '/files/1/1/none'],
  isForConsole: ['/console/', '/console', '/docs/api/', '/docs/api'],
  isProbe: ['/health/'],
};
/** Files that decide which code serves a path. */
const deciding = [
  'bin/serve.ts',
  'shared/platforms/local/server/server.ts',
  'shared/core/pipeline/dispatch.ts',
  'shared/core/http/edge.ts',
];
const noPaths = ['/nowhere/', '/v1.1/nowhere/', '/docs', '/metrics', '*', 'http://x/files/'];

/** Each wait of the server, a hundredth or so. */
const patience = {
  headMs: 600,
  headCheckMs: 50,
  gainWindowMs: 300,
  smallBodyMs: 600,
  uploadIdleMs: 400,
  stalledSendMs: 600,
  drainMs: 100,
};
/** Waits that no test outlasts, except for what shows that a client reads nothing. */
const patient = {
  headMs: 60_000,
  headCheckMs: 5000,
  gainWindowMs: 60_000,
  smallBodyMs: 60_000,
  uploadIdleMs: 60_000,
  stalledSendMs: 6000,
  drainMs: 60_000,
};
const endMs = 6000; // a busy machine, and two seconds of waiting for room
const longBytes = 4_500_000; // more than the system buffers for a client that reads nothing
const together = 24; // clients that read nothing: more would exceed the bytes of pending responses

/** Starts a server whose responses are long when the client wants that, so that the system does not buffer them. */
async function start(given: Given, maxConnections: number, waits: ServerTimeouts): Promise<number> {
  const { platform } = given.api;
  const held = new Promise<void>((resolve) => {
    given.release = resolve;
  });
  const serve = createServe({
    ...platform,
    dispatch: platform.track(createDispatch(routes, platform, { renderer: responseTemplates })),
  });
  const long = 'x'.repeat(longBytes);
  const padded: Dispatch = async (request) => {
    const response = await serve(request);
    if (request.path === '/held/') await held;
    if (request.headers['x-long'] === undefined) return response;
    const { content } = response;
    return content === undefined ? response : { ...response, content: { ...content, bytes: long } };
  };
  const headCheck = createHeadCheck(routes, platform);
  const place = { host: '127.0.0.1', port: 0, graceMs: 100 };
  const server = await startServer({
    ...platform,
    serve: padded,
    headCheck,
    patience: waits,
    maxConnections,
    ...place,
  });
  given.servers.push(server);
  return Number(new URL(server.url).port);
}

const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`;
const multipart = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000';

/** Requests for all routes, slow at one point. */
interface Kind {
  readonly name: string;
  readonly request: (target: Target) => Omit<SlowRequest, 'name'>;
}

interface Target {
  readonly path: string;
  /** One that has a body. */
  readonly method: string;
  /** A header. */
  readonly key: string;
}

const withKey = (caller: Credentials) =>
  `X-API-KEY: ${typeof caller === 'string' ? caller : (caller?.key ?? '')}\r\n`;

function targetOf(world: FilledWorld, place: Place): Target {
  const writing = ['POST', 'PUT', 'PATCH'].find((method) => method in place.route.operations);
  return { path: world.path(place), method: writing ?? 'POST', key: withKey(world.caller(place)) };
}

function head(method: string, path: string, headers = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}`;
}

/** Requests of no route, or of one only. */
const others = ({ file, form }: Given): readonly SlowRequest[] => [
  { name: 'nothing', start: '', more: '' },
  { name: 'no HTTP', start: 'hello\r\n\r\n', more: '' },
  { name: 'a tunnel', start: 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', more: 'x' },
  { name: 'a tunnel that sends nothing', start: 'CONNECT x:1 HTTP/1.1\r\n\r\n', more: '' },
  {
    name: 'the file of a genuine form',
    start: `${head('POST', '/files/', multipart)}\r\n\r\n${form}`,
    more: 'x',
  },
  {
    name: 'a file that is not read',
    start: `${head('GET', file)}Connection: close\r\n\r\n`,
    more: '\r\n',
    readsNothing: true,
  },
  {
    name: 'what follows a genuine form',
    start: `${head('POST', '/files/', multipart)}\r\n\r\n${form}\r\n${part('next')}\r\n\r\n`,
    more: 'x',
  },
];

/** Returns the requests of one kind at all routes. */
function requestsOf({ world }: Given, { name, request }: Kind): readonly SlowRequest[] {
  const turn = kinds.findIndex((kind) => kind.name === name);
  const own = [...Object.values(ownPaths).flat(), ...noPaths].map((path) => ({
    name: `${name} at ${path}`,
    ...request({ path, method: 'POST', key: withKey(world.owner) }),
  }));
  const ofMap = inOneVersion(places, turn).map((place) => ({
    name: `${name} at ${place.name}`,
    ...request(targetOf(world, place)),
  }));
  return [...own, ...ofMap];
}

const nameOf = ({ name }: SlowClient) => name;
const openOf = (slow: readonly SlowClient[]) =>
  slow.filter(({ isClosed }) => !isClosed).map(nameOf);

/** Opens all, and waits until the server has seen their bytes. */
async function openAll(given: Given, port: number, requests: readonly SlowRequest[]) {
  const slow = requests.map((each) => openSlowClient(port, each));
  given.clients.push(...slow);
  await new Promise((resolve) => setTimeout(resolve, 150));
  for (const { trickle } of slow) trickle();
  return slow;
}

/** Tries again while connections are refused: that a client reads nothing shows after a while. */
async function retry(attempt: () => Promise<number>): Promise<number> {
  const endsAt = performance.now() + endMs;
  for (;;) {
    const status = await attempt();
    if (status !== 0 || performance.now() > endsAt) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Occupies all connections by slow clients, then by others: each of these takes the place of a slow one. */
async function replaceAll(given: Given, requests: readonly SlowRequest[]) {
  const port = await start(given, requests.length, patient);
  const slow = await openAll(given, port, requests);
  const served: Promise<number>[] = [];
  for (const _ of requests) served.push(retry(() => statusOf(port, '/held/')));
  await expect
    .poll(
      () => {
        for (const { trickle } of slow) trickle();
        return openOf(slow);
      },
      { timeout: endMs },
    )
    .toEqual([]);
  given.release();
  const statuses = new Set(await Promise.all(served));
  expect([...statuses]).toEqual([404]);
}

/** Waits until the server has disconnected all slow clients; others are served all the time. */
async function outlast(given: Given, requests: readonly SlowRequest[]) {
  const port = await start(given, requests.length + 10, patience);
  const slow = await openAll(given, port, requests);
  const statuses = new Set<number>();
  const endsAt = performance.now() + endMs;
  while (openOf(slow).length > 0 && performance.now() < endsAt) {
    for (const { trickle } of slow) trickle();
    statuses.add(await statusOf(port, '/health/'));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(openOf(slow)).toEqual([]);
  expect([...statuses]).toEqual([200]);
}

function* batches(requests: readonly SlowRequest[]) {
  for (let at = 0; at < requests.length; at += together) yield requests.slice(at, at + together);
}
