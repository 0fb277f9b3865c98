import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { sectionOf } from './tour.ts';

const test = worldTest();

/* The examples of scripts that send requests to the interface, run unchanged. */

const guide = readFileSync(new URL('../../docs/guides/script-runs.md', import.meta.url), 'utf8');
const examples = new Map(
  [...sectionOf(guide, 'Calling back').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', source = '']) => [language, source],
  ),
);

test.beforeAll(async ({ world }) => {
  for (const name of ['book', 'author']) await world.dataClass(name, []);
});

test.for<[string, string]>([
  ['js', 'nodejs'],
  ['python', 'python3'],
])(
  'the one in %s prints the classes of its instance',
  { timeout: 120_000 },
  async ([language, runtime_name], { api, world }) => {
    const pythonIsThere = (await api.platform.scripts.describe()).includes('/python3');
    if (language === 'python' && !pythonIsThere) return; // Pyodide has no sockets

    const source = examples.get(language);
    const script = { runtime_name, source, config: { allow_full_access: true } };
    const at = 'snippets/scripts/';
    const { id } = expected(await world.call(world.owner, 'POST', at, script), 201);
    const run = expected(await world.call(world.owner, 'POST', `${at}${id}/run/`, {}), 200);
    await api.platform.idle();
    const trace = expected(await api.send({ as: world.owner, path: run.links.self }), 200);

    expect(trace.result).toEqual({ stdout: 'user_profile book author', stderr: '' });
  },
);
