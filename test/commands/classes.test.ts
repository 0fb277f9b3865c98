import { expect, test } from 'vitest';
import { openProject } from './groundwork.ts';
import { connectAnother, connectProject, expectStatus } from './project.ts';

const library = `# The library of our town.
classes:
  author:
    fields: { name: string unique ordered, best: reference book } # the class below
  book:
    description: All books
    other_permissions: read
    metadata: { icon: book }
    fields:
      title: string filtered ordered
      summary: text
      pages: integer ordered
      price: float
      lent: boolean filtered
      published: datetime ordered
      cover: file
      written_by:
        type: reference
        target: Author
        filter_index: true
      similar: relation self filtered
      reader: reference user
      tags: array filtered
      extra: object
      place: geopoint filtered
`;

test('a push creates classes that refer to each other, and a second one changes nothing', async () => {
  const { run, write, changes, call, files } = await connectProject();
  write({ 'groundwork.yml': library });
  changes();

  const first = await run('push');

  expect(first).toMatchObject({
    status: 0,
    stdout: 'change  section  name\\ncreate  classes  author\\ncreate  classes  book\\n'.replaceAll(
      '\\n',
      '\n',
    ),
    stderr: 'Pushed 2 changes to library.\n',
  });
  expect(changes()).toEqual(['POST classes/', 'POST classes/']);
  const { body } = await call('GET', 'classes/book/');
  expect(body.schema).toHaveLength(13);
  expect(body).toMatchObject({ description: 'All books', other_permissions: 'read' });
  expect(await run('push')).toMatchObject({ status: 0, stdout: 'Nothing differs.\n', stderr: '' });
  expect(await run('diff')).toMatchObject({ status: 0, stdout: 'Nothing differs.\n' });
  expect(await run('pull')).toMatchObject({ status: 0, stdout: 'All files are up to date.\n' });
  expect(changes()).toEqual([]);
  expect(files()).toEqual({ 'groundwork.yml': library });
});

test('what a pull writes makes an equal instance, of which a pull writes the same', async () => {
  const first = await connectProject();
  first.write({ 'groundwork.yml': library });
  expectStatus(await first.run('push'), 0);
  const second = await connectAnother(first, 'second');
  const third = await connectAnother(first, 'third');
  second.write({ '.env': first.read('.env') });
  expectStatus(await second.run('pull'), 0);
  third.write(second.files());

  expectStatus(await third.run('push'), 0);

  third.write({ 'groundwork.yml': '' });
  expectStatus(await third.run('pull'), 0);
  expect(third.files()).toEqual(second.files());
  expect(third.read('groundwork.yml')).toContain('written_by: reference author filtered\n');
});

test('a pull changes only what differs, and keeps comments', async () => {
  const { run, write, read, call } = await connectProject();
  write({ 'groundwork.yml': library });
  expectStatus(await run('push'), 0);
  const schema = [{ name: 'name', type: 'string' }];
  await call('PATCH', 'classes/book/', { description: 'Every book' });
  await call('POST', 'classes/', { name: 'shelf', schema });

  const ended = await run('pull');

  expect(ended).toMatchObject({ status: 0, stdout: 'Wrote groundwork.yml\n' });
  const shelf = '  shelf:\n    fields:\n      name: string\n';
  expect(read('groundwork.yml')).toBe(library.replace('All books', 'Every book') + shelf);
  expect(await run('diff')).toMatchObject({ status: 0 });
});

test('a diff shows what a push would do, and ends with 2', async () => {
  const { run, write, changes } = await connectProject();
  write({ 'groundwork.yml': library });
  expectStatus(await run('push'), 0);
  write({
    'groundwork.yml': library
      .replace('      summary: text\n', '      isbn: string unique\n')
      .replace('lent: boolean filtered', 'lent: boolean')
      .replace('All books', 'Every book')
      .replace(/ {2}author:\n.*\n/, '')
      .replace('target: Author', 'target: self'),
  });
  changes();

  const ended = await run('diff');

  expect(ended).toMatchObject({ status: 2, stderr: '' });
  expect(ended.stdout.split('\n')).toEqual([
    'change  section  name',
    'update  classes  book    description, fields -summary ~lent ~written_by +isbn',
    'delete  classes  author',
    '',
  ]);
  expect(JSON.parse((await run('diff', '--json')).stdout)).toEqual([
    {
      section: 'classes',
      name: 'book',
      change: 'update',
      members: ['description', 'fields'],
      details: 'description, fields -summary ~lent ~written_by +isbn',
    },
    { section: 'classes', name: 'author', change: 'delete', members: [], details: '' },
  ]);
  expect(await run('diff', '--only', 'config')).toMatchObject({ status: 0 });
  expect(await run('push', '--only', 'clases')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('clases is none of the sections instance, config,'),
  });
  expect(await run('push', '--dry-run')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(
      'keep    classes  author  not in the project: --prune deletes it',
    ),
  });
  expect(JSON.parse((await run('push', '--dry-run', '--json')).stdout)).toMatchObject({
    changes: [{ section: 'classes', name: 'book', change: 'update' }],
    kept: [{ section: 'classes', name: 'author', change: 'delete' }],
    isApplied: false,
  });
  expect(changes()).toEqual([]);
});

test('fields with values are deleted with --prune only', async () => {
  const { run, write, changes, call } = await connectProject();
  write({ 'groundwork.yml': library });
  expectStatus(await run('push'), 0);
  await call('POST', 'classes/book/objects/', { title: 'Persuasion', pages: 249 });
  write({ 'groundwork.yml': library.replace('pages: integer ordered', 'pages: string') });
  changes();

  const refused = await run('push');

  expect(refused).toMatchObject({
    status: 1,
    stderr:
      'groundwork: nothing was changed:\n' +
      '  classes.book.fields.pages: the class has objects, whose values would be deleted, which takes --prune\n',
  });
  expect(changes()).toEqual([]);
  expect(await run('push', '--prune')).toMatchObject({ status: 0 });
  expect(changes()).toEqual(['PATCH classes/book/']);
});

