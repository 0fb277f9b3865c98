import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { oneOf } from '../support/sample.ts';
import { connectAnother, connectProject, expectStatus } from './project.ts';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

const sources = {
  'scripts/plain.js': "const os = require('os');\nconsole.log(typeof os.cpus, ARGS.who);\n\n",
  'scripts/hello.py': "print('hello ' + ARGS['who'])\r\n",
  'scripts/lib/text.ts': 'export const shout = (text: string): string => text.toUpperCase();\n',
  'scripts/typed.ts': [
    "import { basename } from 'node:path';",
    "import { add } from 'sums';",
    "import { shout } from './lib/text.ts';",
    '',
    'const who: string = shout(String(ARGS.who));',
    'console.log([who, add(1, 2), basename("a/b")].join());',
    '',
  ].join('\n'),
  'node_modules/sums/package.json': '{ "name": "sums", "main": "sums.js" }',
  'node_modules/sums/sums.js': 'exports.add = (a, b) => a + b;\n',
};

const project = `scripts:
  plain:
    file: scripts/plain.js
    runtime_name: nodejs_v8
    config: { timeout: 5 }
  hello: { file: scripts/hello.py, description: greets }
  Typed one: # a label
    file: scripts/typed.ts
script_endpoints:
  greet: { script: Typed one, public: true }
  greet-python: { script: hello }
`;

test('scripts and their endpoints are pushed, bundled where they import modules', async () => {
  const { run, write, call, files, changes } = await connectProject();
  write({ ...sources, 'groundwork.yml': project });
  const before = files();
  changes();

  expectStatus(await run('push'), 0);

  expect(changes()).toEqual([
    ...Array.from({ length: 3 }, () => 'POST snippets/scripts/'),
    ...Array.from({ length: 2 }, () => 'POST endpoints/scripts/'),
  ]);
  const { body } = await call('GET', 'snippets/scripts/');
  expect(body.objects).toMatchObject([
    {
      label: 'plain',
      runtime_name: 'nodejs_v8',
      source: sources['scripts/plain.js'],
      config: { timeout: 5 },
    },
    {
      label: 'hello',
      runtime_name: 'python',
      source: sources['scripts/hello.py'],
      description: 'greets',
    },
    {
      label: 'Typed one',
      runtime_name: 'nodejs',
      source: expect.stringMatching(/^\/\* Bundled from scripts\/typed.ts/),
    },
  ]);
  const greeted = await call('POST', 'endpoints/scripts/greet/run/', { who: 'ada' });
  expect(greeted.body).toMatchObject({ status: 'success', result: { stdout: 'ADA,3,b' } });
  expect(await run('push')).toMatchObject({ stdout: 'Nothing differs.\n' });
  expect(await run('pull')).toMatchObject({ stdout: 'All files are up to date.\n' });
  expect(changes()).toEqual([]);
  expect(files()).toEqual(before);
});

test('a change of an imported module is a change of the script', async () => {
  const { run, write, changes } = await connectProject();
  write({ ...sources, 'groundwork.yml': project });
  expectStatus(await run('push'), 0);
  write({ 'node_modules/sums/sums.js': 'exports.add = (a, b) => a + b + 1;\n' });
  changes();

  const ended = await run('push');

  expect(ended.stdout).toMatch(
    /^update {2}scripts {2}Typed one {2}source [0-9a-f]{8} -> [0-9a-f]{8}$/m,
  );
  expect(changes()).toEqual([expect.stringMatching(/^PATCH snippets\/scripts\/\d+\/$/)]);
});

