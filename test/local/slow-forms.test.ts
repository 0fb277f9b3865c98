import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { reservedDescriptors } from '../../shared/values/bounds.ts';
import { serverTest } from '../support/server-test.ts';

/* Clients without a key occupy every connection that the descriptors allow, and go on; others are served. */

const test = serverTest('groundwork-slow-forms-')
  .extend('server', { scope: 'file' }, ({ start }) => start({ descriptors }))
  .extend('sockets', ({ server }, { onCleanup }) => {
    const port = Number(new URL(server.url).port);
    const sockets = Array.from({ length: connections }, () =>
      connect(port, '127.0.0.1').on('error', () => undefined),
    );
    onCleanup(() => {
      for (const socket of sockets) socket.destroy();
    });
    return sockets;
  });

const connections = 24;
const descriptors = reservedDescriptors + 2 * connections;

const form = [
  'POST /files/ HTTP/1.1',
  'Host: x',
  'Content-Type: multipart/form-data; boundary=b',
  'Content-Length: 100000',
  '',
  '--b',
  'Content-Disposition: form-data; name="policy"',
  '',
  'x',
].join('\r\n');
const body = 'POST /v1.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx';
const upgrade = 'Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 1000\r\n\r\nx';

test.for<[string, string]>([
  ['forms of uploads', form],
  ['ordinary bodies', body],
  ['bodies of upgrades', `POST /v1.1/ HTTP/1.1\r\nHost: x\r\n${upgrade}`],
  ['bodies of requests for files', `GET /files/ HTTP/1.1\r\nHost: x\r\n${upgrade}`],
])('slow %s leave room for other clients', async ([, sent], { server, sockets }) => {
  for (const socket of sockets) socket.write(sent);
  await sleep(300);

  const statuses: unknown[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { url } = server;
    const response = fetch(`${url}/v1.1/`, { headers: { Connection: 'close' } });
    statuses.push(await response.then(({ status }) => status, String));
  }

  expect(statuses).toEqual(Array(5).fill(200));
  expect(server.complaints()).toBe('');
});
