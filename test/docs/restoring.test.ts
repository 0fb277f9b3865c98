import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { sectionOf } from './tour.ts';

const test = worldTest().extend('folder', { scope: 'file' }, temporaryFolder('groundwork-keys-'));

/* The program that lists and resets keys, run unchanged. */

const run = promisify(execFile);
const guide = readFileSync(new URL('../../docs/guides/restoring.md', import.meta.url), 'utf8');
const [, source = ''] =
  /^```js\n([\s\S]*?)^```$/m.exec(sectionOf(guide, 'Keys that work again')) ?? [];
test('it lists all keys, and resets them on request', async ({ api, world, folder }) => {
  const program = await setUp(world, folder);
  const args = [program, api.url, world.owner, world.instance];
  const before = await allKeys(world);

  const listed = await run(process.execPath, args);
  const between = await allKeys(world);
  const reset = await run(process.execPath, [...args, '--reset']);
  const after = await allKeys(world);

  const lines = listed.stdout.trim().split('\n');
  expect([lines.length, new Set(lines).size]).toEqual([103, 103]);
  expect(lines).toContain(`${world.base}endpoints/scripts/greet/`);
  expect(reset).toEqual(listed);
  expect(between).toEqual(before);
  expect(after).toHaveLength(103);
  expect(after.filter((key) => before.includes(key))).toEqual([]);
}, 60_000);

/** Makes more than a hundred keys of each kind; returns the path of the program. */
async function setUp(world: World, folder: string): Promise<string> {
  for (let n = 0; n < 101; n += 1) await world.apiKey();
  await world.create('users/', { username: 'ann', password: 'p' });
  await makeEndpoint(world, 'greet', '');
  const program = join(folder, 'keys.mjs');
  writeFileSync(program, source);
  return program;
}

async function allKeys(world: World) {
  const keysIn = async (path: string, field: string) =>
    (await world.read(path)).objects.map((object: Record<string, string>) => object[field]);
  return [
    ...(await keysIn('api_keys/?page_size=100', 'api_key')),
    ...(await keysIn('api_keys/?page_size=1&direction=0', 'api_key')),
    ...(await keysIn('users/', 'user_key')),
    ...(await keysIn('endpoints/scripts/', 'public_link')),
  ];
}
