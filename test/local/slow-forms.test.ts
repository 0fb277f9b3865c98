import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { reservedDescriptors } from '../../shared/values/bounds.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';

/* Clients without a key occupy every connection that the descriptors allow, and go on; others are served. */

const folder = mkdtempSync(join(tmpdir(), 'groundwork-slow-forms-'));
const connections = 24;
const descriptors = reservedDescriptors + 2 * connections;
let server: ServerProcess | undefined;
let sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
afterAll(() => {
  endProcesses();
  rmSync(folder, { recursive: true });
});

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

test.each([
  ['forms of uploads', form],
  ['ordinary bodies', body],
  ['bodies of upgrades', `POST /v1.1/ HTTP/1.1\r\nHost: x\r\n${upgrade}`],
  ['bodies of requests for files', `GET /files/ HTTP/1.1\r\nHost: x\r\n${upgrade}`],
])('slow %s leave room for other clients', async (_, sent) => {
  server ??= await startProcess(folder, { descriptors });
  const port = Number(new URL(server.url).port);
  sockets = Array.from({ length: connections }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(sent);
    return socket;
  });
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