test('a pull writes scripts into files, and keeps a source that the instance has another bundle of', async () => {
  const { run, write, read, files, call, changes } = await connectProject();
  write({ ...sources, 'groundwork.yml': project });
  expectStatus(await run('push'), 0);
  const { body } = await call('GET', 'snippets/scripts/');
  const [plain, , typed] = body.objects;
  await call('PATCH', `snippets/scripts/${plain.id}/`, { source: 'changed' });
  await call('PATCH', `snippets/scripts/${typed.id}/`, { source: 'changed' });
  const long = `${'x'.repeat(70_000)}\n`;
  await call('POST', 'snippets/scripts/', {
    label: 'Send: a/mail',
    runtime_name: 'nodejs',
    source: long,
  });
  await call('POST', 'snippets/scripts/', {
    label: 'send_a_mail',
    runtime_name: 'nodejs',
    source: '1',
  });
  await call('POST', 'snippets/scripts/', { runtime_name: 'python', source: '1' });

  const ended = await run('pull');

  expect(ended).toEqual({
    status: 0,
    stdout: [
      'Wrote groundwork.yml',
      'Wrote scripts/plain.js',
      'Wrote scripts/Send_a_mail.js',
      'Wrote scripts/send_a_mail-2.js',
      '',
    ].join('\n'),
    stderr: [
      'scripts: 1 without a name of their own, which groundwork.yml cannot hold',
      'scripts/typed.ts is unchanged, although the instance has another source: it is bundled, and cannot be pulled',
      '',
    ].join('\n'),
  });
  expect(files()).toMatchObject({
    'scripts/plain.js': 'changed',
    'scripts/Send_a_mail.js': long,
    'scripts/typed.ts': sources['scripts/typed.ts'],
  });
  expect(read('groundwork.yml')).toContain('  "Send: a/mail":\n    file: scripts/Send_a_mail.js\n');
  changes();
  expect(await run('push', '--only', 'scripts')).toMatchObject({ status: 0 });
  expect(changes()).toEqual([`PATCH snippets/scripts/${typed.id}/`]);
});

test('a pull overwrites no file that cannot be bundled, nor one of another script', async () => {
  const { run, write, files } = await connectProject();
  write({ ...sources, 'groundwork.yml': project });
  expectStatus(await run('push'), 0);
  const written = {
    'node_modules/sums/package.json': '{ "name": "sums", "main": "none.js" }',
    'groundwork.yml': project.replace('  plain:', '  other:'),
    'scripts/hello.js': 'mine',
    'scripts/plain.js': 'mine',
  };
  write(written);

  const ended = await run('pull');

  expect(ended).toMatchObject({
    status: 0,
    stdout: 'Wrote groundwork.yml\nWrote scripts/plain-2.js\n',
    stderr:
      'scripts/typed.ts is unchanged, although the instance has another source: it is bundled, and cannot be pulled\n' +
      'scripts/plain.js is no longer the file of a script\n',
  });
  expect(files()).toMatchObject({
    'scripts/typed.ts': sources['scripts/typed.ts'],
    'scripts/plain.js': 'mine',
    'scripts/plain-2.js': sources['scripts/plain.js'],
  });
});

test('a push creates no second script of a label', async () => {
  const { run, write, call, changes } = await connectProject();
  const body = { label: 'hello', runtime_name: 'nodejs' };
  await call('POST', 'snippets/scripts/', body);
  await call('POST', 'snippets/scripts/', body);
  write({ ...sources, 'groundwork.yml': project });
  changes();

  const ended = await run('push');

  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain('  scripts.hello: the instance has 2 of this name\n');
  expect(changes()).toEqual([]);
});

test('a script that imports the client library of the old service runs', async () => {
  const { folder, run, write, call } = await connectProject();
  symlinkSync(packages, join(folder, 'node_modules'));
  write({
    'groundwork.yml':
      'config: { allow_full_access: true }\nscripts: { list: { file: scripts/list.ts } }\n' +
      'script_endpoints: { list: { script: list } }\n',
    'scripts/list.ts':
      "import Syncano from 'syncano';\n" +
      'const { token: accountKey, api_url: baseUrl, instance: instanceName } = META;\n' +
      'const { Class } = Syncano({ accountKey, baseUrl, defaults: { instanceName } });\n' +
      'Class.please().list().then((all) => console.log(all.map(({ name }) => name)));\n',
  });
  expectStatus(await run('push'), 0);

  const { body } = await call('POST', 'endpoints/scripts/list/run/', {});

  expect(body.result).toEqual({ stdout: "[ 'user_profile' ]", stderr: '' });
  expect(await run('diff')).toMatchObject({ status: 0 });
});

