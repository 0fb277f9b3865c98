import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { reservedDescriptors } from '../../shared/values/bounds.ts';
import { portOf, send } from '../support/plain-calls.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwork-descriptors-'));

afterAll(() => {
  endProcesses();
  rmSync(folder, { recursive: true });
});

test('an idle connection is closed for a new one when descriptors run out', async () => {
  const server = await startProcess(join(folder, 'idle'), { descriptors: 320 });
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: 60 }, () => connect(port, '127.0.0.1'));
  const closed = new Set<Socket>();
  for (const socket of sockets) {
    socket
      .on('error', () => undefined)
      .on('close', () => closed.add(socket))
      .resume();
  }

  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const response = await fetch(`${server.url}/v1.1/`, { headers: { Connection: 'close' } });
    statuses.push(response.status);
  }
  for (const socket of sockets) socket.destroy();

  expect(statuses).toEqual(Array(20).fill(200));
  expect(closed.size).toBeGreaterThan(20);
  expect(server.complaints()).toBe('');
}, 60_000);

test('polls of one instance wait in an eighth of the connections that descriptors allow', async () => {
  const connections = 80;
  const descriptors = reservedDescriptors + 2 * connections;
  const server = await startProcess(join(folder, 'polls'), { descriptors });
  const register = { email: 'a@example.com', password: 'a password' };
  const { body: owner } = await send(portOf(server), '/v1.1/account/register/', register);
  const key = { 'x-api-key': owner.account_key };
  const base = '/v1.1/instances/shop-1/';
  await send(portOf(server), '/v1.1/instances/', { name: 'shop-1' }, key);
  await send(portOf(server), `${base}channels/`, { name: 'chat', custom_publish: true }, key);
  let ended = 0;
  const polls = Array.from({ length: 14 }, async () => {
    const response = await fetch(`${server.url}${base}channels/chat/poll/`, { headers: key });
    ended += 1;
    return response.status;
  });

  await expect.poll(() => ended, { timeout: 20_000 }).toBe(4);
  await send(portOf(server), `${base}channels/chat/publish/`, { payload: {} }, key);

  expect((await Promise.all(polls)).toSorted()).toEqual([
    ...Array(10).fill(200),
    ...Array(4).fill(204),
  ]);
}, 60_000);
