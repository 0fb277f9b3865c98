import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openSyntaxCheck } from '../../bin/groundwork/dev/syntax.ts';
import { readProject } from '../../bin/groundwork/project/files/project.ts';
import { openTerminal } from '../../bin/groundwork/terminal.ts';
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
  const { run, follow, write, url, folder } = await start();

  const dev = follow('dev', '--data', 'data');
  await dev.until(/create +scripts +greet/);
  await run('run', 'greet', '--payload', '{"who": "Ada"}');
  await dev.until(/script greet #1: success in \d+ ms\n {2}hello Ada\n/);
  write('scripts/greet.js', "console.log('good morning', ARGS.who);");
  await dev.until(/(update|change) +scripts +greet/);
  await run('run', 'greet', '--payload', '{"who": "Ada"}');
  const printed = await dev.until(/ {2}good morning Ada\n/);

  expect(printed).toMatch(
    new RegExp(
      `^Groundwork listens on ${url}\\nConsole: ${url}/console/#/i/library\\nWatching ${folder}: `,
    ),
  );
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

test('dev pushes no script with a syntax error, and names the line', async () => {
  const { follow, write } = await start();
  write(
    'groundwork.yml',
    `${file}  typed: { file: scripts/typed.ts }\n  count: { file: scripts/count.py }\n`,
  );
  write('scripts/greet.js', "console.log('hello');\nif (ARGS.who {\n");
  write('scripts/typed.ts', 'export {};\n');
  write('scripts/count.py', "print(1)\nfor each in []\n  print('x')\n");

  const dev = follow('dev', '--data', 'data');
  const first = await dev.complains(/count.py.*\n/);
  write('scripts/greet.js', "console.log('hello');");
  write('scripts/count.py', 'print(1)');
  write('scripts/typed.ts', '\nconst a: = 1;\n');
  const second = await dev.complains(/typed.ts.*\n/);
  write('scripts/typed.ts', 'const a: number = 1;\nexport {};');
  const printed = await dev.until(/create +scripts +typed/);

  expect(first).toMatch(
    /^nothing was pushed:\n {2}scripts\/greet\.js, line 2: \S.+\n {2}scripts\/count\.py, line 2: \S/,
  );
  expect(second).toMatch(
    /scripts\.typed\.file: scripts\/typed\.ts cannot be bundled: scripts\/typed\.ts, line 2: \S/,
  );
  expect(printed.match(/create/g)).toHaveLength(4);
});

test('without a python3, scripts in Python are not checked, which is said once', async () => {
  const { folder, write } = await start();
  write('groundwork.yml', 'scripts: { count: { file: scripts/count.py } }');
  write('scripts/count.py', 'for');
  const warned: string[] = [];
  const out = { ...openTerminal({ isJson: true }), warn: (line: string) => warned.push(line) > 0 };
  const project = await readProject(folder);

  const check = openSyntaxCheck(out, ['/none/python3']);
  const problems = [await check(project), await check(project)];
  const checked = await openSyntaxCheck(out)(project);

  expect(problems).toEqual([[], []]);
  expect(warned).toEqual([
    'There is no python3 here: the syntax of scripts in Python is not checked.',
  ]);
  expect(checked).toEqual([expect.stringMatching(/^scripts\/count\.py, line 1: /)]);
});

test('dev writes the types that the project wants after each push', async () => {
  const { follow, write, folder, run } = await start();
  const types = () => readFileSync(join(folder, 'src/api.ts'), 'utf8');
  write('groundwork.yml', `types: src/api.ts\n${file}`);

  const dev = follow('dev', '--data', 'data');
  await dev.until(/Wrote src\/api\.ts\n/);
  const first = types();
  write(
    'groundwork.yml',
    `types: src/api.ts\n${file.replace('title: string', 'title: string\n      year: integer')}`,
  );
  const printed = await dev.until(/Wrote(.*\n)+Wrote src\/api\.ts\n/);

  expect(first).toMatch(/title\??: /);
  expect(first).not.toMatch(/year\??: /);
  expect(types()).toMatch(/year\??: /);
  expect(printed.match(/Wrote/g)).toHaveLength(2);
  expect((await run('types', '--out', 'other.ts')).status).toBe(0);
  expect(types()).toBe(readFileSync(join(folder, 'other.ts'), 'utf8'));
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
