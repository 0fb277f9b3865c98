import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expected, openWorld, startApi, type World } from '../support/api.ts';
import { openProject } from './groundwork.ts';

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  const project = openProject();
  const place = ['--url', api.url, '--instance', 'library', '--key', world.owner];
  return { ...project, world, run: (...args: string[]) => project.run(...args, ...place) };
}

async function list(world: World, name: string): Promise<Record<string, unknown>[]> {
  const path = `classes/${name}/objects/`;
  const { objects } = expected(await world.call(world.owner, 'GET', path), 200);
  return objects.map(({ links: _, ...each }: Record<string, unknown>) => each);
}

const fields = [
  { name: 'title', type: 'string' },
  { name: 'pages', type: 'integer' },
  { name: 'price', type: 'float' },
  { name: 'sold', type: 'boolean' },
  { name: 'printed', type: 'datetime' },
  { name: 'tags', type: 'array' },
  { name: 'place', type: 'geopoint' },
];

test('a CSV file is imported into a class, by the types of its fields', async () => {
  const { world, folder, run } = await start();
  await world.dataClass('book', fields);
  const csv = [
    'title, pages,price,sold,printed,tags,place,other_permissions',
    '"Emma, or ""E""",7,1.5,true,1815-12-23,"[""a"",1]","{""longitude"":1,""latitude"":2}",read',
    '"two',
    'lines",,,no,2020-01-02 03:04:05+02:00,,,none',
  ];
  writeFileSync(join(folder, 'books.csv'), `\uFEFF${csv.join('\r\n')}\r\n`);

  const ended = await run('import', 'books.csv', '--class', 'book');

  expect(ended).toMatchObject({ status: 0, stdout: 'Imported 2 objects into book.\n' });
  expect(await list(world, 'book')).toMatchObject([
    {
      revision: 1,
      title: 'Emma, or "E"',
      pages: 7,
      price: 1.5,
      sold: true,
      printed: { type: 'datetime', value: '1815-12-23T00:00:00.000000Z' },
      tags: ['a', 1],
      place: { type: 'geopoint', longitude: 1, latitude: 2 },
      other_permissions: 'read',
    },
    {
      title: 'two\r\nlines',
      pages: null,
      sold: false,
      printed: { type: 'datetime', value: '2020-01-02T01:04:05.000000Z' },
      other_permissions: 'none',
    },
  ]);
  expect(readdirSync(folder)).toEqual([
    'books.csv',
    expect.stringMatching(/^books\.csv\.import-library-/),
  ]);
});

test.each([
  ['a value of another type', 'title,pages\na,1\nb,x\n', 'books.csv, line 3, pages: A valid'],
  ['an unknown column', 'title,color\na,1\n', 'books.csv, line 2, color: Unknown field.'],
  ['a line with too many cells', 'title,pages\na,1,2\n', 'line 2'],
  ['a bad date', 'printed\n2020-13-01\n', 'books.csv, line 2, printed: Datetime has'],
])('a CSV file with %s is an error with its place', async (_, text, message) => {
  const { world, folder, run } = await start();
  await world.dataClass('book', fields);
  writeFileSync(join(folder, 'books.csv'), text);

  const ended = await run('import', 'books.csv', '--class', 'book');

  expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
  expect(await list(world, 'book')).toEqual([]);
});

test('a CSV file continues after its corrected error', async () => {
  const { world, folder, run } = await start();
  await world.dataClass('book', fields);
  const rows = (last: string) =>
    ['pages', ...Array.from({ length: 249 }, (_, at) => at), last].join('\n');
  writeFileSync(join(folder, 'books.csv'), rows('x'));
  const failed = await run('import', 'books.csv', '--class', 'book');
  writeFileSync(join(folder, 'books.csv'), rows('249'));

  const ended = await run('import', 'books.csv', '--class', 'book', '--json');

  expect(failed.stderr).toContain('line 251, pages');
  expect(JSON.parse(ended.stdout)).toEqual({ instance: 'library', created: 50, unchanged: 200 });
  const counted = await world.call(world.owner, 'GET', 'classes/book/objects/?include_count=1');
  expect(counted.body.objects_count).toBe(250);
});

const related = [
  ...fields,
  { name: 'author', type: 'reference', target: 'author' },
  { name: 'reader', type: 'reference', target: 'user' },
  { name: 'similar', type: 'relation', target: 'self' },
  { name: 'published_at', type: 'datetime' },
];

