import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { sectionOf } from './tour.ts';

/* The program that lists and resets keys, run unchanged. */

const run = promisify(execFile);
const guide = readFileSync(new URL('../../docs/guides/restoring.md', import.meta.url), 'utf8');
const [, source = ''] =
  /^```js\n([\s\S]*?)^```$/m.exec(sectionOf(guide, 'Keys that work again')) ?? [];
const folder = mkdtempSync(join(tmpdir(), 'groundwork-keys-'));
const program = join(folder, 'keys.mjs');

let api: Api;
let world: World;

beforeAll(async () => {
  writeFileSync(program, source);
  api = await startApi();
  world = await openWorld(api);
  for (let n = 0; n < 101; n += 1) await world.apiKey();
  const user = { username: 'ann', password: 'p' };
  expected(await world.call(world.owner, 'POST', 'users/', user), 201);
  await makeEndpoint(world, 'greet', '');
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const keysIn = async (path: string, field: string) =>
  expected(await world.call(world.owner, 'GET', path), 200).objects.map(
    (object: Record<string, string>) => object[field],
  );
const allKeys = async () => [
  ...(await keysIn('api_keys/?page_size=100', 'api_key')),
  ...(await keysIn('api_keys/?page_size=1&direction=0', 'api_key')),
  ...(await keysIn('users/', 'user_key')),
  ...(await keysIn('endpoints/scripts/', 'public_link')),
];

test('it lists all keys, and resets them on request', async () => {
  const args = [program, api.url, world.owner, world.instance];
  const before = await allKeys();

  const listed = await run(process.execPath, args);
  const between = await allKeys();
  const reset = await run(process.execPath, [...args, '--reset']);
  const after = await allKeys();

  const lines = listed.stdout.trim().split('\n');
  expect([lines.length, new Set(lines).size]).toEqual([103, 103]);
  expect(lines).toContain(`${world.base}endpoints/scripts/greet/`);
  expect(reset).toEqual(listed);
  expect(between).toEqual(before);
  expect(after).toHaveLength(103);
  expect(after.filter((key) => before.includes(key))).toEqual([]);
}, 60_000);
