import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Connected, connectProject, expectStatus } from './project.ts';

/* A project that was cloned is another person's: no command reads or writes through its links. */

const secret = 'console.log("a secret of the user")';

/** Returns a connected project, and a folder of the user outside of it. */
async function start() {
  const project = await connectProject();
  const outside = join(project.folder, '..', 'outside');
  mkdirSync(outside);
  const own = join(outside, 'own.js');
  writeFileSync(own, secret);
  const link = (target: string, path: string) => {
    rmSync(join(project.folder, path), { recursive: true, force: true });
    symlinkSync(target, join(project.folder, path));
  };
  const unchanged = () => [readFileSync(own, 'utf8'), readdirSync(outside)];
  return { ...project, outside, own, link, unchanged };
}

const untouched = [secret, ['own.js']];

const yml = 'scripts: { x: { file: scripts/x.js } }\n';

/** Sends a script to the instance, whose source there differs from that of the project. */
async function withScript({ call }: Pick<Connected, 'call'>, source = 'server()') {
  const body = { label: 'x', source, runtime_name: 'nodejs' };
  await call('POST', 'snippets/scripts/', body);
}

describe('pull', () => {
  test('writes no script through a link', async () => {
    const { run, write, link, own, unchanged, ...project } = await start();
    await withScript(project);
    write({ 'groundwork.yml': yml, 'scripts/x.js': '' });
    link(own, 'scripts/x.js');

    const ended = await run('pull');

    expect(unchanged()).toEqual(untouched);
    expect(ended).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'groundwork: scripts/x.js is a symbolic link, which no command follows within a project\n',
    });
  });

  test('writes no script into a linked folder, nor through a link to nothing', async () => {
    const { run, write, link, outside, unchanged, ...project } = await start();
    await withScript(project);
    write({ 'groundwork.yml': yml, 'scripts/x.js': '' });

    link(join(outside, 'new.js'), 'scripts/x.js');
    const dangling = await run('pull');
    link(outside, 'scripts');
    const folder = await run('pull');
    write({ 'groundwork.yml': '{}\n' });
    const unnamed = await run('pull');

    expect(unchanged()).toEqual(untouched);
    expect([dangling, folder, unnamed].map(({ status }) => status)).toEqual([1, 1, 1]);
    expect(folder.stderr).toContain('scripts is a symbolic link');
    expect(unnamed.stderr).toContain('scripts is a symbolic link');
  });

  test('writes no project file through a link', async () => {
    const { run, link, own, outside, unchanged, ...project } = await start();
    await withScript(project);
    writeFileSync(own, '{}\n');

    link(own, 'groundwork.yml');
    const ended = await run('pull');
    link(join(outside, 'new.yml'), 'groundwork.yml');
    const dangling = await run('pull');

    expect(unchanged()).toEqual(['{}\n', ['own.js']]);
    expect(ended.stderr).toContain('groundwork.yml is a symbolic link');
    expect(dangling.status).toBe(1);
  });

  test.each(['.git/config', '.env', 'scripts/../.git/config', '../own.js', '.git\\config'])(
    'writes no %s',
    async (file) => {
      const { run, write, read, ...project } = await start();
      await withScript(project);
      const env = read('.env');
      write({ '.git/config': 'mine', 'groundwork.yml': `scripts: { x: { file: '${file}' } }\n` });

      const ended = await run('pull');

      expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('scripts.x.file') });
      expect([read('.git/config'), read('.env')]).toEqual(['mine', env]);
    },
  );
});

describe('push', () => {
  test('sends no file that a link leads to', async () => {
    const { run, write, link, own, outside, changes } = await start();
    write({ 'groundwork.yml': yml, 'scripts/x.js': '' });
    changes();

    link(own, 'scripts/x.js');
    const file = await run('push');
    link(outside, 'scripts');
    write({ 'groundwork.yml': 'scripts: { x: { file: scripts/own.js } }\n' });
    const folder = await run('push');
    const diff = await run('diff');
    const doctor = await run('doctor');

    expect(changes()).toEqual([]);
    expect(file.stderr).toContain('scripts/x.js is a symbolic link');
    expect(folder.stderr).toContain('scripts is a symbolic link');
    expect([diff.status, doctor.status]).toEqual([1, 1]);
    expect(doctor.stdout).toContain('scripts is a symbolic link');
  });

  test.each([
    ['a module outside', "import '../../outside/own.js';", ''],
    ['JSON outside', "import x from '../../outside/own.json'; console.log(x)", ''],
    ['a text outside', "import x from '../../outside/own.txt'; console.log(x)", ''],
    ['a linked module', "import './linked.js';", 'scripts/linked.js'],
    ['a linked package', "import 'linked.js';", 'node_modules/linked.js'],
    ['a linked folder', "import './linked/own.js';", 'scripts/linked'],
  ])('bundles no %s', async (_name, source, linked) => {
    const { run, write, link, own, outside, changes } = await start();
    for (const name of ['own.json', 'own.txt']) writeFileSync(join(outside, name), '"secret"');
    write({ 'groundwork.yml': yml, 'scripts/x.js': source, 'node_modules/a.js': '' });
    if (linked !== '') link(linked.endsWith('linked') ? outside : own, linked);
    changes();

    const ended = await run('push');

    expect(changes()).toEqual([]);
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('outside') });
  });

  test('bundles no hidden file of the project', async () => {
    const { run, write, changes } = await start();
    const source = "import key from '../.env' with { type: 'text' }; console.log(key)";
    write({ 'groundwork.yml': yml, 'scripts/x.js': source });
    changes();

    const ended = await run('push');

    expect(changes()).toEqual([]);
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('.env') });
  });
});

