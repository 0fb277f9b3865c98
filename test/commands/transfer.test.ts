import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openProjectFiles } from '../../bin/groundwork/project-files.ts';
import { downloadFile } from '../../bin/groundwork/transfer/files.ts';
import { expected, openWorld, startApi, type World } from '../support/api.ts';
import { openProject, type Project } from './groundwork.ts';

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  return { api, ...openProject() };
}

/** Returns options by which a command finds the instance of a world. */
const of = ({ api, instance, owner }: World) => [
  '--url',
  api.url,
  '--instance',
  instance,
  '--key',
  owner,
];

const create = async (world: World, path: string, body: object) =>
  expected(await world.call(world.owner, 'POST', path, body), 201);
const get = async (world: World, path: string) =>
  expected(await world.call(world.owner, 'GET', path), 200);

const books = 750;
const moment = '2020-01-02T03:04:05.000006Z';

/** Fills an instance with records that refer to each other. */
async function fill(world: World): Promise<void> {
  const group = await create(world, 'groups/', { name: 'staff', label: 'Staff' });
  const user = await create(world, 'users/', { username: 'ann', password: 's3cret' });
  await create(world, `groups/${group.id}/users/`, { user: user.id });
  await create(world, 'channels/', { name: 'news' });
  await world.dataClass('author', [{ name: 'name', type: 'string' }]);
  await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true, order_index: true },
    { name: 'author', type: 'reference', target: 'author' },
    { name: 'reader', type: 'reference', target: 'user' },
    { name: 'similar', type: 'relation', target: 'self' },
    { name: 'extra', type: 'object' },
    { name: 'scan', type: 'file' },
  ]);
  const schema = [
    { name: 'favourite', type: 'reference', target: 'book' },
    { name: 'name', type: 'string' },
  ];
  expected(await world.call(world.owner, 'PATCH', 'classes/author/', { schema }), 200);
  const author = await create(world, 'classes/author/objects/', { name: 'Zola' });
  const first = author.id + 1;
  const records = Array.from({ length: books }, (_, at) => ({
    id: first + at,
    created_at: moment,
    updated_at: moment,
    revision: 1 + (at % 3),
    title: `Nana ${at}`,
    author: author.id,
    reader: user.id,
    similar: [first],
    extra: { type: 'reference', value: 1 },
    channel: at === 0 ? 'news' : null,
    owner: user.id,
    group: group.id,
    group_permissions: 'read',
  }));
  for (let at = 0; at < books; at += 100) {
    const body = { kind: 'objects', class: 'book', records: records.slice(at, at + 100) };
    expected(await world.call(world.owner, 'POST', 'import/', body), 200);
  }
  const favourite = { favourite: author.id + 1 };
  const path = `classes/author/objects/${author.id}/`;
  expected(await world.call(world.owner, 'PATCH', path, favourite), 200);
  const form = new FormData();
  form.append('scan', new Blob(['a picture'], { type: 'image/png' }), 'Zürich 1.png');
  expected(
    await world.call(world.owner, 'PATCH', `classes/book/objects/${author.id + 1}/`, form),
    200,
  );
}

/** Returns all records of an instance, without what differs between two instances. */
async function contents(world: World): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const part of ['groups', 'users', 'book', 'author', 'user_profile']) {
    const query = ['groups', 'users'].includes(part)
      ? `kind=${part}`
      : `kind=objects&class=${part}`;
    const records: Record<string, unknown>[] = [];
    let path: string | null = `${world.base}export/?${query}`;
    while (path !== null) {
      const page: { next: string | null; objects: Record<string, unknown>[] } = expected(
        await world.api.send({ as: world.owner, path }),
        200,
      );
      records.push(...page.objects);
      path = page.next;
    }
    for (const record of records) {
      if (!record.scan) continue;
      const { value } = record.scan as { readonly value: string };
      const file = await fetch(value);
      const head = ['content-type', 'content-disposition'].map((each) => file.headers.get(each));
      record.scan = [...head, await file.text()];
    }
    all[part] = records;
  }
  return all;
}

