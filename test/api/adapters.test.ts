import { connect } from 'node:net';
import type { Context } from 'aws-lambda';
import { afterAll, describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createServe, edgeSteps } from '../../shared/core/http/edge.ts';
import type { Dispatch, Response } from '../../shared/core/http/message.ts';
import { createHeadCheck } from '../../shared/core/pipeline/admission.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import { type LocalServer, startServer } from '../../shared/platforms/local/server/server.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { bytesOf, wireEvent } from '../aws-emulator/gateway-event.ts';
import type { World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/*
 * One table of requests, sent to the local server and through the handler that runs behind the gateway: status, headers
 * and the bytes of the body must be equal.
 */

const test = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) =>
  setUp(world),
);

const servers: LocalServer[] = [];
const get = (name: string, target: string, ...headers: readonly Header[]): Row => ({
  name,
  method: 'GET',
  target,
  headers,
});
const post = (name: string, type: string | undefined, body: string | Buffer): Row => ({
  name,
  method: 'POST',
  target: objects,
  headers: type === undefined ? [] : [['Content-Type', type]],
  body,
});
const objects = 'classes/book/objects/';
const json = 'application/json';
const origin: Header = ['Origin', 'https://app.example'];
const requested: Header = ['Access-Control-Request-Method', 'PUT'];
const gzip: Header = ['Accept-Encoding', 'gzip, deflate, br'];
const html: Header = ['Accept', 'text/html'];
const field = (name: string, more: string, value: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n--XX--\r\n'),
  ]);
const bytes = Buffer.from([0, 255, 254, 10, 13]);
const methods: readonly Row[] = [
  get('a list', `${objects}?page_size=2`),
  get('an object', `${objects}1/`),
  ...['HEAD', 'OPTIONS', 'DELETE', 'PUT', 'PATCH', 'POST', 'TRACE'].flatMap((method): Row[] => [
    { name: `${method} of an object that does not exist`, method, target: `${objects}99/` },
    { name: `${method} of an unknown path`, method, target: '/v1.1/nothing/' },
    { name: `${method} of a class, from a page`, method, target: 'api_keys/x/', headers: [origin] },
  ]),
  { name: 'HEAD of a list', method: 'HEAD', target: objects, headers: [gzip] },
  { name: 'HEAD of a page', method: 'HEAD', target: objects, headers: [html] },
  { name: 'introspection', method: 'OPTIONS', target: objects, headers: [origin] },
  ...[objects, '/v1.1/nothing/', '/'].map((target): Row => {
    const headers = [origin, requested];
    return { name: `a preflight of ${target}`, method: 'OPTIONS', target, headers };
  }),
  { name: 'a method that is not allowed', method: 'DELETE', target: objects, headers: [origin] },
  { name: 'an update', method: 'PATCH', target: `${objects}2/`, body: '{"title":"b"}' },
  { name: 'a replacement', method: 'PUT', target: `${objects}2/`, body: '{"title":"c"}' },
  { name: 'a batch', method: 'POST', target: 'batch/', body: '{"requests":[{"path":"/x/"}]}' },
  { name: 'no key', method: 'GET', target: objects, isAnonymous: true },
];
const forms: readonly Row[] = [
  get('gzip', objects, gzip),
  get('gzip with other weights', objects, ['Accept-Encoding', 'br;q=1, gzip;q=0.2']),
  get('gzip that is excluded', objects, ['Accept-Encoding', 'gzip;q=0']),
  get('br alone', objects, ['Accept-Encoding', 'br']),
  get('identity', objects, ['Accept-Encoding', 'identity']),
  get('indented JSON', objects, ['Accept', 'application/json; indent=4']),
  get('a large constant body', '/v1.1/schema/', gzip),
  get('a large constant body, indented', '/v1.1/schema/', ['Accept', 'application/json; indent=2']),
  get('a page', objects, html),
  get('a page, compressed', objects, html, gzip),
  get('the page of an error', '/v1.1/nothing/', html),
  get('a type that there is not', objects, ['Accept', 'image/png']),
  get('a format that there is not', `${objects}?format=xml`),
  get('several headers of one name', objects, ['Accept', 'text/html;q=0.1'], ['ACCEPT', json]),
  get('cookies', objects, ['Cookie', 'a=1;b=2'], ['Cookie', 'c=3']),
  get('headers in lower case', objects, ['accept-encoding', 'gzip'], ['origin', 'null']),
  get('a page of another origin', objects, origin, gzip),
  get('a key that does not exist', objects, ['X-USER-KEY', 'wrong']),
];
const addresses: readonly Row[] = [
  get('the root', '/'),
  get('the older version', '/v1/'),
  get('no last slash', '/v1.1'),
  get('a doubled slash', '/v1.1//'),
  get('an escaped slash', `classes/b%2fook/`),
  get('an escaped slash in upper case', `classes/b%2Fook/`),
  get('an escaped letter', `classes/%62ook/`),
  get('an escaped percent', 'classes/b%252Fook/'),
  get('other letters', '/v1.1/%C3%BC+/'),
  get('dots', '/v1.1/instances/../'),
  get('a question mark in the path', 'classes/b%3Fook/'),
  get('repeated parameters', `${objects}?page_size=1&page_size=3`),
  get('parameters without value', `${objects}?page_size&query=&=x&&a;b`),
  get('escaped parameters', `${objects}?query=%7B%22title%22%3A%7B%22_eq%22%3A%22c%22%7D%7D`),
  get('a plus and broken escapes', `${objects}?page_size=+2&fields=%zz%ff`),
  get('a broken query', `${objects}?query=%7Bbroken`),
  get('a second question mark', `${objects}?page_size=1?2`),
];
const bodies: readonly Row[] = [
  post('JSON', json, '{"title":"ü"}'),
  post('JSON without a type', undefined, '{"title":"x"}'),
  post('JSON of another charset', `${json}; charset=iso-8859-1`, Buffer.from('"\xfc"', 'latin1')),
  post('an unknown charset', `${json}; charset=latin9`, '{"title":"x"}'),
  post('broken JSON', json, '{"title":'),
  post('JSON that is no UTF-8', json, Buffer.from([0x22, 0xff, 0x22])),
  post('JSON with a byte order mark', json, '\ufeff{"title":"x"}'),
  post('no body', json, ''),
  post('a form', 'application/x-www-form-urlencoded', 'title=a%20b+c'),
  post('JSON as a form', 'application/x-www-form-urlencoded', '{"title":"x"}'),
  post('text that names its method', 'text/plain', '{"_method":"GET","page_size":"1"}'),
  post('text', 'text/plain', 'hello'),
  post('an unsupported type', 'image/png', bytes),
  post('encoded JSON', json, bytes),
  post('a multipart form', 'multipart/form-data; boundary=XX', field('title', '', 'ab')),
  post('a multipart form without boundary', 'multipart/form-data', field('title', '', 'ab')),
  post(
    'a multipart form with a file',
    'multipart/form-data; boundary=XX',
    field('scan', '; filename="a"', bytes),
  ),
  post('a value over its limit', json, `{"title":"${'x'.repeat(300_000)}"}`),
  post('a body just under 6 MB', json, `{"title":"${'x'.repeat(6_288_000)}"}`),
  post('a body over 6 MB', json, `{"title":"${'x'.repeat(6_291_456)}"}`),
  post('escapes that need over 6 MB', json, `{"a":"${'\\"'.repeat(1_600_000)}"}`),
  post('bytes over 6 MB in base64', 'image/png', Buffer.alloc(4_720_000, 255)),
  post('bytes under 6 MB in base64', 'image/png', Buffer.alloc(4_700_000, 255)),
];