test('scripts of an instance make an equal instance', async () => {
  const first = await connectProject();
  first.write({ ...sources, 'groundwork.yml': project });
  expectStatus(await first.run('push'), 0);
  const second = await connectAnother(first, 'second');
  const third = await connectAnother(first, 'third');
  second.write({ '.env': first.read('.env') });
  expectStatus(await second.run('pull'), 0);
  third.write(second.files());
  expectStatus(await third.run('push'), 0);

  expect(await third.run('pull')).toMatchObject({ stdout: 'All files are up to date.\n' });

  const list = async ({ call }: typeof first) =>
    (await call('GET', 'snippets/scripts/')).body.objects.map(
      ({ label, source, runtime_name, config }: Record<string, unknown>) => ({
        label,
        source,
        runtime_name,
        config,
      }),
    );
  expect(await list(third)).toEqual(await list(first));
});

test('an endpoint moves to another script, and is deleted with --prune', async () => {
  const { run, write, changes, call } = await connectProject();
  write({ ...sources, 'groundwork.yml': project });
  expectStatus(await run('push'), 0);
  write({
    'groundwork.yml': project
      .replace('greet: { script: Typed one', 'greet: { script: plain')
      .replace(/ {2}Typed one:.*\n.*\n/, ''),
  });
  changes();

  expectStatus(await run('push', '--prune'), 0);

  expect(changes()).toEqual([
    'PATCH endpoints/scripts/greet/',
    expect.stringMatching('DELETE snippets/scripts/'),
  ]);
  expect((await call('GET', 'endpoints/scripts/')).body.objects).toHaveLength(2);
});

const modulesThatAwait: [string, string, string, string, Record<string, string>?][] = [
  [
    'with imports',
    'a.mjs',
    "import { createHash } from 'node:crypto';\nimport { add } from 'sums';\nconst fs = await import('node:fs');\nconsole.log(add(await 41, 1), typeof createHash, typeof fs.readFileSync, import.meta.url);\nexport const kept = 1;\nexport { kept as default };\n",
    '42 function function undefined',
  ],
  [
    'without imports',
    'a.js',
    'const n = await Promise.resolve(7);\nconsole.log(n, ARGS.x);',
    '7 5',
  ],
  ['in TypeScript', 'a.ts', 'const n: number = await 7;\nconsole.log(n);', '7'],
  [
    'in a module that it imports',
    'a.mjs',
    "import { n } from './lib.mjs';\nconsole.log(n);",
    '8',
    { 'lib.mjs': 'export const n = await 8;' },
  ],
];

test.each(oneOf(modulesThatAwait, 0))(
  'a module with top-level await runs: %s',
  async (_name, file, source, stdout, more = {}) => {
    const { run, write } = await connectProject();
    write({
      ...sources,
      ...more,
      [file]: source,
      'groundwork.yml': `scripts: { a: { file: ${file} } }`,
    });

    expectStatus(await run('push'), 0);
    const again = await run('push');
    const ran = await run('run', 'a', '--payload', '{"x":5}');

    expect(again.stdout).toBe('Nothing differs.\n');
    expect(ran.stdout.split('\n')[0]).toBe(stdout);
  },
);

const useClient = 'console.log(typeof Syncano, Syncano({}).getBaseUrl !== undefined);';

test.each([
  ['a.js', `const Syncano = require('syncano');\n${useClient}\n`],
  ['a.ts', `import Syncano from 'syncano';\n${useClient}\n`],
  ['a.mjs', `import Syncano from 'syncano';\nawait 1;\n${useClient}\n`],
])('the client of the old service is the one of the server: %s', async (file, source) => {
  const { run, write } = await connectProject();
  write({ [file]: source, 'groundwork.yml': `scripts: { a: { file: ${file} } }` });

  expectStatus(await run('push'), 0);

  expect((await run('run', 'a')).stdout.split('\n')[0]).toBe('function true');
});

test.each([
  ['1.0.30', 'function'],
  ['0.1.0', 'of the project'],
])('an installed client of version %s is %s', async (version, shown) => {
  const { run, write } = await connectProject();
  write({
    'node_modules/syncano/package.json': JSON.stringify({ name: 'syncano', version }),
    'node_modules/syncano/index.js': "module.exports = 'of the project';",
    'a.js': "const it = require('syncano');\nconsole.log(typeof it === 'string' ? it : typeof it);",
    'groundwork.yml': 'scripts: { a: { file: a.js } }',
  });

  expectStatus(await run('push'), 0);

  expect((await run('run', 'a')).stdout.split('\n')[0]).toBe(shown);
});

