import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';
import { sectionOf } from './tour.ts';

/* The examples of scripts that send requests to the interface, run unchanged. */

const guide = readFileSync(new URL('../../docs/guides/script-runs.md', import.meta.url), 'utf8');
const examples = new Map(
  [...sectionOf(guide, 'Calling back').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', source = '']) => [language, source],
  ),
);

let api: Api;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await openWorld(api);
  for (const name of ['book', 'author']) await world.dataClass(name, []);
});
afterAll(() => api.close());

test.each([
  ['js', 'nodejs'],
  ['python', 'python3'],
])(
  'the one in %s prints the classes of its instance',
  async (language, runtime_name) => {
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
  120_000,
);