afterAll(() => Promise.all(servers.map((server) => server.stop())));

describe('the local server and the handler behind the gateway send the same response to', () => {
  let local: Adapter;
  let gateway: Adapter;

  test.beforeAll(async ({ api, given: { adapters } }) => {
    [local, gateway] = await adapters(
      createDispatch(routes, api.platform, { renderer: responseTemplates }),
    );
  });

  test.each([...methods, ...forms, ...addresses, ...bodies])('$name', async (row) => {
    const received = await local(row);

    expect(masked(await gateway(row))).toEqual(masked(received));
    expect(received.headers['x-request-id']).toBeDefined();
  });
});

describe('whatever is dispatched, the response is the same:', () => {
  const responses: Readonly<Record<string, () => Promise<Response>>> = {
    bytes: async () => ({ status: 200, content: { type: 'image/png', bytes } }),
    'headers of a script': async () => ({
      status: 299,
      headers: { 'X-A': 'b', Connection: 'close', Vary: 'X-A', 'Content-Length': '9' },
      content: { type: 'text/css', bytes: 'x'.repeat(3000) },
    }),
    'the cookies of a script': async () => ({
      status: 200,
      cookies: ['a=1; Path=/x/', 'b=2, c'],
      content: { type: 'image/png', bytes },
    }),
    'cookies without a body': async () => ({ status: 204, cookies: ['a=1', 'b=2'], body: {} }),
    'what is encoded already': async () => ({
      status: 200,
      headers: { 'content-encoding': 'br', 'Content-Type': 'text/css' },
      content: { type: 'text/plain', bytes: Buffer.alloc(3000, 1) },
    }),
    'no body': async () => ({ status: 202 }),
    '204 with a body': async () => ({ status: 204, body: {} }),
    '304 with a body': async () => ({ status: 304, body: {} }),
    null: async () => ({ status: 200, body: null }),
    'a long text': async () => ({ status: 200, body: 'ü'.repeat(100_000) }),
    'a response over 6 MB': async () => ({ status: 200, body: '"'.repeat(3_200_000) }),
    'bytes over 6 MB in base64': async () => ({
      status: 200,
      content: { type: 'image/png', bytes: Buffer.alloc(4_720_000) },
    }),
    'a value that JSON cannot carry': async () => ({ status: 200, body: 1n }),
    'an error': () => Promise.reject(new Error('outer', { cause: new TypeError('inner') })),
  };
  const rows = Object.keys(responses).flatMap((name): Row[] => {
    const target = `/${encodeURIComponent(name)}`;
    return [
      get(name, target),
      get(`${name}, compressed, to a page`, target, gzip, origin),
      { name: `${name}, HEAD`, method: 'HEAD', target, headers: [gzip] },
    ];
  });
  const others: readonly Row[] = [
    { name: 'a preflight', method: 'OPTIONS', target: '/null', headers: [origin, requested] },
    post('a request over 6 MB', json, 'x'.repeat(6_291_456)),
  ];
  const dispatch: Dispatch = async ({ path }) => {
    const respond = responses[path.slice(1)];
    return respond === undefined ? { status: 404 } : respond();
  };

  test('in every row', async ({ given: { adapters } }) => {
    const [local, gateway] = await adapters(dispatch);

    for (const row of [...rows, ...others]) {
      expect(masked(await gateway(row)), row.name).toEqual(masked(await local(row)));
    }
  });

  test('with each cookie in a header of its own', async ({ given: { adapters } }) => {
    const [local] = await adapters(dispatch);

    const received = await local(get('cookies', '/the%20cookies%20of%20a%20script'));

    expect(received.cookies).toEqual(['a=1; Path=/x/', 'b=2, c']);
  });

  test('and a request is logged in the same lines', async ({ given: { adapters } }) => {
    const lines: [LogEntry[], LogEntry[]] = [[], []];
    const [local, gateway] = await adapters(dispatch, { logs: lines });

    for (const row of rows) await Promise.all([local(row), gateway(row)]);

    const shown = (entries: readonly LogEntry[]) =>
      entries.map(({ requestId: _, durationMs: __, error, ...rest }) => [
        rest,
        error !== undefined,
      ]);
    expect(shown(lines[0])).toHaveLength(rows.length + 6);
    expect(shown(lines[1])).toEqual(shown(lines[0]));
  });

  const { log, clock } = { log: () => undefined, clock: { micros: () => 0, steadyMs: () => 0 } };
  const lacking = edgeSteps({ log, clock }).flatMap(({ name }) => [
    { name, adapter: 'handler' as const },
    // Node itself sends no body with the response to HEAD
    ...(name === 'HEAD' ? [] : [{ name, adapter: 'server' as const }]),
  ]);

  test.for(lacking)(
    'unless the $adapter lacks the step $name',
    async ({ name, adapter }, { given: { adapters } }) => {
      const logs: [LogEntry[], LogEntry[]] = [[], []];
      const [local, gateway] = await adapters(dispatch, { logs, without: { name, adapter } });

      const differs = async (row: Row) => {
        const [one, other] = await Promise.allSettled([local(row), gateway(row)]);
        const isSame = JSON.stringify(shownOf(one)) === JSON.stringify(shownOf(other));
        return !isSame || logs[0].length !== logs[1].length;
      };
      const found: string[] = [];
      for (const row of [...rows, ...others]) {
        if (found.length === 0 && (await differs(row))) found.push(row.name);
      }

      expect(found).toHaveLength(1);
    },
  );
});

