import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expected, openWorld, startApi, type World } from '../support/api.ts';
import { openProject } from './groundwork.ts';

const fields = [
  { name: 'title', type: 'string' },
  { name: 'year', type: 'integer' },
];

/** Starts a server with a class, and an import of 250 objects that ends at a bad one after 200. */
async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  await world.dataClass('book', fields);
  const { folder, run } = openProject();
  const write = (titles: string, bad?: number) => {
    const year = (at: number) => (at === bad ? 'many' : 1900);
    const rows = Array.from({ length: 250 }, (_, at) => `${titles}${at},${year(at)}`);
    writeFileSync(join(folder, 'books.csv'), ['title,year', ...rows].join('\n'));
  };
  const place = ['--url', api.url, '--instance', 'library', '--key', world.owner];
  const importCsv = (...more: string[]) =>
    run('import', 'books.csv', '--class', 'book', ...place, ...more);
  write('b', 240);
  expect(await importCsv()).toMatchObject({ status: 1 });
  expect(await count(world)).toBe(200);
  return { world, write, importCsv, folder, place, run };
}

async function count(world: World, name = 'book'): Promise<number> {
  const path = `classes/${name}/objects/?include_count=1`;
  return expected(await world.call(world.owner, 'GET', path), 200).objects_count;
}

async function remove(world: World, path: string): Promise<void> {
  expect((await world.call(world.owner, 'DELETE', path)).status).toBe(204);
}

async function empty(world: World): Promise<void> {
  for (;;) {
    const page = await world.call(world.owner, 'GET', 'classes/book/objects/?page_size=100');
    const { objects } = expected(page, 200);
    if (objects.length === 0) return;
    for (const { id } of objects) await remove(world, `classes/book/objects/${id}/`);
  }
}

test('an import into a class that was created again starts again', async () => {
  const { world, write, importCsv } = await start();
  await remove(world, 'classes/book/');
  await expect
    .poll(async () => (await world.call(world.owner, 'GET', 'classes/book/')).status)
    .toBe(404);
  await world.dataClass('book', fields);
  write('b');

  const ended = await importCsv();

  expect(ended).toMatchObject({
    status: 0,
    stdout:
      'The class book was created again: the import starts again.\nImported 250 objects into book.\n',
  });
  expect(await count(world)).toBe(250);
});

test('an import into a class that was emptied starts again', async () => {
  const { world, write, importCsv } = await start();
  await empty(world);
  write('b');

  const ended = await importCsv('--json');

  expect(JSON.parse(ended.stdout)).toEqual({ instance: 'library', created: 250, unchanged: 0 });
  expect(await count(world)).toBe(250);
});

test('an import continues neither with another file nor where objects are gone', async () => {
  const { world, write, importCsv, folder } = await start();
  write('c');
  const other = await importCsv();
  write('b');
  const { objects } = expected(
    await world.call(world.owner, 'GET', 'classes/book/objects/?page_size=1'),
    200,
  );
  await remove(world, `classes/book/objects/${objects[0].id}/`);
  const gone = await importCsv();

  const hint = /give --again \(or remove books\.csv\.import-library-/;
  expect([other.status, gone.status, await count(world)]).toEqual([2, 2, 199]);
  expect(other.stderr).toContain('the first 200 objects are not those that were imported');
  expect(gone.stderr).toContain('objects of book that were imported are not there any more');
  for (const { stderr } of [other, gone]) expect(stderr).toMatch(hint);

  const again = await importCsv('--again');

  expect(again).toMatchObject({ status: 0, stdout: 'Imported 250 objects into book.\n' });
  expect(readdirSync(folder)).toEqual([
    'books.csv',
    expect.stringMatching(/^books\.csv\.import-library-/),
  ]);
});

test('a CSV file that was imported is not imported a second time', async () => {
  const { world, write, importCsv, folder, place, run } = await start();
  write('b');
  expect(await importCsv()).toMatchObject({ status: 0 });

  const second = await importCsv();
  await world.dataClass('copy', fields);
  const other = await run('import', 'books.csv', '--class', 'copy', ...place);
  const third = await importCsv();
  write('c');
  const changed = await importCsv();
  write('b');
  appendFileSync(join(folder, 'books.csv'), '\nmore,1900');
  const longer = await importCsv();
  const again = await importCsv('--again');

  for (const { status, stderr } of [second, third]) {
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /books\.csv was imported into book of library on \d{4}-.*Z; --again imports it a second time/,
    );
  }
  expect(other).toMatchObject({ status: 0, stdout: 'Imported 250 objects into copy.\n' });
  expect(changed.status).toBe(2);
  expect(changed.stderr).toMatch(/books\.csv was imported .*, and has changed since/);
  expect(longer).toMatchObject({
    status: 0,
    stdout: 'Imported 1 object into book; 250 were there already.\n',
  });
  expect(again).toMatchObject({ status: 0, stdout: 'Imported 251 objects into book.\n' });
  expect(await count(world)).toBe(502);
});

