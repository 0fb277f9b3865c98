import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server,
  type Socket,
} from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type EgressOptions,
  openBoundedEgress,
} from '../../../shared/ports/egress/bounded-egress.ts';
import type { EgressRequest } from '../../../shared/ports/egress/egress.ts';
import { exchange } from '../../../shared/ports/egress/exchange.ts';
import { openEgress } from '../../../shared/ports/egress/open-egress.ts';
import type { LogEntry } from '../../../shared/ports/ports.ts';
import { tlsCertificate } from '../../support/tls-certificate.ts';

/* What a server, and a tenant with many requests, may take: with real sockets, on hosts that are allowed. */

const share = { owner: 'account 1', instance: '2' };
const unreachable = { name: 'EgressError', message: 'The address cannot be reached.' };
const open = new Set<{ close(): void }>();

afterEach(() => {
  for (const each of open) each.close();
  open.clear();
});

/** Starts a server; returns its port. */
async function listen(
  server: Pick<Server, 'listen' | 'close' | 'address' | 'on'>,
): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port; // it listens to a port
}

const serve = (listener: RequestListener) => listen(createServer(listener));
const serveRaw = (listener: (socket: Socket) => void) => listen(createRawServer(listener));

function requestTo(port: number, options: Partial<EgressOptions> = {}) {
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const egress = openEgress({
    allowed: [`127.0.0.1:${port}`, `localhost:${port}`],
    log,
    ...options,
  });
  const request = (path: string, more: Partial<EgressRequest> = {}) =>
    egress(path.startsWith('http') ? path : `http://127.0.0.1:${port}${path}`, { share, ...more });
  return { request, logged };
}

test('a request and its response are those of fetch', async () => {
  const seen: unknown[] = [];
  const port = await serve((request, response) => {
    const { method, url, headers } = request;
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      seen.push([method, url, headers, Buffer.concat(parts).toString()]);
      response.writeHead(
        201,
        [
          ['X-A', '1'],
          ['X-A', '2'],
          ['Content-Type', 'application/json'],
        ].flat(),
      );
      response.end('{"a":1}');
    });
  });
  const { request } = requestTo(port);

  const response = await request('/path?q=1', {
    method: 'post',
    headers: new Headers({ Authorization: 'Basic x' }),
    body: new URLSearchParams({ code: 'ü' }),
  });

  expect([response.status, response.headers.get('x-a'), await response.json()]).toEqual([
    201,
    '1, 2',
    { a: 1 },
  ]);
  const headers = {
    accept: '*/*',
    'accept-encoding': 'identity',
    authorization: 'Basic x',
    connection: 'close',
    'content-length': '11',
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    host: `127.0.0.1:${port}`,
    'user-agent': 'groundwork',
  };
  expect(seen).toEqual([['POST', '/path?q=1', headers, 'code=%C3%BC']]);
});

test('responses without a body have none', async () => {
  const port = await serve((_, response) => response.writeHead(204).end());

  const response = await requestTo(port).request('/');

  expect([response.status, response.body]).toEqual([204, null]);
});

