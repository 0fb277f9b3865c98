import { connect } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Handler, toHandler } from '../../shared/core/http/edge.ts';
import {
  type LocalServer,
  type ServerOptions,
  startServer,
} from '../../shared/platform/local/server/server.ts';
import type { LogEntry } from '../../shared/platform/ports.ts';

const nowMs = Date.UTC(2026, 2, 9, 8, 5, 42, 310);
const ports = {
  ids: { random: () => 'r1' },
  clock: { micros: () => nowMs * 1000, steadyMs: () => nowMs },
};
const started: LocalServer[] = [];
const lines: LogEntry[] = [];

type Options = Pick<ServerOptions, 'graceMs' | 'proxies'>;

async function start(handler: Handler, options: Options = {}): Promise<LocalServer> {
  lines.length = 0;
  const log = (entry: LogEntry) => lines.push(entry);
  const place = { host: '127.0.0.1', port: 0 };
  const server = await startServer({ ...ports, handler, log, ...place, ...options });
  started.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

/** Sends bytes as they are and returns the received ones until the server closes. */
function raw(url: string, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    socket.once('close', () => resolve(text));
    socket.once('error', reject);
    for (const part of parts) socket.write(part);
  });
}

const lastCall = (head: string) => `${head}\r\nConnection: close\r\n\r\n`;
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
const statusOf = (answer: string) => Number(answer.slice(9, 12));

