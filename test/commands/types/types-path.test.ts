import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseProject } from '../../../bin/groundwork/project/model/parse.ts';
import { connectProject, expectStatus } from '../project.ts';

/* `types:` in groundwork.yml: the file that `groundwork types` and `groundwork dev` write. */

test('types writes the file that the project names, and pull keeps its name', async () => {
  const { run, write, read, call } = await connectProject();
  write({ 'groundwork.yml': 'types: src/api.ts # for the app\nclasses: { book: {} }\n' });
  expectStatus(await run('push'), 0);
  await call('POST', 'classes/', { name: 'author', schema: [] });

  const pulled = await run('pull');
  const written = await run('types');
  const again = await run('types');

  expect(pulled).toMatchObject({ status: 0, stdout: 'Wrote groundwork.yml\n' });
  expect(read('groundwork.yml')).toMatch(/^types: src\/api\.ts # for the app\n/);
  expect(read('groundwork.yml')).toContain('author');
  expect(written.stdout).toBe('Wrote src/api.ts, with 3 classes: user_profile, book, author\n');
  expect(again.stdout).toBe('All files are up to date.\n');
  expect(read('src/api.ts')).toContain('author');
  expect((await run('diff')).stdout).toBe('Nothing differs.\n');
  expect((await run('pull')).stdout).toBe('All files are up to date.\n');
});

test('types overwrites no other file of the project, unless --out names it', async () => {
  const { run, write, read } = await connectProject();
  write({ 'groundwork.yml': 'types: app.ts\n', 'app.ts': 'export const own = 1;\n' });

  const refused = await run('types');
  const kept = read('app.ts');
  const forced = await run('types', '--out', 'app.ts');

  expect(refused).toMatchObject({
    status: 1,
    stderr:
      'groundwork: types: app.ts was not written by groundwork types: remove it, or name another file\n',
  });
  expect(kept).toBe('export const own = 1;\n');
  expect(forced.status).toBe(0);
  expect(read('app.ts')).toContain('createClient');
});

const badPath =
  'types: is not the path of a .ts file within the project, without names that begin with a dot';

test.each([
  ['another kind of file', 'types: src/api.js', badPath],
  ['a path out of the project', 'types: ../api.ts', badPath],
  ['a hidden folder', 'types: .git/api.ts', badPath],
  ['no text', 'types: [a.ts]', badPath],
  ['null', 'types: ~', badPath],
  [
    'the file of a script',
    'types: ./scripts/a.ts\nscripts: { a: { file: scripts/a.ts } }',
    'types: ./scripts/a.ts is the file of the script a',
  ],
  ['a misspelt name', 'type: src/api.ts', 'type: is none of the sections'],
])('%s is a mistake in the project', (_name, yml, problem) => {
  expect(() => parseProject(parse(yml), 'groundwork.yml')).toThrow(
    `groundwork.yml is not valid:\n  ${problem}`,
  );
});
