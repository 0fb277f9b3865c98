import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openStore } from '../../shared/platforms/local/store/store.ts';
import type { Store } from '../../shared/store/store.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { classPartitions, contentPartitions } from '../../shared/table/partitions.ts';
import { sendRaw } from '../support/http-client.ts';
import { accepted } from '../support/lawful.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';

/*
 * Every job type at once in a server that is killed repeatedly: the next server continues.
 */

const root = mkdtempSync(join(tmpdir(), 'groundwork-background-'));
afterEach(endProcesses);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const schema = [{ name: 's', type: 'string', unique: true }];
const count = 400;

/** Creates an instance with a class `full` of objects. */
async function fill(url: string, as: string, instance: string): Promise<string> {
  const base = `/v1.1/instances/${instance}/`;
  accepted(await sendRaw(url, { as, path: '/v1.1/instances/', body: { name: instance } }), 201);
  for (const name of ['full', 'doomed']) {
    accepted(await sendRaw(url, { as, path: `${base}classes/`, body: { name, schema } }), 201);
    const path = `${base}classes/${name}/objects/`;
    await Promise.all(
      Array.from({ length: count }, async (_, n) =>
        accepted(await sendRaw(url, { as, path, body: { s: `s${n}` } }), 201),
      ),
    );
  }
  return base;
}

async function sizes(store: Store, partitions: readonly string[]): Promise<number> {
  const pages = await Promise.all(partitions.map((pk) => store.query({ pk, limit: 1000 })));
  return pages.reduce((sum, { items }) => sum + items.length, 0);
}

it('jobs of a killed server are finished by the next one', async () => {
  const folder = join(root, 'data');
  let server = await startProcess(folder, { args: ['--registration', 'open'] });
  const body = { email: 'ann@example.com', password: 'a password' };
  const path = '/v1.1/account/register/';
  const { account_key: owner } = accepted(await sendRaw(server.url, { path, body }), 201);
  const base = await fill(server.url, owner, 'staying');
  const leaving = await fill(server.url, owner, 'leaving');
  const change = { schema: [...schema, { name: 'n', type: 'integer', order_index: true }] };
  const at = `${base}classes/full/`;

  await Promise.all([
    sendRaw(server.url, { as: owner, method: 'PATCH', path: at, body: change }),
    sendRaw(server.url, { as: owner, method: 'DELETE', path: `${base}classes/doomed/` }),
    sendRaw(server.url, { as: owner, method: 'DELETE', path: leaving }),
  ]);
  for (const delayMs of [0, 5, 10, 20]) {
    await setTimeout(delayMs);
    await server.end('SIGKILL');
    server = await startProcess(folder, { args: ['--registration', 'open'] });
  }
  const stopAndOpen = async () => {
    await server.end('SIGTERM');
    return openStore({ path: join(folder, 'store'), now: Date.now });
  };
  const read = async () => accepted(await sendRaw(server.url, { as: owner, path: at }), 200);
  while ((await read()).status !== 'ready') await setTimeout(5);
  const shown = await read();
  let store = await stopAndOpen();
  while ((await sizes(store, jobShards.map(jobEntity.partition))) > 0) {
    await store.close();
    server = await startProcess(folder, { args: ['--registration', 'open'] });
    await setTimeout(100);
    store = await stopAndOpen();
  }

  const stored = await objectEntity.list(store, [1, 2], { limit: 1000 });
  const indexed = await objectEntity.list(store, [1, 2], { index: 'slot1', limit: 1000 });
  expect([shown.objects_count, stored.items.length, indexed.items.length]).toEqual([
    count,
    count,
    count,
  ]);
  expect(stored.items.every((item) => item.data.epoch === 2)).toBe(true);
  expect(await sizes(store, classPartitions(1, 3))).toBe(0);
  expect(await sizes(store, contentPartitions(2, 3))).toBe(0);
  await store.close();
}, 300_000);