test('an error after an await is a failure of the run', async () => {
  const { run, write } = await connectProject();
  write({
    'a.mjs': "await 1;\nthrow new Error('mine');",
    'groundwork.yml': 'scripts: { a: { file: a.mjs } }',
  });
  expectStatus(await run('push'), 0);

  expect(await run('run', 'a')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('mine'),
  });
});

test('a push warns of functions that are exported by default and that nothing calls', async () => {
  const { run, write } = await connectProject();
  const rows: readonly (readonly [source: string, uncalled?: string])[] = [
    ['export default function () { return 1 }', 'a function'],
    ['export default async function (request) { return 1 }', 'a function'],
    ['export default async function main() { return 1 }', 'main'],
    ['export default async (request, context) => 1;', 'a function'],
    ['export default request => 1;', 'a function'],
    ['function main() { return 1 }\n\nexport default main;\n', 'main'],
    ['const $ = async () => 1;\nexport default $', '$'],
    ['export default function main() { return 1 }\nmain();'],
    ['export default function main() { return 1 }\nsetTimeout(main);'],
    ['function main() {}\nmain();\nexport default main;'],
    ['const main = 1;\nexport default main;'],
    ['export default { a: 1 };'],
    ['export function main() {}'],
    ['console.log(1)'],
  ];
  const files = rows.map(([source], at) => [`s${at}.js`, source] as const);
  const entries = files.map(([file]) => `  ${file}: { file: ${file} }\n`);
  write({ ...Object.fromEntries(files), 'groundwork.yml': `scripts:\n${entries.join('')}` });

  const { status, stderr } = await run('push');

  const warned = rows.flatMap(([, name], at) =>
    name === undefined
      ? []
      : [
          `scripts.s${at}.js.file: s${at}.js exports ${name} by default, and nothing calls it: a script runs from its first line to its last`,
        ],
  );
  expect([status, stderr]).toEqual([
    0,
    [...warned, 'Pushed 14 changes to library.', ''].join('\n'),
  ]);
});

test.each([
  ['a file that does not exist', {}, 'scripts.a.file: scripts/a.ts does not exist'],
  [
    'a module that does not exist',
    { 'scripts/a.ts': "import 'b';" },
    'scripts.a.file: scripts/a.ts cannot be bundled: ',
  ],
  ['a file elsewhere', { 'scripts/a.ts': '' }, 'scripts.a.file: is not a path within the project'],
  [
    'a text that is not UTF-8',
    { 'scripts/a.ts': Buffer.from([0xff]) },
    'scripts/a.ts, line 1: the bytes are not text in UTF-8',
  ],
  ['a syntax error', { 'scripts/a.ts': 'const' }, 'scripts/a.ts, line 1: '],
])('a push rejects %s', async (_name, files, message) => {
  const { run, write } = await connectProject();
  const path = message.includes('within') ? '../a.ts' : 'scripts/a.ts';
  write({ ...files, 'groundwork.yml': `scripts: { a: { file: ${path} } }` });

  expect(await run('push')).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
});

test('a package that is linked to a folder elsewhere is refused by its name', async () => {
  const { run, write, folder } = await connectProject();
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'groundwork-packages-')));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const linked = join(elsewhere, 'sums');
  mkdirSync(linked);
  writeFileSync(join(linked, 'package.json'), '{ "name": "@my/sums", "main": "sums.js" }');
  writeFileSync(join(linked, 'sums.js'), 'exports.add = (a, b) => a + b;\n');
  write({
    'scripts/a.js': "const { add } = require('@my/sums');\nconsole.log(add(1, 2));\n",
    'node_modules/@my/README': 'a folder',
    'groundwork.yml': 'scripts: { a: { file: scripts/a.js } }',
  });
  symlinkSync(linked, join(folder, 'node_modules/@my/sums'));

  const { status, stderr } = await run('push');

  expect(status).toBe(1);
  expect(stderr).toBe(`groundwork: groundwork.yml is not valid:
  scripts.a.file: scripts/a.js cannot be bundled: the package @my/sums is a link to ${linked}, which is neither in the project nor in a folder node_modules, and a push sends no files from elsewhere. Install a copy: npm pack in that folder, then npm install with the archive; or move it into the project
`);
});

