import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { createHeadCheck } from '../../shared/core/pipeline/admission.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import type { ServerTimeouts } from '../../shared/platforms/local/server/patience.ts';
import { type LocalServer, startServer } from '../../shared/platforms/local/server/server.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { type Api, expected, startApi } from '../support/api.ts';
import {
  type FilledWorld,
  inOneVersion,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
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

let api: Api;
let world: FilledWorld;
let file: string;
let form: string;
let release: () => void = () => undefined;
const servers: LocalServer[] = [];
const clients: SlowClient[] = [];

beforeAll(async () => {
  api = await startApi();
  world = await openFilledWorld(api, 'blog-1', 'slow');
  const upload = new FormData();
  upload.append('scan', new Blob(['x'.repeat(longBytes)]), 'scan.txt');
  const objects = '/v1.1/instances/blog-1/classes/book/';
  const call = { as: world.owner, method: 'POST' };
  const made = expected(await api.send({ ...call, path: `${objects}objects/`, body: upload }), 201);
  file = new URL(made.scan.value).pathname;
  const body = { filename: 'a.txt' };
  const { fields } = expected(await api.send({ ...call, path: `${objects}uploads/`, body }), 201);
  const parts = Object.entries(fields).map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`);
  form = `${parts.join('')}${part('file')}; filename="a.txt"\r\n\r\nsome`;
});
afterEach(async () => {
  release();
  for (const { socket } of clients.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
afterAll(() => api.close());

/** Starts a server whose responses are long when the client wants that, so that the system does not buffer them. */
async function start(maxConnections: number, waits: ServerTimeouts): Promise<number> {
  const { platform } = api;
  const held = new Promise<void>((resolve) => {
    release = resolve;
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
  servers.push(server);
  return Number(new URL(server.url).port);
}

const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`;
const multipart = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000';

/** Requests for all routes, slow at one point. */
interface Kind {
  readonly name: string;
  readonly request: (path: string, place: Place | undefined) => Omit<SlowRequest, 'name'>;
}

const keyOf = (place: Place | undefined) => {
  const caller = place === undefined ? world.owner : world.caller(place);
  return typeof caller === 'string' ? caller : (caller?.key ?? '');
};
const withKey = (place: Place | undefined) => `X-API-KEY: ${keyOf(place)}\r\n`;
const writing = (place: Place | undefined) =>
  ['POST', 'PUT', 'PATCH'].find((method) => place && method in place.route.operations) ?? 'POST';

function head(method: string, path: string, headers = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}`;
}

const kinds: readonly Kind[] = [
  { name: 'request line', request: (path) => ({ start: `GET ${path}`, more: 'x' }) },
  {
    name: 'next request line',
    request: (path) => ({ start: `${head('GET', '/health/')}\r\nGET ${path}`, more: 'x' }),
  },
  { name: 'head', request: (path) => ({ start: head('POST', path, 'X-Slow: '), more: 'x' }) },
  {
    name: 'fields',
    request: (path) => ({
      start: `${head('POST', path, multipart)}\r\n\r\n${part('policy')}\r\n\r\n`,
      more: 'x',
    }),
  },
  {
    name: 'body',
    request: (path, place) => ({
      start: `${head(writing(place), path, 'Content-Length: 1000')}\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body with a key',
    request: (path, place) => ({
      start: `${head(writing(place), path, withKey(place))}Content-Length: 1000\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body in chunks',
    request: (path, place) => ({
      start: `${head(writing(place), path, withKey(place))}Transfer-Encoding: chunked\r\n\r\n`,
      more: '1\r\n \r\n',
    }),
  },
  {
    name: 'body of a GET',
    request: (path) => ({
      start: `${head('GET', path)}Connection: close\r\nContent-Length: 1000\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body of an unknown method',
    request: (path) => ({
      start: `${head('PROPFIND', path)}Transfer-Encoding: chunked\r\n\r\n`,
      more: '1\r\n \r\n',
    }),
  },
  {
    name: 'body of a preflight',
    request: (path) => ({
      start: `${head('OPTIONS', path)}Origin: http://a\r\nContent-Length: 1000\r\n\r\n{`,
      more: ' ',
    }),
  },
  {
    name: 'body of an upgrade',
    request: (path) => ({
      start: `${head('POST', path)}Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 9\r\n\r\n`,
      more: '',
    }),
  },
  {
    name: 'body after 100 Continue',
    request: (path, place) => ({
      start: `${head(writing(place), path, withKey(place))}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
      more: '',
    }),
  },
];

const response: Kind = {
  name: 'response',
  request: (path, place) => ({
    start: `${head('GET', path, withKey(place))}X-Long: 1\r\nConnection: close\r\n\r\n`,
    more: '\r\n', // shows its end to a client that reads nothing
    readsNothing: true,
  }),
};

/** Requests of no route, or of one only. */
const others = (): readonly SlowRequest[] => [
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
function requestsOf({ name, request }: Kind): readonly SlowRequest[] {
  const turn = kinds.findIndex((kind) => kind.name === name);
  const own = [...Object.values(ownPaths).flat(), ...noPaths].map((path) => ({
    name: `${name} at ${path}`,
    ...request(path, undefined),
  }));
  const ofMap = inOneVersion(places, turn).map((place) => ({
    name: `${name} at ${place.name}`,
    ...request(world.path(place), place),
  }));
  return [...own, ...ofMap];
}

const nameOf = ({ name }: SlowClient) => name;
const openOf = (slow: readonly SlowClient[]) =>
  slow.filter(({ isClosed }) => !isClosed).map(nameOf);

/** Opens all, and waits until the server has seen their bytes. */
async function openAll(port: number, requests: readonly SlowRequest[]) {
  const slow = requests.map((each) => openSlowClient(port, each));
  clients.push(...slow);
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
async function replaceAll(requests: readonly SlowRequest[]) {
  const port = await start(requests.length, patient);
  const slow = await openAll(port, requests);
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
  release();
  const statuses = new Set(await Promise.all(served));
  expect([...statuses]).toEqual([404]);
}

/** Waits until the server has disconnected all slow clients; others are served all the time. */
async function outlast(requests: readonly SlowRequest[]) {
  const port = await start(requests.length + 10, patience);
  const slow = await openAll(port, requests);
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

test('the paths beside the map are all known here', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const text = deciding.map((name) => readFileSync(root + name, 'utf8')).join('\n');

  const found = text.match(/\bis(For[A-Z]\w*|Probe)(?=\()/g);

  expect([...new Set(found)].sort()).toEqual(Object.keys(ownPaths).sort());
});

describe('a client that is slow with its', () => {
  test.each(kinds.map((kind) => [kind.name, kind] as const))('%s makes room', (_, kind) =>
    replaceAll(requestsOf(kind)),
  );

  test.each(kinds.map((kind) => [kind.name, kind] as const))('%s is disconnected', (_, kind) =>
    outlast(requestsOf(kind)),
  );

  test('response makes room', async () => {
    for (const each of batches(requestsOf(response))) await replaceAll(each);
  });

  test('response is disconnected', async () => {
    for (const each of batches(requestsOf(response))) await outlast(each);
  });
});

describe('a connection with', () => {
  test('other slow bytes makes room', () => replaceAll(others()));

  test('other slow bytes is closed', () => outlast(others()));
});
