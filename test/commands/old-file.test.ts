import { expect, test } from 'vitest';
import { connectProject, expectStatus } from './project.ts';

/** In the form in which the command line of the old service wrote it. */
const oldFile = `classes:
  book:
    fields:
      author: reference author filtered
      categories: array
      holder: relation
      pages: integer filtered ordered
      title: string ordered filtered
      used: boolean
    group_permissions: create_objects
    other_permissions: read
  author:
    fields:
      last_book: reference book
      name: string
  user_profile:
    fields: {}
    group_permissions: create_objects
    other_permissions: create_objects
hosting:
  website: {src: dist}
scripts:
- config:
    timeout: 10
  endpoints:
  - hello
  - hello-again
  label: say hello
  runtime: python_library_v5.0
  script: scripts/say_hello.py
- label: count.js
  runtime: nodejs_library_v0.4
  script: scripts\\count.js
- label: legacy
  runtime: php
  script: scripts/legacy.php
`;
const files = {
  'syncano.yml': oldFile,
  'scripts/say_hello.py': 'print(ARGS)\n',
  'scripts/count.js': "var Syncano = require('syncano');\nconsole.log(1);\n",
};

test('a push takes a syncano.yml as it is', async () => {
  const { run, write, call, changes } = await connectProject();
  write(files);
  changes();

  const ended = await run('push');

  expect(ended).toMatchObject({
    status: 0,
    stderr: [
      'syncano.yml: hosting is left out',
      'syncano.yml: classes.book.fields.holder has no target: taken as self',
      'syncano.yml: the script legacy is left out: scripts/legacy.php cannot run here',
      'Pushed 6 changes to library.',
      '',
    ].join('\n'),
  });
  const { body } = await call('GET', 'classes/book/');
  expect(body).toMatchObject({ group_permissions: 'create_objects', other_permissions: 'read' });
  expect(body.schema).toEqual([
    { name: 'author', type: 'reference', target: 'author', filter_index: true },
    { name: 'categories', type: 'array' },
    { name: 'holder', type: 'relation', target: 'self' },
    { name: 'pages', type: 'integer', order_index: true, filter_index: true },
    { name: 'title', type: 'string', order_index: true, filter_index: true },
    { name: 'used', type: 'boolean' },
  ]);
  const scripts = await call('GET', 'snippets/scripts/');
  expect(scripts.body.objects).toMatchObject([
    { label: 'say hello', runtime_name: 'python_library_v5.0', config: { timeout: 10 } },
    { label: 'count.js', runtime_name: 'nodejs_library_v0.4', source: files['scripts/count.js'] },
  ]);
  expect((await call('GET', 'endpoints/scripts/')).body.objects).toHaveLength(2);
  changes();
  expect(await run('push')).toMatchObject({ status: 0, stdout: 'Nothing differs.\n' });
  expect(changes()).toEqual([]);
});

test('sections that a syncano.yml cannot have are left alone, also with --prune', async () => {
  const { run, write, call } = await connectProject();
  await call('POST', 'groups/', { name: 'editors' });
  await call('POST', 'classes/', { name: 'old' });
  write({ 'syncano.yml': 'hosting: {}\n' });
  expect(await run('push', '--prune')).toMatchObject({ stdout: 'Nothing differs.\n' });
  write(files);

  expectStatus(await run('push', '--prune'), 0);

  expect((await call('GET', 'groups/')).body.objects).toHaveLength(1);
  expect(await call('GET', 'classes/old/')).toMatchObject({ status: 404 });
});

test('a pull writes a groundwork.yml, with the files of the scripts', async () => {
  const { run, write, read, files: present } = await connectProject();
  write(files);
  expectStatus(await run('push'), 0);

  const ended = await run('pull');

  expect(ended).toMatchObject({ status: 0, stdout: 'Wrote groundwork.yml\n' });
  expect(present()).toMatchObject(files);
  expect(read('groundwork.yml')).toContain('  say hello:\n    file: scripts/say_hello.py\n');
  expect(await run('diff')).toMatchObject({ status: 0, stderr: '' });
});
