import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { expected, openWorld, startApi } from '../support/api.ts';
import { openProject } from './groundwork.ts';

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  await world.dataClass('book', [
    { name: 'title', type: 'string' },
    { name: 'pages', type: 'integer' },
    { name: 'printed', type: 'datetime' },
  ]);
  const project = openProject();
  const place = ['--url', api.url, '--instance', 'library', '--key', world.owner];
  const save = (name: string, content: string | Uint8Array) =>
    writeFileSync(join(project.folder, name), content);
  const list = async (): Promise<Record<string, unknown>[]> =>
    expected(await world.call(world.owner, 'GET', 'classes/book/objects/'), 200).objects;
  return {
    ...project,
    world,
    save,
    list,
    run: (...args: string[]) => project.run(...args, ...place),
  };
}

const importBook = ['import', 'books.csv', '--class', 'book'];
const utf16 = Buffer.from('\uFEFFtitle\tpages\r\nMünchen\t7\r\n', 'utf16le');
const latin = (text: string) => Buffer.from(text, 'latin1');

test.each<[string, Uint8Array | string, string[], string]>([
  ['semicolons', '\uFEFFtitle;pages;\r\nMünchen;7;\r\n;;\r\n', [], 'München'],
  ['the separator of Excel', '\uFEFFsep=|\r\ntitle|pages\r\nMünchen|7\r\n', [], 'München'],
  ['tabs in UTF-16', utf16, [], 'München'],
  ['a given delimiter', 'title|pages\nMünchen|7\n', ['--delimiter', '|'], 'München'],
  ['tabs that are given', 'title\tpages\nMünchen\t7\n', ['--delimiter', 'tab'], 'München'],
  [
    'Windows-1252',
    latin('title,pages\nM\xfcnchen \x80,7\n'),
    ['--encoding', 'windows-1252'],
    'München €',
  ],
])('a CSV file with %s is imported', async (_, content, args, title) => {
  const { save, list, run } = await start();
  save('books.csv', content);

  const ended = await run(...importBook, ...args);

  expect(ended).toMatchObject({ status: 0, stdout: 'Imported 1 object into book.\n' });
  expect(await list()).toMatchObject([{ title, pages: 7 }]);
});

const noText = 'the bytes are not text in UTF-8; give its --encoding';

test.each<[string, Uint8Array | string, string]>([
  ['other bytes', latin('title\nZ\xfcrich\n'), `books.csv, line 2: ${noText}`],
  [
    'columns of one name',
    'title,title\na,b\n',
    'books.csv, line 1: two columns have the name title',
  ],
  ['a column without a name', 'title,,pages\na,b,1\n', 'books.csv, line 1: column 2 has no name'],
  ['a missing cell', 'title,pages\na\n', 'books.csv, line 2: there is no cell for column 2 of 2'],
  ['a stray quote', 'title,pages\n"4" pipe",1\n', 'books.csv, line 2: a quote in a cell'],
  [
    'a day that does not exist',
    'printed\n2021-02-29 12:00\n',
    'books.csv, line 2, printed: Datetime',
  ],
  ['24 hours', 'title,printed\na,2021-01-05 24:00\n', 'books.csv, line 2, printed: Datetime'],
  ['nothing', '', 'books.csv, the file is empty'],
])(
  'a CSV file with %s is an error with its place, and leaves nothing',
  async (_, content, message) => {
    const { save, list, run } = await start();
    save('books.csv', content);

    const ended = await run(...importBook);

    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
    expect(await list()).toEqual([]);
  },
);

test('times keep their digits, and those without a zone are named', async () => {
  const { save, list, run } = await start();
  save('books.csv', 'printed\n2021-01-05 10:34:10.237123+02\n2021-01-05 10:34:10.237123\n');

  const ended = await run(...importBook);

  expect(ended.stderr).toContain('Times without a zone were read as UTC: printed.');
  expect(await list()).toMatchObject([
    { printed: { value: '2021-01-05T08:34:10.237123Z' } },
    { printed: { value: '2021-01-05T10:34:10.237123Z' } },
  ]);
});

test('columns with ids and times of objects are kept; empty cells have new ones', async () => {
  const { save, list, run } = await start();
  save('books.csv', 'id,title,created_at\n700,a,2021-01-05 10:00+02\n,b,\n');

  const ended = await run(...importBook);

  expect(ended).toMatchObject({ status: 0 });
  const all = await list();
  expect(all.find(({ title }) => title === 'a')).toMatchObject({
    id: 700,
    created_at: '2021-01-05T08:00:00.000000Z',
  });
  expect(all.find(({ title }) => title === 'b')).toMatchObject({ revision: 1 });
});