describe('a response is an error', () => {
  const small = { maxBytes: 1000, timeoutMs: 300 };
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const dripping = (start: string, part: string) => (socket: Socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(part), 20);
    socket.on('close', () => clearInterval(timer));
  };

  test.each<[string, (socket: Socket) => void]>([
    [
      'that announces too much',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n'),
    ],
    ['that is too large', (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1001)}`)],
    ['without an end', dripping(chunked, `ff\r\n${'x'.repeat(255)}\r\n`)],
    ['that drips', dripping(chunked, '1\r\nx\r\n')],
    ['whose headers drip', dripping('HTTP/1.1 200 OK\r\n', 'A: b\r\n')],
    ['whose status line drips', dripping('HTTP/1.1 200 O', 'K')],
    ['of endless early hints', dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['that never comes', () => undefined],
    [
      'with large headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`),
    ],
    ['that is cut off', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['that is closed', (socket) => socket.destroy()],
    ['of another protocol', (socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
    [
      'that switches protocols',
      (socket) => socket.write('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    ],
    [
      'of an unknown status',
      (socket) => socket.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
    ],
    [
      'with two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'),
    ],
  ])('%s', async (_, response) => {
    const port = await serveRaw((socket) => socket.once('data', () => response(socket)));
    const { request, logged } = requestTo(port);

    await expect(request('/', small)).rejects.toMatchObject(unreachable);

    expect(logged).toHaveLength(1);
  });

  test('that is compressed: it could expand to any size', async () => {
    const port = await serve((_, response) => {
      response
        .writeHead(200, { 'Content-Encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(1_000_000)));
    });

    await expect(requestTo(port).request('/')).rejects.toMatchObject(unreachable);
  });

  test('when its redirects are slow together', async () => {
    const port = await serve((_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 200);
    });

    const asked = requestTo(port).request('/', { timeoutMs: 300, maxRedirects: 3 });

    await expect(asked).rejects.toMatchObject(unreachable);
  });
});

test('an error tells nothing about its reason, which the log has', async () => {
  const closed = await serve(() => undefined);
  for (const each of open) each.close();
  const { request, logged } = requestTo(closed);
  const urls = [
    `http://127.0.0.1:${closed}/?token=s3cret`,
    'http://10.0.0.1/',
    'https://x.invalid/',
  ];

  const errors = await Promise.all(
    urls.map((url) => request(url).catch((error: unknown) => error)),
  );

  const shown = errors.map((error) => ({
    ...Object(error),
    text: String(error),
    cause: Object(error).cause,
  }));
  const [first] = shown;
  expect(shown).toEqual([first, first, first]);
  expect(first).toMatchObject({ reason: 'unreachable', cause: undefined });
  expect(logged.map(({ reason }) => reason)).toContain(`connect ECONNREFUSED 127.0.0.1:${closed}`);
  expect(JSON.stringify(logged)).not.toContain('s3cret');
});

test('the end of the caller ends the request', async () => {
  const port = await serve(() => undefined);
  const controller = new AbortController();

  const asked = requestTo(port).request('/', { signal: controller.signal });
  controller.abort();

  await expect(asked).rejects.toMatchObject(unreachable);
});

describe('a connection', () => {
  const given = {
    method: 'GET',
    headers: {},
    body: undefined,
    maxBytes: 1000,
    signal: AbortSignal.timeout(60_000),
  };

  test('has an address that was checked, whatever the name has now', async () => {
    const port = await serve(({ headers }, response) => response.end(headers.host));

    // no server on this machine would resolve this name
    const response = await exchange(new URL(`http://rebinding.invalid:${port}/`), {
      ...given,
      addresses: ['127.0.0.1'],
    });

    expect(await response.text()).toBe(`rebinding.invalid:${port}`);
  });

  test('has the next address when one has no server', async () => {
    const port = await serve((_, response) => response.end('here'));

    const response = await exchange(new URL(`http://two.invalid:${port}/`), {
      ...given,
      addresses: ['127.0.0.2', '::1', '127.0.0.1'],
    });

    expect(await response.text()).toBe('here');
  });

  test('uses no proxy of the environment', async () => {
    const port = await serve((_, response) => response.end('direct'));
    process.env.NODE_USE_ENV_PROXY = '1';
    process.env.http_proxy = 'http://127.0.0.1:9';

    const response = await requestTo(port).request('/');

    expect(await response.text()).toBe('direct');
    delete process.env.NODE_USE_ENV_PROXY;
    delete process.env.http_proxy;
  });

  describe('by TLS', () => {
    const { key, cert } = tlsCertificate();
    const start = () =>
      listen(createTlsServer({ key, cert }, (_, response) => response.end('secure')));

    test('checks the certificate of the name', async () => {
      const port = await start();

      const { request } = requestTo(port, { ca: cert });
      const responses = [
        await request(`https://localhost:${port}/`),
        await request(`https://127.0.0.1:${port}/`),
      ];

      expect(await Promise.all(responses.map((each) => each.text()))).toEqual(['secure', 'secure']);
    });

    test('rejects one of another name', async () => {
      const port = await start();

      const asked = exchange(new URL(`https://rebinding.invalid:${port}/`), {
        ...given,
        addresses: ['127.0.0.1'],
        ca: cert,
      });

      await expect(asked).rejects.toThrow("does not match certificate's altnames");
    });

    test('rejects an unknown authority, also where the environment switches checks off', async () => {
      const port = await start();
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

      const asked = requestTo(port).request(`https://localhost:${port}/`);

      await expect(asked).rejects.toMatchObject(unreachable);
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    });
  });
});

describe('requests at once', () => {
  const of = (owner: number, instance: number) => ({
    owner: `account ${owner}`,
    instance: String(instance),
  });

  /** An egress whose requests end when a test says so. */
  function held() {
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const results: unknown[] = [];
    const resolve = async () => ['10.0.0.1'];
    const send = async (url: URL) => {
      begun.push(url.pathname);
      await new Promise<void>((end) => ends.push(end));
      return new Response();
    };
    const options = { allowed: ['a.internal'], resolve, log: () => undefined };
    const egress = openBoundedEgress(options, send);
    const ask = async (count: number, owner: number, instance: number) => {
      for (let n = 0; n < count; n += 1) {
        egress(`https://a.internal/${owner}`, { share: of(owner, instance) }).then(
          ({ status }) => results.push(status),
          ({ reason, message }) => results.push([reason, message]),
        );
      }
      await new Promise(setImmediate);
    };
    const endAll = async () => {
      while (ends.length > 0) {
        for (const end of ends.splice(0)) end();
        await new Promise(setImmediate);
      }
    };
    return { ask, begun, endAll, results };
  }

  test('are 4 of an instance, 8 of an owner, 32 in all', async () => {
    const { ask, begun, endAll, results } = held();
    const counts: number[] = [];

    await ask(5, 1, 1);
    counts.push(begun.length);
    await ask(4, 1, 2);
    await ask(4, 1, 3);
    counts.push(begun.length);
    for (const owner of [2, 3, 4, 5]) for (const instance of [1, 2]) await ask(4, owner, instance);
    counts.push(begun.length);
    await endAll();

    expect(counts).toEqual([4, 8, 32]);
    expect(results).toEqual(Array(45).fill(200));
  });

  test('that exceed the queue of an instance are rejected at once', async () => {
    const { ask, begun, endAll, results } = held();
    await ask(36, 1, 1);

    await ask(1, 1, 1);
    const early = [...results];
    await endAll();

    expect(early).toEqual([['busy', 'Too many requests to other servers.']]);
    expect(begun).toHaveLength(36);
  });
});
