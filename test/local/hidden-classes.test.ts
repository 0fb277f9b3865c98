import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';

/*
 * V8 gives objects of one form one hidden class, and code that meets few of them is fast. Some forms get a new one each
 * time: a getter in an object literal. Where every request passes, that doubles its cost: the object takes 3 us in place
 * of 0.03, all code that uses it is slow, and a class that has become old keeps the whole request until a full collection.
 * Node 20 does so for a member after a spread too, for which no code is written any more.
 */

const requests = 100;

afterAll(endProcesses);

const version = Number(process.versions.node.split('.')[0]);

test.skipIf(version < 22)(
  'frequent requests make no hidden classes',
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-hidden-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'v8.log');
    const node = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${file}`];
    const { url, end } = await startProcess(join(folder, 'data'), { node });

    await sendAll(url);
    await end('SIGTERM');

    expect(await frequentSites(file)).toEqual([]);
  },
);

/** Sends each kind of frequent request a hundred times. */
async function sendAll(url: string): Promise<void> {
  const person = { email: 'ann@example.com', password: 'a password' };
  const { body: account } = await openClient(url)({
    path: '/v1.1/account/register/',
    body: person,
  });
  const send = openClient(url, account.account_key);
  const base = '/v1.1/instances/bookshop/';
  const objects = `${base}classes/book/objects/`;
  const schema = [
    { name: 'title', type: 'string' },
    { name: 'active', type: 'boolean', filter_index: true },
    { name: 'stock', type: 'integer', filter_index: true, order_index: true },
  ];
  await send({ path: '/v1.1/instances/', body: { name: 'bookshop' } });
  await send({ path: `${base}classes/`, body: { name: 'book', schema } });
  const book = (stock: number) => ({ title: `Book ${stock}`, active: stock % 2 === 0, stock });
  for (let at = 1; at <= requests; at += 1) {
    const { body } = await send({ path: objects, body: book(at) });
    const query = encodeURIComponent(`{"active":{"_eq":true},"stock":{"_lt":${at}}}`);
    await send({ path: `${objects}${body.id}/` });
    await send({ path: `${objects}?page_size=20` });
    await send({ path: `${objects}?query=${query}&order_by=-stock&page_size=20` });
    await send({ method: 'PATCH', path: `${objects}${body.id}/`, body: { title: `New ${at}` } });
    const items = [book(at), book(at + 1)].map((body) => ({ method: 'POST', path: objects, body }));
    await send({ path: `${base}batch/`, body: { requests: items } });
  }
}

/** Returns the places in the bundle and the members that were added there, of those that half of the requests passed. */
async function frequentSites(file: string): Promise<readonly string[]> {
  const times = new Map<string, number>();
  for await (const line of createInterface(createReadStream(file))) {
    const [kind, event, , , , , row, column, , member] = line.split(',');
    if (kind !== 'map' || event !== 'Transition') continue;
    const site = `${member} at ${row}:${column}`;
    times.set(site, (times.get(site) ?? 0) + 1);
  }
  expect(times.size).toBeGreaterThan(100); // so it has read the log of the server
  return [...times].flatMap(([site, count]) => (count < requests / 2 ? [] : [`${site}: ${count}`]));
}
