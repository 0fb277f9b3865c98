import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type ServerProcess, startProcess } from '../support/server-process.ts';

/* Usage counts of a local server when its process ends. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-usage-'));
afterAll(() => rmSync(root, { recursive: true }));

interface World {
  readonly folder: string;
  server: ServerProcess;
  readonly key: string;
}

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
type Any = any;

async function call(
  { server, key }: Pick<World, 'server' | 'key'>,
  path: string,
  body?: object,
): Promise<Any> {
  const response = await fetch(`${server.url}/v1.1/${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'Content-Type': 'application/json', ...(key !== '' && { 'X-API-KEY': key }) },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function open(name: string): Promise<World> {
  const folder = join(root, name);
  const server = await startProcess(folder);
  const account = { email: 'a@example.com', password: 'a password' };
  const { account_key: key } = await call({ server, key: '' }, 'account/register/', account);
  await call({ server, key }, 'instances/', { name: 'shop-1' });
  return { folder, server, key };
}

async function use(world: World, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await call(world, 'instances/shop-1/classes/');
}

async function used(world: World): Promise<number> {
  const { objects } = await call(world, 'usage/daily/?total=true');
  return objects.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
}

test('a server that is stopped keeps every count', async () => {
  const world = await open('told');
  await use(world, 3);

  expect(await world.server.end('SIGTERM')).toBe(0);
  world.server = await startProcess(world.folder);

  expect(await used(world)).toBe(3);
  await world.server.end('SIGKILL');
});

test('a server that is killed loses the counts since its last write', async () => {
  const world = await open('killed');
  await use(world, 2);
  expect(await used(world)).toBe(2); // the counts are written
  await use(world, 3);

  await world.server.end('SIGKILL');
  world.server = await startProcess(world.folder);

  const kept = await used(world);
  expect([2, 3, 4, 5]).toContain(kept); // some of the three if ten seconds have passed
  await use(world, 1);
  expect(await used(world)).toBe(kept + 1);
  await world.server.end('SIGKILL');
});