test('the byte order mark of a file is not part of its script', async () => {
  const { run, write, call, changes, files } = await connectProject();
  const marked = (text: string) => Buffer.from(`\uFEFF${text}`);
  write({
    'scripts/a.py': marked("print('hello')\n"),
    'scripts/b.js': marked('console.log(1);\n'),
    'scripts/c.ts': marked("import { d } from './d.ts';\nconsole.log(d);\n"),
    'scripts/d.ts': marked('export const d: number = 4;\n'),
    'groundwork.yml': marked(
      'scripts:\n  a: { file: scripts/a.py, runtime_name: python }\n  b: { file: scripts/b.js }\n  c: { file: scripts/c.ts }\n',
    ),
  });
  const before = files();
  changes();

  expectStatus(await run('push'), 0);

  const { objects } = (await call('GET', 'snippets/scripts/')).body;
  const sources = objects.map(({ source }: { source: string }) => source);
  expect(sources.slice(0, 2)).toEqual(["print('hello')\n", 'console.log(1);\n']);
  expect(sources[2]).not.toContain('\uFEFF');
  changes();
  expect(await run('push')).toMatchObject({ stdout: 'Nothing differs.\n' });
  expect(await run('pull')).toMatchObject({ stdout: 'All files are up to date.\n' });
  expect([changes(), files()]).toEqual([[], before]);
});

test('a script that has a byte order mark in the instance differs, and keeps it in a pull', async () => {
  const { run, write, call, changes } = await connectProject();
  const source = "\uFEFFprint('hello')\n";
  const body = { label: 'a', runtime_name: 'python', source };
  const { id } = (await call('POST', 'snippets/scripts/', body)).body;
  write({
    'scripts/a.py': Buffer.from(source),
    'groundwork.yml': 'scripts:\n  a: { file: scripts/a.py, runtime_name: python }\n',
  });
  changes();
  expect(await run('diff')).toMatchObject({ status: 2 });

  expectStatus(await run('pull'), 0);
  expect(await run('diff')).toMatchObject({ status: 0 });
  expect(await run('pull')).toMatchObject({ stdout: 'All files are up to date.\n' });
  write({ 'scripts/a.py': Buffer.from(source) });
  expectStatus(await run('push'), 0);

  expect(await run('diff')).toMatchObject({ status: 0 });
  const stored = await call('GET', `snippets/scripts/${id}/`);
  expect(stored.body.source).toBe("print('hello')\n");
});

test('a script of Python 2 is pushed with a warning, which diff has as well', async () => {
  const { run, write, call } = await connectProject();
  const source = `import os\n\nprint os.name\ntry:\n    x = 0777\nexcept OSError, e:\n    raise e, "x"\nprint 2\n`;
  write({
    'scripts/old.py': source,
    'scripts/new.py': 'print("a <> b")\n',
    'scripts/plain.js': 'print\nvar x = `a`\n',
    'groundwork.yml':
      'scripts:\n  old: { file: scripts/old.py }\n  new: { file: scripts/new.py }\n  js: { file: scripts/plain.js }\n',
  });
  const warning =
    'scripts.old.file: scripts/old.py is Python 2, and a run of it fails: line 3: print statement, line 5: octal number with a leading 0, line 6: except X, e, and more. How to convert: docs/guides/python-2.md';

  const compared = await run('diff');
  const pushed = expectStatus(await run('push'), 0);
  const again = expectStatus(await run('push'), 0);

  expect(compared.status).toBe(2);
  for (const { stderr } of [compared, pushed, again]) {
    expect(stderr).toContain(warning);
    expect(stderr.split('is Python 2')).toHaveLength(2);
  }
  const { body } = await call('GET', 'snippets/scripts/');
  expect(body.objects[0]).toMatchObject({ label: 'old', source });
});