test('collections of Parse are imported with their references, users and rights', async () => {
  const { world, folder, run } = await start();
  await world.dataClass('author', [{ name: 'name', type: 'string' }]);
  await world.dataClass('book', related);
  mkdirSync(join(folder, 'parse'));
  const save = (file: string, results: object[]) =>
    writeFileSync(join(folder, 'parse', file), JSON.stringify({ results }));
  const times = { createdAt: '2020-01-02T03:04:05.006Z', updatedAt: '2021-01-02T03:04:05.006Z' };
  const pointer = (className: string, objectId: string) => ({
    __type: 'Pointer',
    className,
    objectId,
  });
  save('_User.json', [{ objectId: 'u1', ...times, username: 'Ann', email: 'ann@example.com' }]);
  save('Author.json', [{ objectId: 'a1', ...times, name: 'Zola' }]);
  save('Book.json', [
    {
      objectId: 'b1',
      ...times,
      title: 'Nana',
      pages: 5,
      author: pointer('Author', 'a1'),
      reader: pointer('_User', 'u1'),
      similar: [pointer('Book', 'b2'), pointer('Book', 'gone')],
      publishedAt: { __type: 'Date', iso: '1880-01-01T00:00:00.000Z' },
      place: { __type: 'GeoPoint', latitude: 2, longitude: 1 },
      tags: ['x'],
      ACL: { '*': { read: true }, u1: { read: true, write: true } },
    },
    { objectId: 'b2', ...times, title: 'Germinal' },
  ]);

  const ended = await run('import', 'parse', '--from', 'parse');

  expect(ended).toMatchObject({ status: 0, stdout: 'Imported 4 records into library.\n' });
  const [author] = await list(world, 'author');
  const [nana, germinal] = await list(world, 'book');
  const {
    objects: [user],
  } = expected(await world.call(world.owner, 'GET', 'users/'), 200);
  expect(user).toMatchObject({ username: 'ann', profile: { owner: user.id } });
  expect(nana).toMatchObject({
    created_at: '2020-01-02T03:04:05.006000Z',
    updated_at: '2021-01-02T03:04:05.006000Z',
    title: 'Nana',
    pages: 5,
    author: { value: author?.id },
    reader: { value: user.id },
    similar: { value: [germinal?.id] },
    published_at: { value: '1880-01-01T00:00:00.000000Z' },
    place: { longitude: 1, latitude: 2 },
    tags: ['x'],
    owner: user.id,
    other_permissions: 'read',
  });
});

test('collections keep the digits of large numbers, or are refused with words', async () => {
  const { world, folder, run } = await start();
  await world.dataClass('card', [
    { name: 'number', type: 'string' },
    { name: 'data', type: 'object' },
  ]);
  const times = '"created":"2020-01-02 03:04:05.006Z","updated":""';
  const save = (member: string) =>
    writeFileSync(join(folder, 'card.json'), `[{"id":"c1",${times},${member}}]`);

  save('"data":{"a":9007199254740993}');
  const refused = await run('import', '.', '--from', 'pocketbase');
  save('"number":653247040368672768');
  const ended = await run('import', '.', '--from', 'pocketbase');

  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringContaining('data: The integer 9007199254740993 would lose digits'),
  ]);
  expect(ended.status).toBe(0);
  expect(await list(world, 'card')).toMatchObject([{ number: '653247040368672768' }]);
});

test('collections of PocketBase are imported', async () => {
  const { world, folder, run } = await start();
  await world.dataClass('author', [{ name: 'name', type: 'string' }]);
  await world.dataClass('book', related);
  const save = (file: string, items: object[]) =>
    writeFileSync(join(folder, file), JSON.stringify(items));
  const common = {
    collectionId: 'c',
    collectionName: 'x',
    created: '2020-01-02 03:04:05.006Z',
    updated: '',
  };
  save('users.json', [{ id: 'u1', ...common, email: 'ann@example.com', verified: true }]);
  save('author.json', [{ id: 'a1', ...common, name: 'Zola' }]);
  save('book.json', [
    {
      id: 'b1',
      ...common,
      title: 'Nana',
      author: 'a1',
      reader: 'u1',
      similar: ['b2'],
      printed: '',
      cover: 'a.png',
    },
    { id: 'b2', ...common, title: '', author: '', place: { lon: 1, lat: 2 }, similar: [] },
  ]);

  const unknown = await run('import', '.', '--from', 'pocketbase');
  const ended = await run('import', '.', '--from', 'pocketbase', '--ignore', 'cover');

  expect(unknown).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('has no field cover'),
  });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  const [author] = await list(world, 'author');
  const [nana, other] = await list(world, 'book');
  const {
    objects: [user],
  } = expected(await world.call(world.owner, 'GET', 'users/'), 200);
  expect(user.username).toBe('ann@example.com');
  expect(nana).toMatchObject({
    created_at: '2020-01-02T03:04:05.006000Z',
    author: { value: author?.id },
    reader: { value: user.id },
    similar: { value: [other?.id] },
    printed: null,
  });
  expect(other).toMatchObject({ title: '', author: null, place: { longitude: 1, latitude: 2 } });
});