test.each([
  [['--encoding', 'klingon'], '--encoding: there is no encoding klingon'],
  [['--delimiter', '::'], '--delimiter is one character, or tab'],
  [['--delimiter', '"'], '--delimiter is one character, or tab'],
])('%j is an error', async (args, message) => {
  const { save, run } = await start();
  save('books.csv', 'title\na\n');

  const ended = await run(...importBook, ...args);

  expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

const book = (title: string) => JSON.stringify([{ id: title, title }]);

test.each<[string, Uint8Array, string[], string]>([
  ['other bytes', latin(book('M\xfcnchen')), [], `book.json, line 1: ${noText}`],
  [
    'UTF-16',
    Buffer.from(`\uFEFF${book('a')}`, 'utf16le'),
    [],
    'book.json, the byte order mark is that of UTF-16le',
  ],
  ['a mark', Buffer.from(`\uFEFF${book('Köln')}`), [], ''],
  ['a named encoding', latin(book('K\xf6ln')), ['--encoding', 'latin1'], ''],
])('a collection with %s', async (_, content, args, message) => {
  const { folder, save, list, run } = await start();
  mkdirSync(join(folder, 'data'));
  save('data/book.json', content);

  const ended = await run('import', 'data', '--from', 'pocketbase', ...args);

  expect(ended.stderr).toContain(message);
  expect((await list()).map(({ title }) => title)).toEqual(message === '' ? ['Köln'] : []);
  expect(
    readdirSync(join(folder, 'data')).filter((name) => message !== '' && name !== 'book.json'),
  ).toEqual([]);
});

test('project, payload and settings may have a mark, and are text', async () => {
  const { folder, save, run } = await start();
  const project = openProject();
  mkdirSync(join(folder, 'scripts'));
  save('scripts/greet.js', 'console.log(ARGS.name)');
  save(
    'groundwork.yml',
    '\uFEFFscripts:\n  greet:\n    runtime_name: nodejs\n    file: scripts/greet.js\n',
  );
  save('ada.json', '\uFEFF{"name": "Köln"}');
  const pushed = await run('push');
  const ran = await run('run', 'greet', '--payload', '@ada.json');
  save('ada.json', latin('{\n"name": "K\xf6ln"}'));
  const badPayload = await run('run', 'greet', '--payload', '@ada.json');
  const named = await run('run', 'greet', '--payload', '@ada.json', '--encoding', 'latin1');
  save('groundwork.yml', latin('# K\xf6ln\nscripts: {}\n'));
  const badProject = await run('push');
  writeFileSync(join(project.folder, '.env'), latin('A=1\nGROUNDWORK_URL=K\xf6ln\n'));
  const badSettings = project.run('push');

  expect(pushed).toMatchObject({ status: 0 });
  expect(ran.stdout).toContain('Köln');
  expect(badPayload.stderr).toContain(`--payload: ada.json, line 2: ${noText}`);
  expect(named.stdout).toContain('Köln');
  expect(badProject.stderr).toContain('groundwork.yml, line 1: the bytes are not text in UTF-8');
  expect((await badSettings).stderr).toContain('.env, line 2: the bytes are not text in UTF-8');
});

test('any table of texts is imported as it is', async () => {
  const { save, world, run } = await start();
  await world.dataClass('pair', [
    { name: 'one', type: 'text' },
    { name: 'two', type: 'text' },
  ]);
  const cell = fc.stringMatching(/^[ab",;\t|\r\n'=\\é]{1,6}$/);
  const rows = fc.sample(fc.tuple(cell, cell), 300);
  for (const delimiter of [',', ';', '\t', '|']) {
    const lines = [['one', 'two'], ...rows].map((row) =>
      row.map((each) => `"${each.replaceAll('"', '""')}"`).join(delimiter),
    );
    save('pairs.csv', lines.join('\r\n'));
    const given = delimiter === '|' ? ['--delimiter', delimiter] : [];
    expect(await run('import', 'pairs.csv', '--class', 'pair', '--again', ...given)).toMatchObject({
      status: 0,
    });
  }

  const all: unknown[] = [];
  for (let path = 'classes/pair/objects/?page_size=500'; path !== ''; ) {
    const { objects, next } = expected(await world.call(world.owner, 'GET', path), 200);
    all.push(...objects.map(({ one, two }: Record<string, unknown>) => [one, two]));
    path = next === null ? '' : String(next).replace(/^.*\/library\//, '');
  }
  expect(all).toEqual([...rows, ...rows, ...rows, ...rows]);
});
