import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { type LocalServer, startServer } from '../../shared/platforms/local/server/server.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';

/* Limits of connections: waiting requests, and responses that are not read. */

const lines: LogEntry[] = [];
const ports = {
  ids: { random: () => 'r1' },
  clock: { micros: () => 0, steadyMs: () => 0 },
  log: (entry: LogEntry) => lines.push(entry),
};
const started: LocalServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  lines.length = 0;
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function start(serve: Dispatch): Promise<string> {
  const place = { host: '127.0.0.1', port: 0, graceMs: 100 };
  const server = await startServer({ ...ports, serve, ...place });
  started.push(server);
  return server.url;
}

function open(url: string, sent: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(sent);
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
  });
  await once(socket, 'close');
  return text;
}

const ok = (bytes: string) => ({ status: 200, content: { type: 'text/plain', bytes } });
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const many = (count: number) => Array.from({ length: count }, (_, n) => get(`/${n}`)).join('');

describe('requests on one connection', () => {
  test('are served in order', async () => {
    let running = 0;
    let most = 0;
    const url = await start(async ({ path }) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(2);
      running -= 1;
      return ok(`<${path}>`);
    });

    const last = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const text = await textOf(open(url, many(9) + last));

    expect(most).toBe(1);
    expect(text.match(/<[^>]+>/g)).toEqual([
      ...Array.from({ length: 9 }, (_, n) => `</${n}>`),
      '</last>',
    ]);
  });

  test('wait while a response is not read', async () => {
    let count = 0;
    const url = await start(async () => {
      count += 1;
      return ok('x'.repeat(8_000_000));
    });
    open(url, many(50)).pause();

    await sleep(500);

    expect(count).toBeLessThan(5);
  });

  test('are limited to 512 in addition to the active one; then the connection is closed', async () => {
    const url = await start(async () => ok('ok'));

    const text = await textOf(open(url, many(850)));

    expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(513);
    expect(text.match(/connection: close/gi)).toHaveLength(1);
    expect(text.lastIndexOf('HTTP/1.1')).toBeLessThan(text.search(/connection: close/i));
  });
});

describe('a connection whose client reads nothing', () => {
  const large: Dispatch = async () => ok('x'.repeat(30_000_000));

  test('is closed after half a minute with bytes to be sent', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const url = await start(large);
    const socket = open(url, get('/'));
    await once(socket, 'readable'); // paused: only the system's buffers receive data
    await sleep(300);

    await vi.advanceTimersByTimeAsync(31_000);
    socket.resume();
    await once(socket, 'close');

    expect(socket.bytesRead).toBeLessThan(30_000_000);
  });

  test('is not closed while it waits for a response', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let respond = () => {};
    const url = await start(
      () =>
        new Promise((resolve) => {
          respond = () => resolve({ ...ok('late'), headers: { connection: 'close' } });
        }),
    );
    const text = textOf(open(url, get('/')));
    await sleep(100);

    await vi.advanceTimersByTimeAsync(600_000);
    respond();

    expect(await text).toMatch(/late$/);
  });

  test('is closed at once when the unsent bytes of all connections exceed the limit', async () => {
    const url = await start(large);
    for (let n = 0; n < 8; n += 1) open(url, get('/')).pause();
    while (lines.length === 0) await sleep(10);
    const response = await fetch(url);

    expect((await response.text()).length).toBe(30_000_000);
    expect(lines[0]).toMatchObject({ message: 'connection closed: its response is not read' });
  });
});
