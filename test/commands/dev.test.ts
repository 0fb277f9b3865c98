import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';
import { openProject } from './groundwork.ts';

afterAll(endProcesses);

const account = ['--email', 'ada@example.com', '--password', 'a secret'];
const file = `classes:
  book:
    fields:
      title: string
scripts:
  greet:
    file: scripts/greet.js
`;

/** Creates a project on a server, which ends. */
async function start() {
  const project = openProject();
  const { folder, run } = project;
  const server = await startProcess(join(folder, 'data'));
  expect(await run('init', '--url', server.url, '--instance', 'library', ...account)).toMatchObject(
    {
      status: 0,
    },
  );
  await server.end('SIGTERM');
  mkdirSync(join(folder, 'scripts'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('groundwork.yml', file);
  write('scripts/greet.js', "console.log('hello', ARGS.who);");
  return { ...project, write, url: server.url };
}

test('dev starts the server, pushes at each change, and prints runs', async () => {
  const { run, follow, write } = await start();

  const dev = follow('dev', '--data', 'data');
  await dev.until(/create +scripts +greet/);
  await run('run', 'greet', '--payload', '{"who": "Ada"}');
  await dev.until(/script greet #1: success in \d+ ms\n {2}hello Ada\n/);
  write('scripts/greet.js', "console.log('good morning', ARGS.who);");
  await dev.until(/(update|change) +scripts +greet/);
  await run('run', 'greet', '--payload', '{"who": "Ada"}');
  const printed = await dev.until(/ {2}good morning Ada\n/);

  expect(printed).toMatch(/^Groundwork listens on http:\/\/127\.0\.0\.1:\d+\n/);
  expect(printed.match(/script greet #/g)).toHaveLength(2);
});

test('dev continues after a mistake in the project, and ends with its server', async () => {
  const { follow, write, url, run } = await start();
  write('groundwork.yml', 'classes: [');

  const dev = follow('dev', '--data', 'data');
  await dev.until(/listens on/);
  await dev.complains(/groundwork\.yml is not valid/);
  write('groundwork.yml', file);
  await dev.until(/create +classes +book/);
  await dev.end();

  const { status, stderr } = await run('run', 'greet');
  expect([status, stderr]).toEqual([1, expect.stringContaining(`no response from ${url}`)]);
});

test('dev ends with an error, and with its server, where the key is not valid', async () => {
  const { run, url } = await start();

  const ended = await run('dev', '--data', 'data', '--url', url, '--key', 'abc');

  expect(ended).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('the key of --key is not valid'),
  });
  expect((await run('run', 'greet')).stderr).toContain(`no response from ${url}`);
});

test('dev uses a server that runs', async () => {
  const api = await startApi();
  onTestFinished(() => api.close());
  const { follow, run, folder } = openProject();
  await run('init', '--url', api.url, '--instance', 'library', ...account);
  writeFileSync(join(folder, 'groundwork.yml'), 'classes:\n  book: {}\n');

  const dev = follow('dev');
  const printed = await dev.until(/create +classes +book/);

  expect(printed).not.toContain('listens on');
});

test('dev starts no server for another machine', async () => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const server = ['--url', `https://127.0.0.1:${port}`, '--key', 'x', '--instance', 'library'];

  expect(await openProject().run('dev', ...server)).toEqual({
    status: 1,
    stdout: '',
    stderr: `groundwork: no server responds at https://127.0.0.1:${port}\n`,
  });
});