async function setUp(world: World) {
  const { api } = world;
  /** Opens both ways to `dispatch`. */
  async function adapters(
    dispatch: Dispatch,
    { logs: [own, behind] = [[], []], without }: AdapterOptions = {},
  ): Promise<readonly [Adapter, Adapter]> {
    const ports = { ...api.platform, dispatch };
    const logOf = (lines: LogEntry[]) => (entry: LogEntry) => lines.push(entry);
    const stepsOf = (adapter: 'server' | 'handler', lines: LogEntry[]) =>
      edgeSteps({ ...ports, log: logOf(lines) }).filter(
        ({ name }) => without?.adapter !== adapter || name !== without.name,
      );
    const server = await startServer({
      ...ports,
      log: logOf(own),
      serve: createServe({ ...ports, log: logOf(own) }, stepsOf('server', own)),
      headCheck: createHeadCheck(routes, api.platform),
      host: '127.0.0.1',
      port: 0,
    });
    servers.push(server);
    const handler = toHandler({ ...ports, log: logOf(behind) }, stepsOf('handler', behind));
    const context = { getRemainingTimeInMillis: () => 29_000 } as Context; // the one member that is read
    return [
      (row) => send(server.url, wireForm(row)),
      async (row) => {
        const result = await handler(wireEvent(wireForm(row)), context);
        const { statusCode: status, headers, cookies = [] } = result;
        return { status, headers, cookies, body: bytesOf(result) };
      },
    ];
  }
  function wireForm({ method, target, headers = [], body, isAnonymous = false }: Row) {
    const sent = body === undefined ? undefined : Buffer.from(body);
    const type: readonly Header[] =
      sent !== undefined && !headers.some(([name]) => name === 'Content-Type') && method !== 'POST'
        ? [['Content-Type', json]]
        : [];
    return {
      method,
      target: target.startsWith('/') ? target : world.base + target,
      headers: [
        ['Host', 'example.com'] as const,
        ...(isAnonymous ? [] : [['X-API-KEY', key] as const]),
        ...type,
        ...headers,
        ...(sent === undefined ? [] : [['Content-Length', `${sent.byteLength}`] as const]),
      ],
      body: sent ?? Buffer.alloc(0),
    };
  }
  /** Sends a request as it is and returns the response, without the headers of the connection and a correct length. */
  async function send(
    url: string,
    { method, target, headers, body }: ReturnType<typeof wireForm>,
  ): Promise<Received> {
    const lines = [...headers, ['Connection', 'close']].map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const parts: Buffer[] = [];
    socket.on('error', () => undefined); // the close follows
    socket.on('data', (part) => parts.push(part));
    socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.write(body);
    await new Promise((resolve) => socket.once('close', resolve));
    const all = Buffer.concat(parts);
    const end = all.indexOf('\r\n\r\n');
    if (end < 0) throw new Error('no response');
    const [first = '', ...rest] = all.subarray(0, end).toString().split('\r\n');
    const own = rest.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const content = all.subarray(end + 4);
    const cookies = own.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
    const { 'content-length': length, ...others } = Object.fromEntries(
      own
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .filter(([name]) => !/^(date|connection|keep-alive|set-cookie)$/.test(name)),
    );
    // the gateway adds the length of a body itself; that of a response to HEAD comes from the function
    if (content.byteLength > 0) expect(length).toBe(`${content.byteLength}`);
    const ownLength = content.byteLength === 0 &&
      length !== undefined && { 'content-length': length };
    return {
      status: Number(first.split(' ')[1]),
      headers: { ...others, ...ownLength },
      cookies,
      body: content,
    };
  }

  const key = await world.apiKey({ ignore_acl: true });

  const book = await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true },
    { name: 'any', type: 'object' },
    { name: 'scan', type: 'file' },
  ]);

  for (let n = 0; n < 12; n += 1) {
    await api.send({ as: key, path: `${book}objects/`, body: { title: `ü "${n}"` } });
  }
  return { adapters };
}