test('collections that were imported are not imported a second time', async () => {
  const { world, place, run, folder } = await start();
  await empty(world);
  mkdirSync(join(folder, 'parse'));
  const write = (title: string) => {
    const results = [{ objectId: 'a', title }];
    writeFileSync(join(folder, 'parse/Book.json'), JSON.stringify({ results }));
  };
  const importParse = (...more: string[]) =>
    run('import', 'parse', '--from', 'parse', ...place, ...more);
  write('a');
  expect(await importParse()).toMatchObject({ status: 0 });

  const second = await importParse();
  write('b');
  const changed = await importParse();
  const again = await importParse('--again');

  expect([second.status, changed.status, again.status]).toEqual([2, 2, 0]);
  expect(second.stderr).toMatch(
    /the files in parse were imported into library on \d{4}-.*Z; --again imports them a second time/,
  );
  expect(changed.stderr).toContain('the files are not those of which 1 records were imported');
  expect(await count(world)).toBe(2);
});

test('an import of a CSV file with ids continues while its objects are there', async () => {
  const { world, folder, place, run } = await start();
  await world.dataClass('page', fields);
  const write = (bad?: number) => {
    const rows = Array.from({ length: 250 }, (_, at) => {
      return `${9000 + at * 2},t${at},${at === bad ? 'many' : 1900}`;
    });
    writeFileSync(join(folder, 'pages.csv'), ['id,title,year', ...rows].join('\n'));
  };
  const importPages = (...more: string[]) =>
    run('import', 'pages.csv', '--class', 'page', ...place, ...more);
  write(240);
  expect(await importPages()).toMatchObject({ status: 1 });
  expect(await count(world, 'page')).toBe(200);
  write(230);
  expect(await importPages()).toMatchObject({ status: 1 }); // nothing is written
  write();
  await remove(world, 'classes/page/objects/9398/'); // the last one
  const gone = await importPages();
  expect(gone.status).toBe(2);
  expect(gone.stderr).toContain('objects of page that were imported are not there any more');
  await remove(world, 'classes/page/');
  await expect
    .poll(async () => (await world.call(world.owner, 'GET', 'classes/page/')).status)
    .toBe(404);
  await world.dataClass('page', fields);
  write(240);
  expect(await importPages()).toMatchObject({ status: 1 });
  write();

  const ended = await importPages();

  expect(ended).toMatchObject({
    status: 0,
    stdout: 'Imported 50 objects into page; 200 were there already.\n',
  });
  expect(await count(world, 'page')).toBe(250);
});

/** Starts a server with an export of 250 objects, and an import of it that ends at the last one. */
async function startExport() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  const copy = await openWorld(api, 'copies');
  const { folder, run } = openProject();
  await world.dataClass('book', fields);
  const rows = Array.from({ length: 250 }, (_, at) => `b${at},1900`);
  writeFileSync(join(folder, 'books.csv'), ['title,year', ...rows].join('\n'));
  const of = (name: string, key: string) => ['--url', api.url, '--instance', name, '--key', key];
  const source = of('library', world.owner);
  expect(await run('import', 'books.csv', '--class', 'book', ...source)).toMatchObject({
    status: 0,
  });
  expect(await run('export', 'data', ...source)).toMatchObject({ status: 0 });
  const file = join(folder, 'data/objects/book.jsonl');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const write = (first: string, last: string) =>
    writeFileSync(
      file,
      [lines[0]?.replace('b0', first), ...lines.slice(1, -1), last, ''].join('\n'),
    );
  const good = lines.at(-1) ?? '';
  const target = of('copies', copy.owner);
  const importFolder = (...more: string[]) => run('import', 'data', ...target, ...more);
  write('b0', good.replace('"year":1900', '"year":"many"'));
  expect(await importFolder()).toMatchObject({ status: 1 });
  return { copy, importFolder, write, good };
}

test('an import of an export continues, and says what it has written', async () => {
  const { importFolder, write, good } = await startExport();
  write('b0', good);

  expect(await importFolder()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^Imported 50 records into copies, with their ids; 200 were there already\.\n/,
    ),
  });
});

test('an import of an export continues neither with another export nor where records are gone', async () => {
  const { copy, importFolder, write, good } = await startExport();
  write('c0', good);
  const other = await importFolder();
  write('b0', good);
  const [first] = expected(
    await copy.call(copy.owner, 'GET', 'classes/book/objects/'),
    200,
  ).objects;
  await remove(copy, `classes/book/objects/${first.id}/`);
  const gone = await importFolder();

  const again = await importFolder('--again');

  expect([other.status, gone.status, again.status]).toEqual([2, 2, 0]);
  expect(other.stderr).toContain('the export is not the one that was imported so far');
  expect(gone.stderr).toContain('objects/book.jsonl that were imported are not there any more');
  expect(again.stdout).toContain('Imported 250 records into copies, with new ids.');
});
