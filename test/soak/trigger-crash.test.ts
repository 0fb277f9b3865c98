import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../shared/platforms/local/store/store.ts';
import { readRange } from '../../shared/store/entity.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { runQueueEntity, triggerEventEntity } from '../../shared/table/entities/scripts.ts';
import type { TraceData } from '../../shared/table/records/scripts.ts';
import { sendRaw } from '../support/http-client.ts';
import { accepted } from '../support/lawful.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';

/** Effects of killing a server while triggers run: each acknowledged change has one run. */

const roots: string[] = [];
afterAll(async () => {
  endProcesses();
  for (const root of roots) await rm(root, { recursive: true, force: true });
});

const base = '/v1.1/instances/shop-1/';
const objects = 5;

interface Owner {
  readonly url: string;
  readonly as: string;
}

const send = ({ url, as }: Owner, method: string, path: string, body?: object) =>
  sendRaw(url, { as, method, path: base + path, ...(body && { body }) });

async function fill(url: string): Promise<Owner> {
  const body = { email: 'ann@example.com', password: 'a password' };
  const account = accepted(await sendRaw(url, { path: '/v1.1/account/register/', body }), 201);
  const owner = { url, as: account.account_key };
  const name = { name: 'shop-1' };
  accepted(await sendRaw(url, { as: owner.as, path: '/v1.1/instances/', body: name }), 201);
  const schema = [{ name: 'n', type: 'integer' }];
  accepted(await send(owner, 'POST', 'classes/', { name: 'book', schema }), 201);
  const script = { runtime_name: 'nodejs', source: 'console.log(ARGS.n)' };
  accepted(await send(owner, 'POST', 'snippets/scripts/', script), 201);
  const trigger = { class: 'book', signal: 'post_update', script: 1 };
  accepted(await send(owner, 'POST', 'triggers/', trigger), 201);
  for (let at = 0; at < objects; at += 1) {
    accepted(await send(owner, 'POST', 'classes/book/objects/', { n: 0 }), 201);
  }
  return owner;
}

/** Changes an object again and again until the server is dead; returns the last acknowledged value. */
async function changeUntilDead(owner: Owner, id: number, from: number): Promise<number> {
  for (let n = from; ; n += 1) {
    try {
      accepted(await send(owner, 'PATCH', `classes/book/objects/${id}/`, { n: n + 1 }), 200);
    } catch (error) {
      if (error instanceof Error && 'code' in error) return n; // the connection ended
      throw error;
    }
  }
}

/** Waits until a server has no more runs to start, then stops it and reads the traces of all runs. */
async function tracesAfter(server: ServerProcess, folder: string): Promise<readonly TraceData[]> {
  for (let current = server; ; ) {
    await setTimeout(2000); // a slow machine needs time to end some runs: the signal interrupts the others
    await current.end('SIGTERM');
    const store = await openStore({ path: join(folder, 'store'), now: Date.now });
    const partitions = [triggerEventEntity.partition(1), runQueueEntity.partition(1)];
    const pages = await Promise.all(partitions.map((pk) => store.query({ pk, limit: 1 })));
    const items = await readRange(store, { pk: traceEntity.partition(1, 'trigger', 1) });
    await store.close();
    if (pages.every((page) => page.items.length === 0)) {
      return items.map(({ data }) => data as TraceData);
    }
    current = await startProcess(folder, { args: ['--registration', 'open'] });
  }
}

test('each change that a killed server has stored has one run', async () => {
  const root = await mkdtemp(join(tmpdir(), 'groundwork-trigger-crash-'));
  roots.push(root);
  const folder = join(root, 'data');
  let server = await startProcess(folder, { args: ['--registration', 'open'] });
  const owner = await fill(server.url);
  const acknowledged = Array.from({ length: objects }, () => 0);

  for (const delayMs of [150, 300, 450]) {
    const { url } = server;
    const changing = acknowledged.map((n, at) => changeUntilDead({ ...owner, url }, at + 1, n));
    await setTimeout(delayMs);
    await server.end('SIGKILL');
    for (const [at, n] of (await Promise.all(changing)).entries()) acknowledged[at] = n;
    server = await startProcess(folder, { args: ['--registration', 'open'] });
    for (const at of acknowledged.keys()) {
      const path = `classes/book/objects/${at + 1}/`;
      acknowledged[at] = accepted(await send({ ...owner, url: server.url }, 'GET', path), 200).n;
    }
  }
  const traces = await tracesAfter(server, folder);

  const allowed = ['success', 'failure', 'blocked']; // a failure was interrupted
  expect(traces.filter(({ status }) => !allowed.includes(status))).toEqual([]);
  expect(traces).toHaveLength(acknowledged.reduce((sum, n) => sum + n, 0));
  expect(traces.filter(({ status }) => status === 'success').length).toBeGreaterThan(0);
}, 300_000);