test('a body that has not arrived within a minute is rejected', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const handler: Handler = () => Promise.reject(new Error('called'));
    const { url } = await start(handler);

    const answer = raw(url, 'POST /v1.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf');
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(60_000);

    expect([statusOf(await answer), bodyOf(await answer)]).toEqual([
      408,
      { detail: 'Request took too long to arrive.' },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

describe('events', () => {
  async function eventOf(...parts: readonly (string | Buffer)[]) {
    let seen: APIGatewayProxyEventV2 | undefined;
    const { url } = await start(async (event) => {
      seen = event;
      return { statusCode: 204, headers: {} };
    });
    await raw(url, ...parts);
    return { event: seen, port: new URL(url).port };
  }

  test("have all members of the gateway's events", async () => {
    const { event, port } = await eventOf(
      lastCall(
        'PUT /v1.1/a%2Fb%3Fc//%C3%BC+/?a=1&b=%C3%BC&a=x+y HTTP/1.1\r\nHost: example:80\r\nX-Api-Key: k\r\n' +
          'Accept: a/b\r\naccept: c/d\r\nCookie: s=1; t=2\r\nCookie: u=3\r\nUser-Agent: probe\r\n' +
          'X-Forwarded-For: 10.0.0.9\r\nconstructor: x\r\n__proto__: y',
      ),
    );

    expect(event).toEqual({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/v1.1/a%2Fb?c//ü+/',
      rawQueryString: 'a=1&b=%C3%BC&a=x+y',
      cookies: ['s=1', 't=2', 'u=3'],
      headers: {
        host: 'example:80',
        'x-api-key': 'k',
        accept: 'a/b,c/d',
        'user-agent': 'probe',
        constructor: 'x',
        connection: 'close',
        'x-forwarded-for': '10.0.0.9, 127.0.0.1',
        'x-forwarded-port': port,
        'x-forwarded-proto': 'http',
      },
      queryStringParameters: { a: '1,x y', b: 'ü' },
      requestContext: {
        accountId: 'anonymous',
        apiId: 'local',
        domainName: 'example:80',
        domainPrefix: 'local',
        http: {
          method: 'PUT',
          path: '/v1.1/a%2Fb?c//ü+/',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'probe',
        },
        requestId: 'r1',
        routeKey: '$default',
        stage: '$default',
        time: '09/Mar/2026:08:05:42 +0000',
        timeEpoch: nowMs,
      },
      isBase64Encoded: false,
    });
  });

  test.each([
    ['a plain path', '/v1.1/', '/v1.1/', ''],
    ['a whole address', 'http://other:1/v1.1/?a', '/v1.1/', 'a'],
    ['an address without path', 'http://other', '/', ''],
    ['double slashes', '//v1.1//x/', '//v1.1//x/', ''],
    ['dots are not resolved', '/a/../b/%2e%2e/', '/a/../b/../', ''],
    ['an escaped percent is decoded once', '/%252F/', '/%2F/', ''],
    ['an escaped slash stays escaped', '/a%2fb%20c%2F/', '/a%2fb c%2F/', ''],
    ['a star', '*', '*', ''],
    ['a second question mark belongs to the query', '/?a?b', '/', 'a?b'],
  ])('%s', async (_name, target, rawPath, rawQueryString) => {
    const { event } = await eventOf(lastCall(`OPTIONS ${target} HTTP/1.1\r\nHost: x`));

    expect(event).toMatchObject({ rawPath, rawQueryString });
  });

  test.each([
    ['nobody is believed without proxies', 0, '198.51.100.7', '127.0.0.1'],
    ['a proxy says where a call began', 1, '198.51.100.7', '198.51.100.7'],
    ['what a client says itself is not believed', 1, '10.9.9.9, 198.51.100.7', '198.51.100.7'],
    ['the outermost of two proxies', 2, '10.9.9.9, 2001:db8::7, 10.0.0.1', '2001:db8::7'],
    ['fewer proxies than there should be', 2, '198.51.100.7', '127.0.0.1'],
    ['no address', 1, 'x'.repeat(5000), '127.0.0.1'],
    ['nothing', 1, '', '127.0.0.1'],
  ])('source address of a request: %s', async (_name, proxies, forwarded, sourceIp) => {
    let seen: string | undefined;
    const handler: Handler = async (event) => {
      seen = event.requestContext.http.sourceIp;
      return { statusCode: 204, headers: {} };
    };
    const proof = { 'X-Groundwork-Proxy-Secret': 'secret' };
    const { url } = await start(handler, {
      ...(proxies > 0 && { proxies: { count: proxies, socket: undefined, secret: 'secret' } }),
    });

    await fetch(url, { headers: { 'X-Forwarded-For': forwarded, ...proof } });

    expect(seen).toBe(sourceIp);
  });

  test.each([
    ['JSON', 'application/json; charset=utf-8', '{"a":"ü"}', false],
    ['text', 'text/plain', 'ü', false],
    ['JSON that is no UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0x22]), true],
    ['a form', 'application/x-www-form-urlencoded', 'a=1', true],
    ['a picture', 'image/png', Buffer.from([0, 255]), true],
  ])('a body: %s', async (_name, type, content, isBase64Encoded) => {
    const body = Buffer.from(content);
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;

    const { event } = await eventOf(lastCall(head), body);

    const expected = isBase64Encoded ? body.toString('base64') : body.toString();
    expect(event).toMatchObject({ body: expected, isBase64Encoded });
  });

  test('a chunked body', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked';

    const { event } = await eventOf(lastCall(head), '2\r\nab\r\n', '1\r\nc\r\n0\r\n\r\n');

    expect(event).toMatchObject({ body: 'abc', isBase64Encoded: false });
  });

  test('an empty body is absent', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0';

    const { event } = await eventOf(lastCall(head));

    expect(event).not.toHaveProperty('body');
  });
});

describe('responses', () => {
  const get = lastCall('GET / HTTP/1.1\r\nHost: x');

  test('text, with its length in bytes', async () => {
    const { url } = await start(async () => ({
      statusCode: 201,
      headers: { 'x-a': 'b' },
      body: 'ü',
    }));

    const answer = await raw(url, get);

    expect(answer).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(answer).toContain('\r\nx-a: b\r\ncontent-length: 2\r\n');
    expect(answer).toMatch(/\r\n\r\nü$/);
  });

  test('base64 is decoded', async () => {
    const { url } = await start(async () => ({
      statusCode: 200,
      headers: {},
      body: 'YWI=',
      isBase64Encoded: true,
    }));

    expect(await raw(url, get)).toMatch(/content-length: 2\r\n[\s\S]*\r\n\r\nab$/);
  });

  test('HEAD has the length without the body', async () => {
    const handler = toHandler({
      ...ports,
      log: () => undefined,
      dispatch: async () => ({ status: 200, body: 'abc' }),
    });
    const { url } = await start(handler);

    const answer = await raw(url, lastCall('HEAD / HTTP/1.1\r\nHost: x'));

    expect(answer).toMatch(/content-length: 5\r\n[\s\S]*\r\n\r\n$/);
  });

  test('204 has neither body nor length', async () => {
    const { url } = await start(async () => ({ statusCode: 204, headers: {} }));

    expect(await raw(url, get)).not.toMatch(/content-|transfer-/i);
  });

  test('a header that HTTP cannot carry closes the connection, is logged, and affects no other client', async () => {
    let value = 'a\nb';
    const { url } = await start(async () => ({ statusCode: 200, headers: { 'x-a': value } }));

    const broken = await raw(url, get);
    value = 'ok';
    const next = await raw(url, get);

    expect(broken).toBe('');
    expect(lines).toMatchObject([{ level: 'error' }]);
    expect(statusOf(next)).toBe(200);
  });

  test('a connection serves several requests', async () => {
    const { url } = await start(async ({ rawPath }) => ({
      statusCode: 200,
      headers: {},
      body: rawPath,
    }));

    const answer = await raw(url, 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\n', get.replace('/', '/2'));

    expect(answer.match(/\/\d$|\/\d(?=HTTP)/g)).toEqual(['/1', '/2']);
  });
});

describe('limits and broken requests', () => {
  const ok: Handler = async () => ({ statusCode: 200, headers: {} });
  const malformed = { detail: 'Malformed request.' };
  const headersTooLarge = { detail: 'Request headers are too large.' };
  const line = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ';
  const counted = line.replace(/\r\n|: /g, '').length + '\r'.length; // the gateway counts names, values, first line

  test.each<[string, string, number, object]>([
    ['no HTTP', 'hello\r\n\r\n', 400, malformed],
    ['a TLS greeting', '\u0016\u0003\u0001\u0000', 400, malformed],
    ['a header without colon', 'GET / HTTP/1.1\r\nHost\r\n\r\n', 400, malformed],
    [
      'two lengths',
      lastCall('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2'),
      400,
      malformed,
    ],
    ['a path with a bad escape', lastCall('GET /%zz/ HTTP/1.1\r\nHost: x'), 400, malformed],
    ['no host', lastCall('GET / HTTP/1.1'), 400, malformed],
    ['a path that is no UTF-8', lastCall('GET /%ff/ HTTP/1.1\r\nHost: x'), 400, malformed],
    [
      'an unknown verb',
      'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n',
      405,
      { detail: 'Method "FETCH" not allowed.' },
    ],
    [
      'headers over the limit',
      `${line}${'x'.repeat(10_241 - counted)}\r\n\r\n`,
      431,
      headersTooLarge,
    ],
    ['headers far over it', `${line}${'x'.repeat(20_000)}\r\n\r\n`, 431, headersTooLarge],
    [
      'a query over it',
      lastCall(`GET /?${'x'.repeat(10_300)} HTTP/1.1\r\nHost: x`),
      431,
      headersTooLarge,
    ],
  ])('%s', async (_name, sent, status, body) => {
    const { url } = await start(ok);

    const answer = await raw(url, sent);

    expect(answer).toMatch(/content-type: application\/json; charset=utf-8\r\n/);
    expect(answer).toContain('x-request-id: r1\r\n');
    expect(lines).toMatchObject([{ requestId: 'r1' }]);
    expect({ status: statusOf(answer), body: bodyOf(answer) }).toEqual({ status, body });
  });

  test('headers of exactly the limit are accepted', async () => {
    const { url } = await start(ok);

    const answer = await raw(url, `${line}${'x'.repeat(10_200 - counted)}\r\n\r\n`);

    expect(statusOf(answer)).toBe(200);
  });

  test('a rejected request gets a response like any other, and is logged', async () => {
    const { url } = await start(ok);

    const answer = await raw(url, lastCall('GET /%zz/?api_key=k HTTP/1.1\r\nHost: x\r\nOrigin: o'));

    expect(answer).toContain('access-control-allow-origin: *\r\n');
    expect(answer).toContain('x-request-id: r1\r\n');
    expect(lines).toMatchObject([{ message: 'request', status: 400, path: '/%zz/' }]);
  });

  test.each([
    ['over 10 MB at the gateway', 10_485_761, 10_485_760],
    ['over 6 MB behind it', 6_291_457, 6_291_456],
  ])('a body %s', async (_name, bytes, limit) => {
    const dispatch = async () => ({ status: 200 });
    const { url } = await start(toHandler({ ...ports, log: () => undefined, dispatch }));
    const headers = { 'content-type': 'text/plain', origin: 'https://app.example' };

    const answer = await fetch(url, { method: 'POST', headers, body: 'x'.repeat(bytes) });

    expect(answer.status).toBe(413);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toEqual({ detail: `Request size limit exceeded (${limit}).` });
  });

  const expecting = (bytes: number) =>
    lastCall(`POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${bytes}`);

  test('a waiting client gets 100 Continue', async () => {
    const { url } = await start(ok);

    const answer = await raw(url, expecting(2), '{}');

    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
  });

  test('an unknown expectation is not rejected', async () => {
    const { url } = await start(ok);

    const answer = await raw(url, lastCall('GET / HTTP/1.1\r\nHost: x\r\nExpect: rain'));

    expect(statusOf(answer)).toBe(200);
  });

  test('a waiting client with too large a body is rejected at once', async () => {
    const { url } = await start(ok);

    const answer = await raw(url, expecting(10_485_761));

    expect(statusOf(answer)).toBe(413);
  });

  test('a client that disconnects within its body affects no other client', async () => {
    const { url } = await start(ok);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc');
    await new Promise((resolve) => socket.write('d', resolve));
    socket.destroy();

    const answer = await raw(url, lastCall('GET / HTTP/1.1\r\nHost: x'));

    expect(statusOf(answer)).toBe(200);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('stop', () => {
  test('finishes active requests, closes idle connections, and accepts no more', async () => {
    let finish = () => {};
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await start(async ({ rawPath }) => {
      if (rawPath === '/slow') {
        arrived();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      }
      return { statusCode: 200, headers: {}, body: 'done' };
    });
    const idle = raw(server.url, 'GET /quick HTTP/1.1\r\nHost: x\r\n\r\n');
    const slow = raw(server.url, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrival;

    const stopped = server.stop();
    const refused = await raw(server.url, 'x').catch((error) => error.code);
    finish();
    await stopped;

    expect(await slow).toMatch(/connection: close\r\n[\s\S]*done$/i);
    expect(await idle).toMatch(/done$/);
    expect(refused).toBe('ECONNREFUSED');
  });

  test('does not wait for ever', async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await start(
      () => {
        arrived();
        return new Promise(() => {});
      },
      { graceMs: 50 },
    );
    const call = raw(server.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrival;

    await server.stop();

    expect(await call).toBe('');
  });

  test('a taken port is reported in a message', async () => {
    const { url } = await start(async () => ({ statusCode: 200, headers: {} }));
    const port = Number(new URL(url).port);

    const second = startServer({
      ...ports,
      log: () => undefined,
      handler: async () => ({ statusCode: 200, headers: {} }),
      host: '127.0.0.1',
      port,
    });

    await expect(second).rejects.toThrow(`port ${port} of 127.0.0.1 is taken by another program`);
  });
});
