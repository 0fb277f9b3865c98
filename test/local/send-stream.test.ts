import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sendStream } from '../../shared/platforms/local/server/send-response.ts';

it('a client that reads nothing holds little of a stream, and ends it by disconnecting', async () => {
  let made = 0;
  let waiting = 0;
  let hasEnded = () => {};
  const ended = new Promise<void>((resolve) => (hasEnded = resolve));
  async function* pieces() {
    try {
      for (; made < 2000; made += 1) yield 'x'.repeat(65_536);
    } finally {
      hasEnded();
    }
  }
  const server = createServer((_, response) => {
    const count = (bytes: number) => {
      waiting += bytes;
    };
    void sendStream(response, { status: 200, headers: {} }, { pieces: pieces(), count });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on TCP
  const client = connect(port, '127.0.0.1');
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');

  let before = -1;
  while (made === 0 || made !== before) {
    before = made;
    await pause(50);
  }
  const held = made;
  const counted = waiting;
  client.destroy();
  await ended;
  server.close();

  expect(held).toBeLessThan(400); // the buffers of both sockets
  expect([counted, waiting]).toEqual([65_536, 0]);
});