describe('files that are none', () => {
  test.each([
    ['a script', 'scripts/x.js'],
    ['the project file', 'groundwork.yml'],
    ['the environment', '.env'],
  ])('a pipe in place of %s ends the command', async (_name, path) => {
    const { run, write, folder } = await start();
    write({ 'groundwork.yml': yml, 'scripts/x.js': '' });
    rmSync(join(folder, path));
    execFileSync('mkfifo', [join(folder, path)]);

    const ended = await run('push');

    expect(ended.status).toBe(1);
    expect(ended.stderr).toContain(`${path} is neither a file nor a folder`);
  });
});

describe('other commands', () => {
  test('types and run follow no link below the folder', async () => {
    const { run, link, own, outside, unchanged } = await start();
    link(outside, 'src');
    link(own, 'types.ts');
    link(join(outside, 'new.ts'), 'new.ts');
    writeFileSync(own, '{"a": 1}');

    const ended = [
      await run('types', '--out', 'types.ts'),
      await run('types', '--out', 'new.ts'),
      await run('types', '--out', 'src/types.ts'),
      await run('run', 'x', '--payload', '@types.ts'),
      await run('run', 'x', '--payload', '@src/own.js'),
    ];

    expect(unchanged()).toEqual(['{"a": 1}', ['own.js']]);
    expect(ended.filter(({ stderr }) => !stderr.includes('is a symbolic link'))).toEqual([]);
  });

  test('init writes no .env, .gitignore and example through links', async () => {
    const { run, link, own, outside, unchanged, read, folder } = await start();
    const init = (...args: string[]) => run('init', '--instance', 'library', ...args);
    const env = read('.env');

    link(own, '.gitignore');
    const ignored = await init();
    rmSync(join(folder, '.gitignore'));
    link(outside, 'scripts');
    const example = await init('--example');
    link(join(outside, 'books.ts'), 'books.ts');
    const dangling = await init('--example');
    link(own, '.env');
    const linked = await init('--url', /URL=(.*)/.exec(env)?.[1] ?? '');

    expect(unchanged()).toEqual(untouched);
    const all = [ignored, example, dangling, linked];
    expect(all.map(({ status }) => status)).not.toContain(0);
    expect(ignored.stderr).toContain('.gitignore is a symbolic link');
    expect(linked.stderr).toContain('.env is a symbolic link');
  });

  test('export and import follow no link in their folder', async () => {
    const { run, link, own, outside, unchanged, call, folder } = await start();
    const schema = [{ name: 'scan', type: 'file' }];
    await call('POST', 'classes/', { name: 'book', schema });
    mkdirSync(join(folder, 'out'));
    writeFileSync(own, '');

    const linked = [];
    for (const path of ['export.json', 'schema.jsonl', 'groups.jsonl', 'groundwork.yml']) {
      for (const name of readdirSync(join(folder, 'out'))) {
        rmSync(join(folder, 'out', name), { recursive: true });
      }
      link(path === 'export.json' ? join(outside, 'new') : own, `out/${path}`);
      linked.push({ path, ...(await run('export', 'out')) });
    }
    const stateless = linked.filter(({ stderr }) => !stderr.includes('is a symbolic link'));
    expect(stateless).toEqual([]);
    expect(unchanged()).toEqual(['', ['own.js']]);

    rmSync(join(folder, 'out'), { recursive: true });
    expectStatus(await run('export', 'out'), 0);
    const record = {
      id: 1,
      scan: { type: 'file', value: 'files/a.txt', content_type: 'text/plain' },
    };
    writeFileSync(join(folder, 'out/objects/book.jsonl'), `${JSON.stringify(record)}\n`);
    link(own, 'out/files/a.txt');
    const file = await run('import', 'out');
    link(outside, 'out/files');
    const files = await run('import', 'out');

    expect(file.stderr).toContain('a.txt is a symbolic link');
    expect(files.stderr).toContain('files is a symbolic link');
  });

  test('export and import follow no link to their folder below the current one', async () => {
    const { run, write, link, own, outside, folder } = await start();
    writeFileSync(join(outside, 'groundwork.yml'), 'scripts: { x: { file: own.js } }\n');
    write({ 'a/b.txt': '' });
    link(outside, 'backup');
    link(outside, 'a/backup');

    const ended = [
      await run('export', 'backup'),
      await run('export', 'a/backup'),
      await run('export', join(folder, 'backup')),
      await run('import', 'backup'),
      await run('import', 'backup', '--from', 'parse'),
    ];

    expect(ended.filter(({ stderr }) => !stderr.includes('is a symbolic link'))).toEqual([]);
    expect(readdirSync(outside).toSorted()).toEqual(['groundwork.yml', 'own.js']);
    expect(readFileSync(own, 'utf8')).toBe(secret);
  });

  test('a link is one also where the project is named through another link', async () => {
    const { run, link, outside, folder, unchanged } = await start();
    link(outside, 'src');
    symlinkSync(folder, join(outside, '../other'));

    const ended = await run('types', '--out', join(outside, '../other/src/types.ts'));

    expect(unchanged()).toEqual(untouched);
    expect(ended.stderr).toContain('src is a symbolic link');
  });

  test('import follows no link to a CSV file, nor to its state', async () => {
    const { run, write, link, own, outside, unchanged, call, folder } = await start();
    await call('POST', 'classes/', { name: 'book', schema: [{ name: 'title', type: 'string' }] });
    writeFileSync(own, 'title\nEmma\n');
    link(own, 'linked.csv');
    write({ 'books.csv': 'title\nEmma\n', 'all/book.json': '[]' });
    link(own, 'all/other.json');

    const csv = await run('import', 'linked.csv', '--class', 'book');
    const json = await run('import', 'all', '--from', 'parse');
    const broken = await run('import', 'books.csv', '--class', 'absent');
    expect(broken.status).toBe(2);

    expect(csv.stderr).toContain('linked.csv is a symbolic link');
    expect(json.stderr).toContain('other.json is a symbolic link');
    expect(unchanged()).toEqual(['title\nEmma\n', ['own.js']]);
    expect(existsSync(join(folder, 'books.csv'))).toBe(true);
    expect(outside).toBeTruthy();
  });
});

