import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { machine } from '../scripts/python-hosts.ts';
import { expected, openWorld, startApi } from '../support/api.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { openProject } from './groundwork.ts';

/* The commands that run scripts and show their traces. */

const greeting = "console.log('hello', ARGS.who); console.error('careful');";

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  const create = async (path: string, body: object): Promise<number> =>
    expected(await world.call(world.owner, 'POST', path, body), 201).id;
  const script = (label: string, source: string) =>
    create('snippets/scripts/', { label, source, runtime_name: 'nodejs_v8' });
  const project = openProject();
  const server = ['--url', api.url, '--key', world.owner, '--instance', 'library'];
  const run = (command: string, ...args: string[]) => project.run(command, ...server, ...args);
  return { ...project, ...world, create, script, server, run };
}

test('run prints what a script prints, and how long it took', async () => {
  const { folder, script, run } = await start();
  const id = await script('greet', greeting);
  writeFileSync(join(folder, 'ada.json'), '{"who": "Ada"}');

  const byLabel = await run('run', 'greet', '--payload', '@ada.json');
  const byId = await run('run', String(id), '--payload', '{"who": "Bob"}', '--json');

  expect(byLabel).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^hello Ada\ncareful\nsuccess in \d+ ms\n$/),
    stderr: '',
  });
  expect(byId.status).toBe(0);
  expect(JSON.parse(byId.stdout)).toMatchObject({
    status: 'success',
    result: { stdout: 'hello Bob', stderr: 'careful' },
  });
});

test.runIf(machine !== undefined)('run passes large numbers with their digits', async () => {
  const { folder, create, run } = await start();
  const runtime_name = 'python_library_v5.0';
  await create('snippets/scripts/', { label: 'big', source: 'print(ARGS["id"])', runtime_name });
  writeFileSync(join(folder, 'big.json'), '{"id": 9007199254740993}');

  const ended = await run('run', 'big', '--payload', '@big.json');

  expect(ended.stdout).toMatch(/^9007199254740993\n/);
});

test('run prints the response of a script', async () => {
  const { script, run } = await start();
  await script('respond', "setResponse(new HttpResponse(418, 'tea', 'text/plain'));");

  expect(await run('run', 'respond')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^response 418: tea\nsuccess in \d+ ms\n$/),
  });
});

test('run fails with its script', async () => {
  const { script, run } = await start();
  await script('bad', 'process.exit(3);');

  expect(await run('run', 'bad')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^failure in \d+ ms\n$/),
  });
});

test('run needs one script, and a payload of JSON', async () => {
  const { script, run } = await start();
  const ids = [await script('twice', ''), await script('twice', '')];

  expect([
    await run('run', 'x'),
    await run('run', 'twice'),
    await run('run', 'twice', '--payload', '{'),
  ]).toEqual([
    {
      status: 1,
      stdout: '',
      stderr: 'groundwork: there is no script with the label or id x\n',
    },
    {
      status: 2,
      stdout: '',
      stderr: `groundwork: 2 scripts have the label twice: give one of the ids ${ids.join(', ')}\n`,
    },
    { status: 2, stdout: '', stderr: expect.stringContaining('groundwork: --payload: ') },
  ]);
});

async function withRuns() {
  const started = await start();
  const { api, call, owner, create, dataClass, run } = started;
  const { script: greet } = await makeEndpoint(started, 'hello', greeting);
  expected(await call(owner, 'PATCH', `snippets/scripts/${greet}/`, { label: 'greet' }), 200);
  await started.script('bad', 'throw new Error("no");');
  const books = await dataClass('book', []);
  await create('triggers/', {
    label: 'on book',
    signal: 'post_create',
    class: 'book',
    script: greet,
  });
  expected(await call(owner, 'POST', 'endpoints/scripts/hello/run/', { who: 'web' }), 200);
  await run('run', 'bad');
  expected(await api.send({ as: owner, path: `${books}objects/`, body: {} }), 201);
  await api.platform.idle();
  return started;
}

/** Returns what is printed of each run, without times. */
function headsOf(stdout: string): readonly string[] {
  return stdout.split('\n').flatMap((line) => {
    const [, head] = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}(.*) in \d+ ms$/.exec(line) ?? [];
    return head === undefined ? [] : [head];
  });
}

test('logs prints all runs, the newest last', async () => {
  const { run } = await withRuns();

  const { status, stdout, stderr } = await run('logs');

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(headsOf(stdout)).toEqual([
    'endpoint hello #1: success',
    'script bad #1: failure',
    'trigger on book #1: success',
  ]);
  expect(stdout).toContain('\n  hello web\n  careful\n');
});

test('logs chooses runs', async () => {
  const { run } = await withRuns();
  const heads = async (...args: string[]) => headsOf((await run('logs', ...args)).stdout);

  expect(await heads('--script', 'greet')).toEqual([
    'endpoint hello #1: success',
    'trigger on book #1: success',
  ]);
  expect(await heads('--trigger', 'on book')).toEqual(['trigger on book #1: success']);
  expect(await heads('--errors')).toEqual(['script bad #1: failure']);
  expect(await heads('--lines', '1')).toEqual(['trigger on book #1: success']);
  expect(await heads('--lines', '0')).toEqual([]);
  expect(JSON.parse((await run('logs', '--errors', '--json')).stdout)).toMatchObject([
    { kind: 'script', name: 'bad', trace: { id: 1, status: 'failure' } },
  ]);
  expect(await run('logs', '--trigger', 'x')).toMatchObject({ status: 1 });
  expect(await run('logs', '--lines', 'x')).toMatchObject({ status: 2 });
});

test('logs follows runs, each once', async () => {
  const { server, follow, run } = await withRuns();

  const log = follow('logs', ...server, '-f', '--lines', '1');
  await log.until(/trigger on book #1/);
  await run('run', 'greet', '--payload', '{"who": "Ada"}');
  await log.until(/ {2}hello Ada\n/);
  await run('run', 'greet', '--payload', '{"who": "Bob"}');
  const printed = await log.until(/ {2}hello Bob\n/);

  expect(headsOf(printed)).toEqual([
    'trigger on book #1: success',
    'script greet #2: success',
    'script greet #3: success',
  ]);
});