test('a push waits until indexes are built', async () => {
  const statuses = ['ready', 'migrating', 'ready', 'migrating', 'migrating', 'ready'];
  const { run, write } = await connectProject((request, text) =>
    request === 'GET classes/book/'
      ? JSON.stringify({ ...JSON.parse(text), status: statuses.shift() })
      : text,
  );
  write({ 'groundwork.yml': 'classes: { book: {} }' });
  expectStatus(await run('push'), 0);
  expect(statuses).toHaveLength(5); // after the create
  write({ 'groundwork.yml': 'classes: { book: { fields: { price: float filtered } } }' });

  expectStatus(await run('push'), 0);

  expect(statuses).toEqual([]); // before the change and after it
});

test('--prune deletes what the project does not have, but no built-in class', async () => {
  const { run, write, call } = await connectProject();
  await call('POST', 'classes/', { name: 'old' });
  await call('POST', 'groups/', { label: 'two\nlines' });
  write({ 'groundwork.yml': 'classes: {}\n' });

  const ended = await run('push', '--prune');

  expect(ended.stderr).toBe('Pushed 2 changes to library.\n');
  expect(ended.stdout).toContain('\ndelete  groups   two\\u000alines\ndelete  classes  old\n');
  const { body } = await call('GET', 'classes/');
  expect(body.objects.map(({ name }: { name: string }) => name)).toEqual(['user_profile']);
});

const wrong = `classes:
  book:
    fields:
      author: referense user
      title: string filterd
      text: text filtered
      next: reference
      count: 5
    other_permissions: all
    colour: red
  shelf:
    descripton: Of a library
  Author: {}
  pages: []
clases: {}
`;

test('errors name the path of what is wrong', async () => {
  const { run, write } = await connectProject();
  write({ 'groundwork.yml': wrong });

  const ended = await run('push');

  expect(ended.status).toBe(1);
  expect(ended.stderr.split('\n').slice(2, -1)).toEqual([
    '  classes.book.other_permissions: "all" is not a valid choice.',
    expect.stringContaining(
      '  classes.book.fields.author: "referense" is none of the types string,',
    ),
    '  classes.book.fields.title: "filterd" is none of unique, filtered, ordered, private',
    '  classes.book.fields.text: a field of type text has no filter_index',
    '  classes.book.fields.next: a reference needs its target: "reference self"',
    '  classes.book.fields.count: is neither a text such as "string filtered" nor a map',
    '  classes.book.colour: is none of description, group, group_permissions, other_permissions, metadata, fields',
    expect.stringMatching(
      /^ {2}classes.shelf.descripton: is none of .*; did you mean description\?$/,
    ),
    '  classes.Author: the name has to be written as "author"',
    '  classes.pages: is not a map',
  ]);
  expect(ended.stderr).toContain('  clases: is none of the sections instance, config,');
});

test.each([
  ['YAML that is none', 'classes: [', 'at line 1, column 11'],
  ['a list', '- classes', 'the file is not a map of sections'],
  [
    'an integer that loses digits',
    'config:\n  id: 9007199254740993\n  other: 9007199254740992\n  float: 1.10',
    'line 2: the integer 9007199254740993 would lose digits: write it in quotes',
  ],
  [
    'a label of digits',
    'classes:\n  a: { description: +0x0 }\ngroups:\n  staff: { label: 653247040368672768 }',
    'line 4: the integer 653247040368672768 would lose digits: write it in quotes',
  ],
  [
    'a decimal that loses digits',
    'config:\n  short: 1.10\n  id: 1.2345678901234567891',
    'line 3: the number 1.2345678901234567891 would lose digits: write it in quotes',
  ],
  [
    'a decimal that becomes an integer',
    'config: { id: 1.00000000000000000001 }',
    'line 1: the number 1.00000000000000000001 would lose digits: write it in quotes',
  ],
  [
    'a number that is too large',
    'config: [1e400]',
    'line 1: the number 1e400 would lose digits: write it in quotes',
  ],
  ['infinity', 'config: { most: -.inf }', 'line 1: JSON has no number -.inf: write it in quotes'],
  ['no number', 'config: { most: .NaN }', 'line 1: JSON has no number .NaN: write it in quotes'],
  [
    'a target that does not exist',
    'classes: { a: { fields: { b: reference c } } }',
    'classes.a.fields.b: there is no "c" in classes',
  ],
  [
    'a group that does not exist',
    'classes: { a: { group: editors } }',
    'classes.a.group: there is no "editors" in groups',
  ],
])('a push rejects %s', async (_name, text, message) => {
  const { run, write, changes } = await connectProject();
  write({ 'groundwork.yml': text });
  changes();

  expect(await run('push')).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
  expect(changes()).toEqual([]);
});

test('without a project file there is nothing to compare', async () => {
  const { run } = await connectProject();

  const message = 'groundwork: there is no groundwork.yml: groundwork pull writes one\n';
  expect(await run('diff')).toEqual({ status: 1, stdout: '', stderr: message });
  expect(await run('push')).toEqual({ status: 1, stdout: '', stderr: message });
  const { run: elsewhere } = openProject();
  expect(await elsewhere('diff')).toMatchObject({ status: 1 }); // 2 means that something differs
  expect(await elsewhere('push')).toMatchObject({ status: 2 });
});
