import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { expected, openWorld, startApi, type World } from '../support/api.ts';
import { openProject } from './groundwork.ts';

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  const { folder, run } = openProject();
  mkdirSync(join(folder, 'data'));
  const place = ['--url', api.url, '--instance', 'library', '--key', world.owner];
  const write = (file: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, 'data', file), text);
  };
  const importFrom = (format: string, ...more: string[]) =>
    run('import', 'data', '--from', format, ...place, ...more);
  return { world, write, importFrom };
}

async function list(world: World, name: string): Promise<Record<string, unknown>[]> {
  return expected(await world.call(world.owner, 'GET', `classes/${name}/objects/`), 200).objects;
}

const times = { createdAt: '2020-01-02T03:04:05.006Z', updatedAt: '2021-01-02T03:04:05.006Z' };
const relation = { __type: 'Relation', className: 'Image' };

test('a pointer of Parse binds to the class that it names, not to another one with the same id', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('image', [{ name: 'name', type: 'string' }]);
  await world.dataClass('unit', [
    { name: 'image', type: 'reference', target: 'image' },
    { name: 'owner_of', type: 'reference', target: 'user' },
    { name: 'images', type: 'relation', target: 'image' },
    { name: 'parts', type: 'relation', target: 'self' },
  ]);
  const to = (className: string) => ({ __type: 'Pointer', className, objectId: 'same' });
  write('_User.json', { results: [{ objectId: 'same', username: 'ada' }] });
  write('Image.json', { results: [{ objectId: 'same' }] });
  const right = { image: to('Image'), owner_of: to('_User'), images: [to('Image')] };
  const wrong = { image: to('Unit'), owner_of: to('Image'), images: [to('Image'), to('_User')] };
  write('Unit.json', {
    results: [
      { objectId: 'same', ...right, parts: [to('Unit')] },
      { objectId: 'other', ...wrong, parts: [to('Image')] },
    ],
  });

  const ended = await importFrom('parse');
  for (const field of ['image', 'owner_of', 'images', 'parts']) {
    const line = `Unit.json, ${field}: 1 value left out: their records are of another class\n`;
    expect(ended.stderr).toContain(line);
  }
  const [image] = await list(world, 'image');
  const [unit, other] = await list(world, 'unit');
  expect(unit).toMatchObject({
    image: { value: image?.id },
    owner_of: { value: expect.any(Number) },
    images: { value: [image?.id] },
    parts: { value: [unit?.id] },
  });
  const isEmpty = { image: null, owner_of: null, images: { value: [image?.id] } };
  expect(other).toMatchObject(isEmpty);
  expect(JSON.stringify(other?.parts)).not.toContain(String(unit?.id));
});

test('the members of a Relation of Parse are in its join file', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('image', [{ name: 'name', type: 'string' }]);
  await world.dataClass('unit', [{ name: 'images', type: 'relation', target: 'image' }]);
  write('Image.json', { results: ['im1', 'im2'].map((objectId) => ({ objectId, ...times })) });
  write('Unit.json', {
    results: ['un1', 'un2'].map((objectId) => ({ objectId, ...times, images: relation })),
  });

  const strict = await importFrom('parse', '--strict');
  write('_Join:images:Unit.json', {
    results: [
      { owningId: 'un1', relatedId: 'im2' },
      { owningId: 'un1', relatedId: 'gone' },
      { owningId: 'gone', relatedId: 'im1' },
    ],
  });
  const ended = await importFrom('parse');

  expect(strict.status).toBe(2);
  expect(strict.stderr).toContain('Unit.json, images: 2 values left out: a Relation of Parse is');
  expect(ended).toMatchObject({
    status: 0,
    stdout: 'Imported 4 records into library.\n',
    stderr:
      'Unit.json, images: 1 value left out: their records are in no file\n' +
      '_Join:images:Unit.json, images: 1 value left out: their owners are in no file\n',
  });
  const [, image] = await list(world, 'image');
  expect(await list(world, 'unit')).toMatchObject([
    { images: { value: [image?.id] } },
    { images: null },
  ]);
});

test('times of collections without a zone are read as UTC, which is said', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('book', [
    { name: 'printed', type: 'datetime' },
    { name: 'sold', type: 'datetime' },
  ]);
  const sold = '2020-01-02 03:04:05.123Z';
  const record = { id: 'b1', created: sold, updated: sold, printed: '2020-01-02 03:04:05', sold };
  write('book.json', { items: [{ ...record, printed: sold }] });
  const silent = await importFrom('pocketbase');
  write('book.json', { items: [record, { ...record, id: 'b2', created: '2020-01-01' }] });
  const ended = await importFrom('pocketbase', '--again');

  expect([silent.status, silent.stderr]).toEqual([0, '']);
  expect(ended).toMatchObject({
    status: 0,
    stderr: 'Times without a zone were read as UTC: book.printed, book.created.\n',
  });
  const [, first, second] = await list(world, 'book');
  expect(first?.printed).toMatchObject({ value: '2020-01-02T03:04:05.000000Z' });
  expect(second?.created_at).toBe('2020-01-01T00:00:00.000000Z');
});

