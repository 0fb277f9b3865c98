import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expected, openWorld, startApi, type World } from '../support/api.ts';
import { openProject } from './groundwork.ts';
import { wholeProject, wholeScripts } from './whole-project.ts';

/* An export with a project of every section, imported by one command. */

/** Exports an instance that has the whole project, and objects. Opens an empty one. */
async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const { folder, run } = openProject();
  for (const [path, text] of Object.entries({ 'groundwork.yml': wholeProject, ...wholeScripts })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const world = await openWorld(api, 'library');
  expect(await run('push', ...of(world))).toMatchObject({ status: 0 });
  for (const title of ['Emma', 'Nana']) {
    expected(await world.call(world.owner, 'POST', 'classes/book/objects/', { title }), 201);
  }
  expect(await run('export', 'data', ...of(world))).toMatchObject({ status: 0 });
  return { folder, run, world, copy: await openWorld(api, 'copies') };
}

/** Returns options by which a command finds the instance of a world. */
const of = ({ api, instance, owner }: World) => [
  '--url',
  api.url,
  '--instance',
  instance,
  '--key',
  owner,
];

const list = async (world: World, path: string) =>
  expected(await world.call(world.owner, 'GET', path), 200).objects;
const ids = async (world: World, path: string) =>
  (await list(world, path)).map(({ id }: { id: number }) => id);

test('an empty instance gets the project after the data, and no run', async () => {
  const { run, world, copy } = await start();

  const ended = await run('import', 'data', ...of(copy), '--json');
  const { pushed } = JSON.parse(ended.stdout);
  const { status, stdout } = await run('diff', ...of(copy));
  await copy.api.platform.idle();
  const runs = await Promise.all(
    (await list(copy, 'triggers/')).map(({ id }: { id: number }) =>
      list(copy, `triggers/${id}/traces/`),
    ),
  );

  expect([ended.status, status, stdout]).toEqual([0, 0, 'Nothing differs.\n']);
  expect(new Set(pushed.changes.map((each: { section: string }) => each.section))).toEqual(
    new Set([
      'instance',
      'config',
      'channels',
      'templates',
      'scripts',
      'script_endpoints',
      'data_endpoints',
      'triggers',
      'schedules',
      'api_keys',
      'push',
      'users',
    ]),
  );
  expect(await ids(copy, 'groups/')).toEqual(await ids(world, 'groups/'));
  expect(await ids(copy, 'classes/book/objects/')).toEqual(
    await ids(world, 'classes/book/objects/'),
  );
  expect(runs).toEqual([[]]);
});

test('a project that could not be pushed is pushed by the next run; --no-project leaves it out', async () => {
  const { folder, run, copy } = await start();
  const script = join(folder, 'data', 'scripts', 'count.py');
  const text = readFileSync(script, 'utf8');
  rmSync(script);
  const early = await run('import', 'data', ...of(copy));
  const before = await list(copy, 'groups/');
  writeFileSync(script, text);

  const without = await run('import', 'data', '--no-project', ...of(copy), '--json');
  const again = await run('import', 'data', '--no-project', ...of(copy));
  const scripts = await list(copy, 'snippets/scripts/');
  const ended = await run('import', 'data', ...of(copy));
  const last = await run('import', 'data', ...of(copy));

  expect(early).toMatchObject({ status: 1, stderr: expect.stringContaining('count.py') });
  expect(before).toEqual([]);
  expect(JSON.parse(without.stdout)).toMatchObject({ created: 5, pushed: null });
  expect([again.status, scripts]).toEqual([2, []]);
  expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining('scripts') });
  expect(await list(copy, 'snippets/scripts/')).toHaveLength(2);
  expect(last).toMatchObject({ status: 2, stderr: expect.stringContaining('is already in') });
});

test('an instance with records keeps its own set-up', async () => {
  const { run, copy } = await start();
  expected(await copy.call(copy.owner, 'POST', 'groups/', { label: 'Own' }), 201);

  const ended = await run('import', 'data', ...of(copy), '--json');
  const again = await run('import', 'data', ...of(copy));

  expect(JSON.parse(ended.stdout)).toMatchObject({ shift: { groups: 1 }, pushed: null });
  expect(await list(copy, 'snippets/scripts/')).toEqual([]);
  expect(again.status).toBe(2);
});
