import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { endProcesses, startProcess } from '../support/server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwork-descriptors-'));

afterAll(() => {
  endProcesses();
  rmSync(folder, { recursive: true });
});

test('an idle connection is closed for a new one when descriptors run out', async () => {
  const server = await startProcess(folder, { descriptors: 320 });
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
    const answer = await fetch(`${server.url}/v1.1/`, { headers: { Connection: 'close' } });
    statuses.push(answer.status);
  }
  for (const socket of sockets) socket.destroy();

  expect(statuses).toEqual(Array(20).fill(200));
  expect(closed.size).toBeGreaterThan(20);
  expect(server.complaints()).toBe('');
}, 60_000);