test('classes of the other system are left out, each with a line', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('book', [{ name: 'cover', type: 'file' }]);
  const cover = { __type: 'File', name: 'a.png', url: 'http://example.com/a.png' };
  write('Book.json', { results: [{ objectId: 'b1', ...times, cover }] });
  write('_Role.json', { results: [{ objectId: 'r1', name: 'admins', ...times }] });
  write('_Join:users:_Role.json', { results: [{ owningId: 'r1', relatedId: 'u1' }] });
  write('_Session.json', { results: [] });

  const ended = await importFrom('parse', '--json');

  expect(ended.status).toBe(0);
  expect(JSON.parse(ended.stdout)).toEqual({
    instance: 'library',
    created: 1,
    unchanged: 0,
    left_out: ['_Join:users:_Role.json', '_Role.json']
      .map((file) => ({ file, field: '', reason: 'a class of the other system itself', values: 1 }))
      .concat([{ file: 'Book.json', field: 'cover', reason: 'files are not moved', values: 1 }]),
  });
});

test('documents of mongoexport are imported', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('author', [{ name: 'name', type: 'string' }]);
  await world.dataClass('book', [
    { name: 'title', type: 'string' },
    { name: 'pages', type: 'integer' },
    { name: 'printed', type: 'datetime' },
    { name: 'place', type: 'geopoint' },
    { name: 'author', type: 'reference', target: 'author' },
  ]);
  const dates = '"_created_at":{"$date":"2014-10-31T04:15:07.880Z"}';
  write('Author.json', `{"_id":"x1",${dates},"name":"Zola"}\n`);
  const book = (id: string, more: string) => `{"_id":${id},${dates},${more}}`;
  const printed = '"printed":{"$date":{"$numberLong":"-1000"}}';
  const rights = '"_rperm":["*"],"_wperm":[],"_acl":{"*":{"r":true}}';
  write(
    'Book.json',
    [
      book(
        '{"$oid":"5f0c"}',
        `"title":"a","pages":{"$numberInt":"7"},${printed},"place":[1,2],${rights}`,
      ),
      book('"b2"', '"title":"b","_p_author":"Author$x1"'),
    ].join('\n'),
  );

  const ended = await importFrom('parse');

  expect(ended).toMatchObject({ status: 0, stdout: 'Imported 3 records into library.\n' });
  const [author] = await list(world, 'author');
  expect(await list(world, 'book')).toMatchObject([
    {
      created_at: '2014-10-31T04:15:07.880000Z',
      pages: 7,
      printed: { value: '1969-12-31T23:59:59.000000Z' },
      place: { longitude: 1, latitude: 2 },
      other_permissions: 'read',
    },
    { author: { value: author?.id } },
  ]);
});

test('times and points of Firestore are converted', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('job', [
    { name: 'at', type: 'datetime' },
    { name: 'place', type: 'geopoint' },
  ]);
  const at = { _seconds: 1577318400, _nanoseconds: 5000 };
  write('job.json', [{ id: 'a1', at, place: { _latitude: 49.29, _longitude: -123.13 } }]);

  const ended = await importFrom('pocketbase');

  expect(ended.status).toBe(0);
  expect(await list(world, 'job')).toMatchObject([
    {
      at: { value: '2019-12-26T00:00:00.000005Z' },
      place: { longitude: -123.13, latitude: 49.29 },
    },
  ]);
});

const one = [{ id: 'a1', title: 'x' }];

test.each([
  ['one of its pages', { page: 1, totalPages: 3, totalItems: 3, items: one }, 'is page 1 of 3'],
  ['fewer records than counted', { count: 2, results: one }, 'has 1 records of 2 records'],
  ['a page without a count', { perPage: 1, totalItems: -1, items: one }, 'one of several pages'],
  ['broken JSON', '[\n{"id": "a",\n"title" "x"}]', 'book.json, line 3: '],
  ['a broken word', '[\n{"id": "a",\n"title": xy}]', 'book.json, line 3: '],
  ['an end too early', '[\n{"id": "a"\n', 'book.json, line 2: '],
  [
    'a number that no double can be',
    '[{"id": "a", "pages": 1e400}]',
    'book.json: the number pages is too large',
  ],
  [
    'one in a line',
    '{"id":"a"}\n{"id":"b","pages":-1e400}\n',
    'book.json, line 2: the number pages is too large',
  ],
  ['a broken line', '{"id":"a"}\n{"id":\n', 'book.json, line 2: '],
  ['another value', '7', 'book.json has no list of records'],
  ['a record that is no object', '[7]', 'book.json, record 1 is not an object'],
  ['a record without id', [{ title: 'x' }], 'book.json, record 1 has no id'],
  ['two records with one id', [...one, ...one], 'book.json, record 2: a record with id a1'],
])('a file with %s is an error that names it', async (_, content, message) => {
  const { world, write, importFrom } = await start();
  await world.dataClass('book', [{ name: 'title', type: 'string' }]);
  write('book.json', content);

  const ended = await importFrom('pocketbase');

  expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  expect(await list(world, 'book')).toEqual([]);
});

