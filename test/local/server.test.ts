import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch, Request } from '../../shared/core/http/message.ts';
import {
  type LocalServer,
  type ServerOptions,
  startServer,
} from '../../shared/platforms/local/server/server.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';

const nowMs = Date.UTC(2026, 2, 9, 8, 5, 42, 310);
const ports = {
  ids: { random: () => 'r1' },
  clock: { micros: () => nowMs * 1000, steadyMs: () => nowMs },
};
const started: LocalServer[] = [];
const lines: LogEntry[] = [];

type Options = Pick<ServerOptions, 'headCheck' | 'graceMs' | 'proxies'>;

async function start(serve: Dispatch, options: Options = {}): Promise<LocalServer> {
  lines.length = 0;
  const log = (entry: LogEntry) => lines.push(entry);
  const place = { host: '127.0.0.1', port: 0 };
  const server = await startServer({ ...ports, serve, log, ...place, ...options });
  started.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

/** Sends bytes unchanged and returns the received bytes until the server closes the connection. */
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

const text = (bytes: string) => ({ type: 'text/plain', bytes });
const lastCall = (head: string) => `${head}\r\nConnection: close\r\n\r\n`;
const bodyOf = (response: string) => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
const statusOf = (response: string) => Number(response.slice(9, 12));

test('a body that has not arrived within a minute is rejected', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const serve: Dispatch = () => Promise.reject(new Error('called'));
    const { url } = await start(serve);

    const response = raw(url, 'POST /v1.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf');
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(60_000);

    expect([statusOf(await response), bodyOf(await response)]).toEqual([
      408,
      { detail: 'Request took too long to arrive.' },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('a body whose key cannot be checked is a 500 with one line in the log', async () => {
  const fails = () => Promise.reject(new Error('the store is not there'));
  const { url } = await start(async () => ({ status: 204 }), {
    headCheck: { admit: fails, admitByStart: fails },
  });

  const response = await raw(url, lastCall('POST /v1.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9'));

  expect([statusOf(response), bodyOf(response)]).toEqual([
    500,
    { detail: 'Internal server error.' },
  ]);
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'request failed', requestId: 'r1' },
  ]);
});

describe('requests', () => {
  async function received(...parts: readonly (string | Buffer)[]) {
    let seen: Request | undefined;
    const { url } = await start(async (request) => {
      seen = request;
      return { status: 204 };
    });
    await raw(url, ...parts);
    return { request: seen, port: new URL(url).port };
  }

  test('are read as the gateway reads them', async () => {
    const { request, port } = await received(
      lastCall(
        'PUT /v1.1/a%2Fb%3Fc//%C3%BC+/?a=1&b=%C3%BC&a=x+y HTTP/1.1\r\nHost: example:80\r\nX-Api-Key: k\r\n' +
          'Accept: a/b\r\naccept: c/d\r\nCookie: s=1;t=2\r\nCookie: u=3\r\nUser-Agent: probe\r\n' +
          'X-Forwarded-For: 10.0.0.9\r\nconstructor: x\r\n__proto__: y',
      ),
    );

    expect(request).toEqual({
      id: 'r1',
      served: {},
      ending: expect.any(Function),
      method: 'PUT',
      path: '/v1.1/a%2Fb?c//ü+/',
      query: new URLSearchParams([
        ['a', '1'],
        ['b', 'ü'],
        ['a', 'x y'],
      ]),
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
        cookie: 's=1; t=2; u=3',
      },
      body: { kind: 'bytes', bytes: new Uint8Array() },
      sourceAddress: '127.0.0.1',
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
  ])('%s', async (_name, target, path, query) => {
    const { request } = await received(lastCall(`OPTIONS ${target} HTTP/1.1\r\nHost: x`));

    expect(request).toMatchObject({ path, query: new URLSearchParams(query) });
  });

  test.each([
    ['without proxies the header is ignored', 0, '198.51.100.7', '127.0.0.1'],
    ['a proxy adds the address of the client', 1, '198.51.100.7', '198.51.100.7'],
    ['an address that the client adds is ignored', 1, '10.9.9.9, 198.51.100.7', '198.51.100.7'],
    ['the outermost of two proxies', 2, '10.9.9.9, 2001:db8::7, 10.0.0.1', '2001:db8::7'],
    ['fewer proxies than configured', 2, '198.51.100.7', '127.0.0.1'],
    ['no address', 1, 'x'.repeat(5000), '127.0.0.1'],
    ['nothing', 1, '', '127.0.0.1'],
  ])('source address of a request: %s', async (_name, proxies, forwarded, sourceIp) => {
    let seen: string | undefined;
    const serve: Dispatch = async ({ sourceAddress }) => {
      seen = sourceAddress;
      return { status: 204 };
    };
    const proof = { 'X-Groundwork-Proxy-Secret': 'secret' };
    const { url } = await start(serve, {
      ...(proxies > 0 && { proxies: { count: proxies, socket: undefined, secret: 'secret' } }),
    });

    await fetch(url, { headers: { 'X-Forwarded-For': forwarded, ...proof } });

    expect(seen).toBe(sourceIp);
  });

  test.each([
    ['JSON', 'application/json; charset=utf-8', '{"a":"ü"}'],
    ['text', 'text/plain', 'ü'],
    ['JSON that is no UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0x22])],
    ['a form', 'application/x-www-form-urlencoded', 'a=1'],
    ['a picture', 'image/png', Buffer.from([0, 255])],
  ])('a body: %s', async (_name, type, content) => {
    const body = Buffer.from(content);
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;

    const { request } = await received(lastCall(head), body);

    expect(request?.body).toEqual({ kind: 'bytes', bytes: body });
  });

  test('a chunked body', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked';

    const { request } = await received(lastCall(head), '2\r\nab\r\n', '1\r\nc\r\n0\r\n\r\n');

    expect(request?.body).toEqual({ kind: 'bytes', bytes: Buffer.from('abc') });
  });

  test('an empty body has no bytes', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0';

    const { request } = await received(lastCall(head));

    expect(request?.body).toEqual({ kind: 'bytes', bytes: new Uint8Array() });
  });
});

describe('responses', () => {
  const get = lastCall('GET / HTTP/1.1\r\nHost: x');

  test('text, with its length in bytes', async () => {
    const { url } = await start(async () => ({
      status: 201,
      headers: { 'x-a': 'b' },
      content: text('ü'),
    }));

    const response = await raw(url, get);

    expect(response).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(response).toContain('\r\nx-a: b\r\ncontent-length: 2\r\n');
    expect(response).toMatch(/\r\n\r\nü$/);
  });

  test('bytes', async () => {
    const content = { type: 'image/png', bytes: Buffer.from('ab') };
    const { url } = await start(async () => ({ status: 200, content }));

    expect(await raw(url, get)).toMatch(/content-length: 2\r\n[\s\S]*\r\n\r\nab$/);
  });

  test('HEAD has the length without the body', async () => {
    const serve = createServe({
      ...ports,
      log: () => undefined,
      dispatch: async () => ({ status: 200, body: 'abc' }),
    });
    const { url } = await start(serve);

    const response = await raw(url, lastCall('HEAD / HTTP/1.1\r\nHost: x'));

    expect(response).toMatch(/content-length: 5\r\n[\s\S]*\r\n\r\n$/);
  });

  test('204 has neither body nor length', async () => {
    const { url } = await start(async () => ({ status: 204 }));

    expect(await raw(url, get)).not.toMatch(/content-|transfer-/i);
  });

  test('a header that is invalid in HTTP closes the connection, is logged, and affects no other client', async () => {
    let value = 'a\nb';
    const { url } = await start(async () => ({ status: 200, headers: { 'x-a': value } }));

    const broken = await raw(url, get);
    value = 'ok';
    const next = await raw(url, get);

    expect(broken).toBe('');
    expect(lines).toMatchObject([{ level: 'error' }]);
    expect(statusOf(next)).toBe(200);
  });

  test('a connection serves several requests', async () => {
    const { url } = await start(async ({ path }) => ({ status: 200, content: text(path) }));

    const response = await raw(url, 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\n', get.replace('/', '/2'));

    expect(response.match(/\/\d$|\/\d(?=HTTP)/g)).toEqual(['/1', '/2']);
  });
});

describe('limits and broken requests', () => {
  const ok: Dispatch = async () => ({ status: 200 });
  const malformed = { detail: 'Malformed request.' };
  const headersTooLarge = { detail: 'Request headers are too large.' };
  const line = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ';
  const counted = line.replace(/\r\n|: /g, '').length + '\r'.length; // the gateway counts names, values, the first line

  test.each<[string, string, number, object]>([
    ['not HTTP', 'hello\r\n\r\n', 400, malformed],
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
    ['a path that is not UTF-8', lastCall('GET /%ff/ HTTP/1.1\r\nHost: x'), 400, malformed],
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

    const response = await raw(url, sent);

    expect(response).toMatch(/content-type: application\/json; charset=utf-8\r\n/);
    expect(response).toContain('x-request-id: r1\r\n');
    expect(lines).toMatchObject([{ requestId: 'r1' }]);
    expect({ status: statusOf(response), body: bodyOf(response) }).toEqual({ status, body });
  });

  test('headers of exactly the limit are accepted', async () => {
    const { url } = await start(ok);

    const response = await raw(url, `${line}${'x'.repeat(10_200 - counted)}\r\n\r\n`);

    expect(statusOf(response)).toBe(200);
  });

  test('a rejected request gets a response like any other, and is logged', async () => {
    const { url } = await start(ok);

    const response = await raw(
      url,
      lastCall('GET /%zz/?api_key=k HTTP/1.1\r\nHost: x\r\nOrigin: o'),
    );

    expect(response).toContain('access-control-allow-origin: *\r\n');
    expect(response).toContain('x-request-id: r1\r\n');
    expect(lines).toMatchObject([{ message: 'request', status: 400, path: '/%zz/' }]);
  });

  test.each([
    ['over 10 MB at the gateway', 10_485_761, 10_485_760],
    ['over 6 MB behind it', 6_291_457, 6_291_456],
  ])('a body %s', async (_name, bytes, limit) => {
    const dispatch = async () => ({ status: 200 });
    const { url } = await start(createServe({ ...ports, log: () => undefined, dispatch }));
    const headers = { 'content-type': 'text/plain', origin: 'https://app.example' };

    const response = await fetch(url, { method: 'POST', headers, body: 'x'.repeat(bytes) });

    expect(response.status).toBe(413);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({ detail: `Request size limit exceeded (${limit}).` });
  });

  const expecting = (bytes: number) =>
    lastCall(`POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${bytes}`);

  test('a waiting client gets 100 Continue', async () => {
    const { url } = await start(ok);

    const response = await raw(url, expecting(2), '{}');

    expect(response).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
  });

  test('an unknown expectation is not rejected', async () => {
    const { url } = await start(ok);

    const response = await raw(url, lastCall('GET / HTTP/1.1\r\nHost: x\r\nExpect: rain'));

    expect(statusOf(response)).toBe(200);
  });

  test('a waiting client with too large a body is rejected at once', async () => {
    const { url } = await start(ok);

    const response = await raw(url, expecting(10_485_761));

    expect(statusOf(response)).toBe(413);
  });

  test('a client that disconnects within its body affects no other client', async () => {
    const { url } = await start(ok);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc');
    await new Promise((resolve) => socket.write('d', resolve));
    socket.destroy();

    const response = await raw(url, lastCall('GET / HTTP/1.1\r\nHost: x'));

    expect(statusOf(response)).toBe(200);
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
    const server = await start(async ({ path }) => {
      if (path === '/slow') {
        arrived();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      }
      return { status: 200, content: text('done') };
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

  test('does not wait forever', async () => {
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
    const { url } = await start(async () => ({ status: 200 }));
    const port = Number(new URL(url).port);

    const second = startServer({
      ...ports,
      log: () => undefined,
      serve: async () => ({ status: 200 }),
      host: '127.0.0.1',
      port,
    });

    await expect(second).rejects.toThrow(`port ${port} of 127.0.0.1 is taken by another program`);
  });
});