test('a folder that is a link itself is a project', async () => {
  const { run, folder, link, read } = await start();
  mkdirSync(join(folder, 'real'));
  link(join(folder, 'real'), 'linked');
  const url = /URL=(.*)/.exec(read('.env'))?.[1] ?? '';

  const ended = await run('init', 'linked', '--instance', 'library', '--url', url);

  expectStatus(ended, 0);
  expect(existsSync(join(folder, 'real/.env'))).toBe(true);
});

test('a hard link is a file', async () => {
  const { run, write, folder, own } = await start();
  write({ 'groundwork.yml': yml, 'scripts/a.js': '' });
  linkSync(own, join(folder, 'scripts/x.js'));

  expect(await run('push')).toMatchObject({ status: 0 });
});

/** Functions of `node:fs` that modules of the command line use besides those of project-files.ts. */
const fileFunctions = {
  'account/credentials.ts': 'chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync', // of the log-ins, in the home
  'commands/import.ts': 'existsSync, statSync', // of the source, which the user names
  'commands/init.ts': 'existsSync', // of the folder, which the user names
  'commands/run.ts': 'readFileSync', // of /dev/stdin and what a shell opens
  'project-files.ts': undefined,
  'project-folder.ts': 'lstatSync, readFileSync, realpathSync, type Stats, statSync', // looks for the folder
  'project/files/python/pip.ts': 'mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync', // of a temporary folder
  'project/files/script-modules.ts': 'existsSync, lstatSync, readdirSync, realpathSync', // of the folder
  'transfer/csv.ts': 'createReadStream', // of a descriptor
  'transfer/files.ts': 'createWriteStream', // of a descriptor
  'transfer/folder.ts': 'mkdirSync', // of the folder, which the user names
  'transfer/lines.ts': 'createReadStream', // of a descriptor
  'types/typescript-file.ts': 'readFileSync', // of the program
};

test('all files of a project are opened by one module', () => {
  const folder = fileURLToPath(new URL('../../bin/groundwork/', import.meta.url));
  const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );

  const found = modules.toSorted().flatMap((name): [string, string | undefined][] => {
    const text = readFileSync(join(folder, name), 'utf8');
    const [, names] = /import \{([^}]*)\} from '(?:node:)?fs(?:\/promises)?'/.exec(text) ?? [];
    const isOther = /['"](?:node:)?fs(?:\/promises)?['"]/.test(text) && names === undefined;
    if (isOther) return [[name, 'imported in another way']];
    return names === undefined ? [] : [[name, names.trim()]];
  });

  const allowed = Object.entries(fileFunctions);
  expect(
    found.map(([name, names]) => [name, name === 'project-files.ts' ? undefined : names]),
  ).toEqual(allowed);
});