async function exportWorld({ run }: Pick<Project, 'run'>, world: World) {
  const ended = await run('export', 'data', ...of(world), '--json');
  expect(ended).toMatchObject({ status: 0 });
  return JSON.parse(ended.stdout);
}

test('an instance is exported, and imported into an empty one, where it is equal', async () => {
  const { api, folder, run } = await start();
  const world = await openWorld(api, 'library');
  await fill(world);
  const copy = await openWorld(api, 'copies');

  const { counts } = await exportWorld({ run }, world);
  const ended = await run('import', 'data', ...of(copy));

  expect(counts).toEqual({
    groups: 1,
    users: 1,
    'objects/author': 1,
    'objects/book': books,
    'objects/user_profile': 1,
  });
  expect(ended).toMatchObject({
    status: 0,
    stdout: 'Imported 754 records into copies, with their ids.\nNothing differs.\n',
  });
  expect(await contents(copy)).toEqual(await contents(world));
  const schemaOf = async (each: World) => (await get(each, 'classes/book/')).schema;
  expect(await schemaOf(copy)).toEqual(await schemaOf(world));
  expect(readdirSync(join(folder, 'data', 'files'))).toHaveLength(1);
  expect(readFileSync(join(folder, 'data', 'groundwork.yml'), 'utf8')).toContain('  author:');
  const again = await run('import', 'data', ...of(copy));
  expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('is already in') });
});

test('an import creates the instance where that is wanted, and no other time', async () => {
  const { api, folder, run } = await start();
  const world = await openWorld(api, 'library');
  await fill(world);
  await exportWorld({ run }, world);
  const at = ['--url', api.url, '--key', world.owner, '--instance', 'fresh'];
  mkdirSync(join(folder, 'none'));
  writeFileSync(join(folder, 'books.csv'), 'title\n');

  const noExport = await run('import', 'none', '--create', ...at);
  const csv = await run('import', 'books.csv', '--class', 'book', '--create', ...at);
  const without = await run('import', 'data', ...at);
  const created = await run('import', 'data', '--create', ...at);
  const again = await run('import', 'data', '--create', '--again', ...at, '--json');

  expect(noExport).toMatchObject({ status: 2, stderr: expect.stringContaining('no export') });
  expect(csv).toMatchObject({ status: 2, stderr: expect.stringContaining('--create is for') });
  expect(without).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(': --create creates it'),
  });
  expect(created).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      `^Created the instance fresh on ${api.url}.\nImported 754 records into fresh, with their ids.\n`,
    ),
  });
  expect(JSON.parse(again.stdout)).toMatchObject({ instance_created: false });
});

test('an export and an import say once what they have done', async () => {
  const { api, run } = await start();
  const world = await openWorld(api, 'library');
  await fill(world);
  const copy = await openWorld(api, 'copies');

  const exported = await run('export', 'data', ...of(world));
  const imported = await run('import', 'data', ...of(copy));

  expect(exported).toMatchObject({ stdout: expect.stringMatching(/^Exported 754/), stderr: '' });
  expect(imported).toMatchObject({ stdout: expect.stringMatching(/^Imported 754/), stderr: '' });
});

test('private files are exported by the addresses of their objects, and stay private', async () => {
  const { api, run } = await start();
  const [world, copy] = [await openWorld(api, 'library'), await openWorld(api, 'copies')];
  const path = await world.dataClass('letter', [{ name: 'scan', type: 'file', private: true }]);
  const body = new FormData();
  body.append('scan', new Blob(['secret']), 'a.txt');
  expected(await api.send({ as: world.owner, method: 'POST', path: `${path}objects/`, body }), 201);

  await exportWorld({ run }, world);
  const ended = await run('import', 'data', ...of(copy));

  expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining('Nothing differs.') });
  const [object] = (await get(copy, 'classes/letter/objects/')).objects;
  expect(object.scan.value).toContain('/private/');
  expect(await (await fetch(object.scan.value)).text()).toBe('secret');
});