test('rights that have no place here are counted', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('book', [{ name: 'title', type: 'string' }]);
  write('_User.json', {
    results: ['u1', 'u2'].map((objectId) => ({ objectId, ...times, username: objectId })),
  });
  const rights = [
    { u1: { read: true } },
    { u1: { read: true, write: true }, 'role:x': { read: true } },
    { u1: { read: true }, u2: { write: true } },
  ];
  write('Book.json', { results: rights.map((ACL, at) => ({ objectId: `b${at}`, ...times, ACL })) });

  const ended = await importFrom('parse');

  expect(ended.stderr).toContain(
    'Book.json, ACL: 3 values left out: rights of roles, and of several',
  );
  expect(await list(world, 'book')).toMatchObject([
    { owner: expect.any(Number), owner_permissions: 'read' },
    { owner: expect.any(Number), owner_permissions: 'full' },
    { owner: null },
  ]);
});

test('rights to write without reading are left out and counted', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('book', [{ name: 'title', type: 'string' }]);
  write('_User.json', { results: [{ objectId: 'u1', ...times, username: 'u1' }] });
  const rights = [
    { '*': { write: true } },
    { '*': { read: false, write: true }, u1: { write: true } },
    { '*': { read: true, write: true }, u1: {} },
    { '*': {}, u1: { read: true, write: true } },
    { '*': { read: true }, u1: { write: true } },
  ];
  write('Book.json', { results: rights.map((ACL, at) => ({ objectId: `b${at}`, ...times, ACL })) });

  const strict = await importFrom('parse', '--strict');
  const ended = await importFrom('parse');

  const line = 'Book.json, ACL: 3 values left out: there is no right to write without reading';
  expect(strict.status).toBe(2);
  for (const { stderr } of [strict, ended]) expect(stderr).toContain(line);
  expect(await list(world, 'book')).toMatchObject([
    { owner: null, other_permissions: 'none' },
    { owner: expect.any(Number), owner_permissions: 'none', other_permissions: 'none' },
    { owner: expect.any(Number), owner_permissions: 'none', other_permissions: 'write' },
    { owner: expect.any(Number), owner_permissions: 'full', other_permissions: 'none' },
    { owner: expect.any(Number), owner_permissions: 'full', other_permissions: 'read' },
  ]);
});

test('users of Parse keep their passwords, as far as these are hashes of bcrypt', async () => {
  const { world, write, importFrom } = await start();
  const users = [
    { username: 'Ann', bcryptPassword: await hash('s3cret', 4), sessionToken: 'r:x' },
    {
      username: 'bob',
      bcryptPassword: '$2a$13$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    },
    { username: 'eve', email: 'eve@example.com', emailVerified: true, authData: { anonymous: {} } },
  ];
  write('_User.json', {
    results: users.map((each, at) => ({ objectId: `u${at}`, ...times, ...each })),
  });

  const ended = await importFrom('parse');

  expect(ended).toMatchObject({
    status: 0,
    stderr:
      '_User.json, bcryptPassword: 1 value left out: it is no hash of bcrypt of cost 4 to 12\n' +
      '_User.json, email: 1 value left out: the class user_profile has no field email\n' +
      '_User.json, authData: 1 value left out: identities at other services are not moved\n',
  });
  const login = { username: 'ann', password: 's3cret' };
  expect((await world.call(world.owner, 'POST', 'user/auth/', login)).status).toBe(200);
});

test('two members for one field are counted', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('book', [{ name: 'sold_at', type: 'string' }]);
  write('book.json', [{ id: 'b1', soldAt: 'x', sold_at: 'y' }]);

  const ended = await importFrom('pocketbase');

  expect(ended.stderr).toContain('book.json, sold_at: 1 value left out: sold_at has another value');
  expect(await list(world, 'book')).toMatchObject([{ sold_at: 'x' }]);
});

test('an import of collections continues only with the same files', async () => {
  const { world, write, importFrom } = await start();
  await world.dataClass('book', [{ name: 'pages', type: 'integer' }]);
  const save = (first: number, last: unknown) => {
    const pages = [first, ...Array.from({ length: 249 }, () => 7), last];
    write(
      'book.json',
      pages.map((each, at) => ({ id: `b${at}`, pages: each })),
    );
  };
  save(1, 'x');
  expect(await importFrom('pocketbase')).toMatchObject({ status: 1 });

  save(2, 7);
  const changed = await importFrom('pocketbase');
  save(1, 7);
  const ended = await importFrom('pocketbase');

  expect(changed).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      'the files are not those of which at least 200 records were imported',
    ),
  });
  expect(ended).toMatchObject({
    status: 0,
    stdout: 'Imported 51 records into library; 200 were there already.\n',
  });
});