/** A way of a request to the steps of the edge. */
type Adapter = (row: Row) => Promise<Received>;

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** One request, as it is on the wire. */
interface Row {
  readonly name: string;
  readonly method: string;
  /** Below the instance, unless it begins with a slash. */
  readonly target: string;
  readonly headers?: readonly Header[];
  readonly body?: string | Buffer;
  /** Whether it has no key. */
  readonly isAnonymous?: boolean;
}

type Header = readonly [name: string, value: string];

function shownOf(result: PromiseSettledResult<Received>): unknown {
  return result.status === 'fulfilled' ? masked(result.value) : 'failed';
}

interface AdapterOptions {
  /** Receive the log of the local server and of the handler. */
  readonly logs?: readonly [LogEntry[], LogEntry[]];
  /** The step that one of the two lacks. */
  readonly without?: { readonly name: string; readonly adapter: 'server' | 'handler' };
}

/** A response without what differs between two requests: ids, times and keys. */
function masked({ status, headers, cookies, body }: Received) {
  const { 'x-request-id': id, ...others } = headers;
  const isText = others['content-encoding'] === undefined && body.byteLength < 100_000;
  const text = isText ? body.toString('latin1') : body.toString('base64');
  return {
    status,
    id: id === undefined ? 'absent' : 'present',
    headers: Object.entries(others).sort(),
    cookies,
    body: text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
      .replace(/\/files\/[^"]+/g, '/files/(key)')
      .replace(/("(?:id|revision)":|\/objects\/)\d+/g, '$1(number)'),
  };
}
