import { expect, it } from 'vitest';
import { expected } from '../support/api.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

/** Runs a script, and returns the result of its trace. */
async function run(runtime_name: string, source: string) {
  const list = 'snippets/scripts/';
  const body = { runtime_name, source };
  const { id } = expected(await world.call(world.owner, 'POST', list, body), 201);
  const trace = expected(await world.call(world.owner, 'POST', `${list}${id}/run/`, {}), 200);
  const read = async () =>
    (await world.call(world.owner, 'GET', `${list}${id}/traces/${trace.id}/`)).body;
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe('failure');
  return (await read()).result.stderr as string;
}

it.each([
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
])('a run in %s of %j ends with advice', async (runtime, source, advice) => {
  const stderr = await run(runtime, source);

  const last = stderr.slice(stderr.lastIndexOf('\n') + 1);
  if (advice === undefined) expect(stderr).not.toContain('docs/');
  else expect(last.slice(0, advice.length)).toBe(advice);
});
