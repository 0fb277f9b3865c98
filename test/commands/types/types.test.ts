import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openWorld, startApi } from '../../support/api.ts';
import { openProject } from '../groundwork.ts';
import { compile, libraries } from './compiler.ts';
import { journey, seen } from './journey.ts';
import { fillLibrary } from './library.ts';
import { lookups, wrongSnippets } from './snippets.ts';

/* The command `types` writes a client that the compiler checks, and that works with a real server. */

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

async function writeTypes() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  await fillLibrary(world);
  const project = openProject();
  symlinkSync(modules, join(project.folder, 'node_modules'));
  const server = ['--url', api.url, '--key', world.owner, '--instance', 'library'];
  const ended = await project.run('types', ...server, '--out', 'library.ts');
  const write = (name: string, text: string) => {
    writeFileSync(join(project.folder, name), text);
    return join(project.folder, name);
  };
  return { ...project, api, world, server, ended, write, file: join(project.folder, 'library.ts') };
}

test('types writes a file that compiles for browsers and for Node', async () => {
  const { run, server, ended, file } = await writeTypes();

  const errors = Object.values(libraries).flatMap((library) => compile([file], library));

  expect(ended).toEqual({
    status: 0,
    stdout: 'Wrote library.ts, with 6 classes: user_profile, author, book, error, run, blog_post\n',
    stderr: '',
  });
  expect(errors).toEqual([]);
  const printed = await run('types', ...server);
  expect(printed).toMatchObject({ status: 0, stdout: readFileSync(file, 'utf8') });
});

test('types needs an instance that exists', async () => {
  const { run, server } = await writeTypes();

  expect(await run('types', ...server, '--instance', 'other')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('there is no instance other on'),
  });
});

const beginning = `import { createClient } from './library.ts';
const db = createClient({ url: '', instance: '', apiKey: '' });
`;

test('the compiler finds the mistake in each program', async () => {
  const { write } = await writeTypes();
  const files = wrongSnippets.map(([, snippet], n) => write(`wrong-${n}.ts`, beginning + snippet));

  const complaints = compile(files);

  const found = wrongSnippets.map(([name, , text], n) => [
    name,
    complaints.some(({ file, text: found }) => file === files[n] && found.includes(text)),
  ]);
  expect(found).toEqual(wrongSnippets.map(([name]) => [name, true]));
  expect(complaints.filter(({ file }) => !files.includes(file))).toEqual([]);
});

test('a query compiles exactly if the server accepts it', async () => {
  const { world, write } = await writeTypes();
  const queries = lookups();
  const files = queries.map(({ field, lookup, value }, n) => {
    const where = JSON.stringify({ [field]: { [lookup]: value } });
    return write(
      `query-${n}.ts`,
      `${beginning}await db.book.list({ where: ${where} });\nexport {};\n`,
    );
  });

  const complaints = new Set(compile(files).map(({ file }) => file));
  const statuses = await Promise.all(
    queries.map(async ({ field, lookup, value }) => {
      const query = encodeURIComponent(JSON.stringify({ [field]: { [lookup]: value } }));
      return (await world.call(world.owner, 'GET', `classes/book/objects/?query=${query}`)).status;
    }),
  );

  const outcome = queries.map((query, n) => ({
    ...query,
    compiles: !complaints.has(files[n] ?? ''),
  }));
  expect(outcome).toEqual(queries.map((query, n) => ({ ...query, compiles: statuses[n] === 200 })));
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
});

test('the client works with a server', async () => {
  const { api, world, folder, write } = await writeTypes();
  write('package.json', '{"type": "module"}');
  const program = write('journey.ts', journey);

  const errors = compile([program], { ...libraries.node, outDir: join(folder, 'out') });
  const apiKey = await world.apiKey({ allow_anonymous_read: true });
  const { stdout } = await promisify(execFile)(process.execPath, ['out/journey.js'], {
    cwd: folder,
    env: { URL: api.url, API_KEY: apiKey, ACCOUNT_KEY: world.owner },
  });

  expect(errors).toEqual([]);
  expect(JSON.parse(stdout)).toEqual(seen);
});
