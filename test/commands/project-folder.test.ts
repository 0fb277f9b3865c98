import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { connectProject } from './project.ts';

/* Commands find the project upwards; files that they are given are those of the current folder. */

const yml = `classes: { book: { fields: { title: string } } }
scripts: { greet: { file: scripts/greet.js } }
`;

async function start() {
  const project = await connectProject();
  project.write({
    'groundwork.yml': yml,
    'scripts/greet.js': 'console.log(1);',
    'scripts/deep/payload.json': '{}',
    'scripts/deep/books.csv': 'title\nEmma\n',
  });
  return project;
}

test('commands work in a folder below the project as in it', async () => {
  const { folder, url, runIn, run, read } = await start();
  const below = (...args: readonly string[]) => runIn('scripts/deep', ...args);

  const pushed = await below('push');
  const all = {
    diff: await below('diff'),
    run: await below('run', 'greet', '--payload', '@payload.json'),
    logs: await below('logs'),
    types: await below('types', '--out', 'types.ts'),
    import: await below('import', 'books.csv', '--class', 'book'),
    export: await below('export', 'out'),
    open: await below('open', '--print'),
  };

  expect(pushed.stdout).toMatch(/create +scripts +greet/);
  expect(Object.entries(all).filter(([, { status }]) => status !== 0)).toEqual([]);
  expect(all.diff).toEqual(await run('diff'));
  expect(all.open).toEqual(await run('open', '--print'));
  expect(read('scripts/deep/types.ts')).toContain('export');
  expect(existsSync(join(folder, 'scripts/deep/out/export.json'))).toBe(true);
  expect((await below('doctor', '--json')).stdout).toContain('../../groundwork.yml, with 1 script');
  expect((await below('doctor')).stdout).toContain(`ok       server    ${url}`);
});

test('pull writes the project above, and says where', async () => {
  const { runIn, read, call } = await start();
  await runIn('scripts', 'push');
  await call('POST', 'classes/', { name: 'author', schema: [] });

  const pulled = await runIn('scripts/deep', 'pull');

  expect(pulled.stdout).toBe('Wrote ../../groundwork.yml\n');
  expect(read('groundwork.yml')).toContain('author');
});

test('the nearest project is meant, and a .env of something else is none', async () => {
  const { runIn, write } = await start();
  write({ 'web/.env': 'VITE_URL=x\n', 'web/src/a.ts': '', 'other/groundwork.yml': '{}\n' });

  expect(await runIn('web/src', 'push', '--dry-run')).toMatchObject({ status: 0 });
  expect(await runIn('other', 'push')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no instance is named'),
  });
});

test('the search ends below the home', async () => {
  const { folder, runIn } = await start();
  const home = dirname(folder);
  for (const name of ['.env', 'groundwork.yml']) {
    writeFileSync(join(home, name), readFileSync(join(folder, name)));
  }
  mkdirSync(join(home, 'another'));

  expect(await runIn('../another', 'push')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no instance is named'),
  });
  expect((await runIn('..', 'push')).stderr).toContain('scripts/greet.js does not exist');
});

test('a folder in which others may write is not searched', async () => {
  const { folder, runIn, write } = await start();
  write({ 'sub/x.txt': '' });
  chmodSync(folder, 0o1777);

  expect(await runIn('sub', 'push', '--dry-run')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no instance is named'),
  });
  chmodSync(folder, 0o755);
  expect(await runIn('sub', 'push', '--dry-run')).toMatchObject({ status: 0 });
});

test.skipIf(process.getuid?.() !== 0)('files of another user above are no project', async () => {
  const { folder, runIn, write } = await start();
  write({ 'sub/x.txt': '' });
  for (const name of ['groundwork.yml', '.env']) {
    chownSync(join(folder, name), 12345, 12345);
    expect(await runIn('sub', 'push', '--dry-run')).toMatchObject({ status: 2 });
  }

  expect(await runIn('.', 'types')).toMatchObject({ status: 0 }); // here, whoever owns the files
  chownSync(join(folder, 'sub'), 12345, 12345);
  expect(await runIn('sub', 'push', '--dry-run')).toMatchObject({ status: 0 });
});