test('an import into an instance with records gives new ids, and keeps references', async () => {
  const { api, run } = await start();
  const world = await openWorld(api, 'library');
  await fill(world);
  const other = await openWorld(api, 'shelf');
  const ann = await create(other, 'users/', { username: 'ann', password: 'another' });
  await create(other, 'users/', { username: 'bob', password: 'b' });
  await other.dataClass('book', [
    { name: 'title', type: 'string' },
    { name: 'year', type: 'integer' },
  ]);
  const old = await create(other, 'classes/book/objects/', { title: 'Emma', year: 1815 });

  await exportWorld({ run }, world);
  const ended = await run('import', 'data', ...of(other), '--json');

  expect(ended).toMatchObject({ status: 0 });
  expect(JSON.parse(ended.stdout)).toMatchObject({
    created: 752, // all but the user and its profile
    unchanged: 2,
    shift: { groups: 0, users: 2, objects: expect.any(Number) },
  });
  const books = (await get(other, 'classes/book/objects/?order_by=-id&page_size=100')).objects;
  const [author] = (await get(other, 'classes/author/objects/')).objects;
  const [group] = (await get(other, 'groups/')).objects;
  const nana = books.find(({ title }: { title: string }) => title === 'Nana 749');
  expect(nana).toMatchObject({
    owner: ann.id,
    reader: { value: ann.id },
    group: group.id,
    author: { value: author.id },
    similar: { value: [author.id + 1] },
    extra: { type: 'reference', value: 1 },
    year: null,
  });
  expect(author.id).toBeGreaterThan(old.id);
  expect(author.favourite.value).toBe(author.id + 1);
  expect(await get(other, `classes/book/objects/${author.id + 1}/`)).toMatchObject({
    title: 'Nana 0',
    scan: { type: 'file' },
  });
  expect(await get(other, `classes/book/objects/${old.id}/`)).toMatchObject({ title: 'Emma' });
});

test.each([
  ['export', ['export', 'data']],
  ['import', ['import', 'data']],
])('a killed %s continues, and the instances are equal', async (name, args) => {
  const { api, folder, run, spawn } = await start();
  const world = await openWorld(api, 'library');
  await fill(world);
  const copy = await openWorld(api, 'copies');
  const place = name === 'export' ? world : copy;
  if (name === 'import') await exportWorld({ run }, world);

  const child = spawn(...args, ...of(place));
  await inMiddle(join(folder, 'data'), { name, isOver: () => child.exitCode !== null });
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  const continued = await run(...args, ...of(place));

  expect(continued).toMatchObject({ status: 0 });
  if (name === 'export')
    expect(await run('import', 'data', ...of(copy))).toMatchObject({ status: 0 });
  expect(await contents(copy)).toEqual(await contents(world));
});

/** Waits until a command has written the first books. */
async function inMiddle(
  folder: string,
  { name, isOver }: { readonly name: string; readonly isOver: () => boolean },
): Promise<void> {
  for (;;) {
    const states = existsSync(folder) ? readdirSync(folder) : [];
    const state = states.find((each) => each.startsWith(`${name}`) && each.endsWith('.json'));
    const { position } = state ? JSON.parse(readFileSync(join(folder, state), 'utf8')) : {};
    if (position?.part === 'objects/book' && (position.bytes || position.start)) return;
    if (isOver()) throw new Error(`the ${name} ended by itself`);
    await setTimeout(1);
  }
}

test('a bad record is named', async () => {
  const { api, folder, run } = await start();
  const world = await openWorld(api, 'library');
  await create(world, 'groups/', { name: 'staff' });
  const copy = await openWorld(api, 'copies');
  await exportWorld({ run }, world);
  writeFileSync(join(folder, 'data', 'groups.jsonl'), '{"id":1,"name":"a b"}\n');

  expect(await run('import', 'data', ...of(copy))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('groups.jsonl, id 1, name: Enter a valid value'),
  });
});

test('the error of a private file names it without its signature', async () => {
  const server = createServer((_, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens to a port
  const value = `http://127.0.0.1:${port}/files/private/1/2/x.txt`;
  const file = { type: 'file', value: `${value}?version=1&signature=s3cret` } as const;
  const files = openProjectFiles(openProject().folder);

  await expect(downloadFile(files, file)).rejects.toThrow(new Error(`${value}: 503`));
});
