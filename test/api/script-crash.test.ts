import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { portOf, send as sendTo } from '../support/plain-calls.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';

/** Effects of killing a server while scripts run. */

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', async ({}, { onCleanup }) => {
  const { folder, heard, listener } = await setUp();
  onCleanup(async () => {
    endProcesses();
    listener.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { folder, heard, port: (listener.address() as AddressInfo).port }; // it listens
});

it('runs of a killed server end as failures at the next start, and none is run twice', async ({
  given: { folder, heard, port },
}) => {
  const source = `
    fetch('http://127.0.0.1:${port}/' + (ARGS.who ?? 'endpoint'));
    setTimeout(() => {}, 1e6);`;
  const first = await startProcess(folder);
  const person = { email: 'owner@example.com', password: 'a password' };
  const { account_key: key } = await send(first, '/v1.1/account/register/', undefined, person);
  await send(first, '/v1.1/instances/', key, { name: 'shop-1' });
  const at = '/v1.1/instances/shop-1/';
  const script = { runtime_name: 'nodejs', source, config: { timeout: 300 } };
  const { id } = await send(first, `${at}snippets/scripts/`, key, script);
  await send(first, `${at}endpoints/scripts/`, key, { name: 'slow', script: id });
  const direct = await send(first, `${at}snippets/scripts/${id}/run/`, key, {
    payload: { who: 'direct' },
  });
  const endpoint = send(first, `${at}endpoints/scripts/slow/run/`, key, {});
  endpoint.catch(() => undefined); // there will be no response
  while (heard.length < 2) await setTimeout(10);

  await first.end('SIGKILL');
  const second = await startProcess(folder);
  const paths = [direct.links.self, `${at}endpoints/scripts/slow/traces/1/`];
  const ended = async (path: string) => {
    for (;;) {
      const trace = await send(second, path, key);
      if (trace.status !== 'processing' && trace.status !== 'pending') return trace;
      await setTimeout(10);
    }
  };
  const traces = await Promise.all(paths.map(ended));

  const result = { stdout: '', stderr: 'The run was interrupted.' };
  expect(traces).toMatchObject([
    { status: 'failure', duration: null, result },
    { status: 'failure', duration: null, result },
  ]);
  expect(heard.toSorted()).toEqual(['/direct', '/endpoint']);
  await second.end('SIGTERM');
}, 120_000);

async function setUp() {
  const heard: string[] = [];
  const listener = createServer((request, response) => {
    heard.push(String(request.url));
    response.end();
  });
  const folder = await mkdtemp(join(tmpdir(), 'groundwork-script-crash-'));
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return { folder, heard, listener };
}

async function send(server: ServerProcess, path: string, key?: string, body?: object) {
  const headers = key === undefined ? {} : { 'X-API-KEY': key };
  return (await sendTo(portOf(server), path, body, headers)).body;
}
