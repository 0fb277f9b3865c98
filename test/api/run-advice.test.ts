import { expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

it.for([
  [
    'python3',
    'import os\n\nprint os.name',
    'line 3: print statement of Python 2. How to convert: ',
  ],
  ['python3', 'import requests', 'The module requests is not installed. '],
  ['python3', 'import urllib2', 'urllib2 is a module of Python 2: '],
  ['python3', "{}.has_key('a')", 'dict.has_key is a name of Python 2: '],
  ['nodejs', "const request = require('request');", 'request is not available: '],
  ['nodejs', "import('valibot/x')", undefined],
  ['nodejs', "require('valibot/x')", 'The package valibot is not part of the script: '],
  ['nodejs', 'var a = ;', undefined],
  ['python3', 'y = = 2', undefined],
] as const)('a run in %s of %j ends with advice', async ([runtime, source, advice], { world }) => {
  const stderr = await run(world, runtime, source);

  const last = stderr.slice(stderr.lastIndexOf('\n') + 1);
  if (advice === undefined) expect(stderr).not.toContain('docs/');
  else expect(last.slice(0, advice.length)).toBe(advice);
});

/** Runs a script, and returns the result of its trace. */
async function run(world: World, runtime_name: string, source: string) {
  const list = 'snippets/scripts/';
  const body = { runtime_name, source };
  const { id } = await world.create(list, body);
  const trace = expected(await world.own('POST', `${list}${id}/run/`, {}), 200);
  const read = async () => (await world.own('GET', `${list}${id}/traces/${trace.id}/`)).body;
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe('failure');
  return (await read()).result.stderr as string;
}
